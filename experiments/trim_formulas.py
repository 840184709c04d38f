"""Trimming of action formulas: edges before and after, and what becomes of the ranking of moves.

For each game the formulas of all roles are trimmed on states of random games; the change is
measured on states of other random games::

    python experiments/trim_formulas.py ../shared/games --games pentago skirmish
    python experiments/trim_formulas.py ../shared/games --out trim.jsonl --report trim.md

*Reference:* Trutman and Schiffel, section "Time Spent on Evaluating the Heuristic".
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from ranking import RankingChange, ranking_change
from tqdm import tqdm
from trim import Samples, TrimConfig, action_values, trim

from neurogame.analysis.analyse import analyse
from neurogame.array_types import Int64s
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.actions.leaf_truth import leaf_truth
from neurogame.regress.action_formulas import ActionFormulas, action_formulas
from neurogame.regress.clockwork import clockwork
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states

TABLE_1 = (
    *("battle", "biddingTicTacToe", "blocker", "breakthrough", "checkersSmall"),
    *("chineseCheckers2", "chinook", "connectFour", "crisscross", "ghostMaze2p"),
    *("nineBoardTicTacToe", "pentago", "sheepAndWolf", "skirmish"),
)


def samples_of(game: Game, role: int, count: int, seed: int) -> Samples:
    """Return states of random games with the legal moves of a role."""
    states = sample_states(game.simulator(), count, seed)
    legal = game.simulator().status(states)[0].numpy()
    fluents = states.to_bool().numpy()
    inputs = np.concatenate([fluents, np.zeros_like(legal)], axis=1)
    own = legal[:, game.move_offsets[role] : game.move_offsets[role + 1]]
    return Samples(inputs=inputs, legal=own)


def measure(game: Game, goals: str, states: int, seed: int, config: TrimConfig) -> dict[str, Any]:
    """Trim the formulas of all roles and return what it saves and costs."""
    analysis = analyse(game.circuit)
    setting = ActionConfig(goals=goals)

    def truth(leaves: Int64s) -> np.ndarray:
        return leaf_truth(leaves, analysis, setting)

    clock = clockwork(game.circuit)
    formulas = action_formulas(game.circuit, analysis, goals=goals)
    before, after, changes = 0, 0, []
    begin = time.process_time()
    trimmed: list[ActionFormulas] = []
    for own in formulas:
        samples = samples_of(game, own.role, states, seed + 2 * own.role)
        choices = int((samples.legal.sum(axis=1) > 1).sum())
        trimmed.append(trim(own, truth, samples, clock, config)[0] if choices > 1 else own)
    seconds = time.process_time() - begin
    for own, small in zip(formulas, trimmed, strict=True):
        fresh = samples_of(game, own.role, states, seed + 2 * own.role + 1)
        values = action_values(own, truth(own.leaves), fresh.inputs)
        rest = action_values(small, truth(small.leaves), fresh.inputs)
        changes.append(ranking_change(values, rest, fresh.legal))
        before, after = before + own.graph.edge_count, after + small.graph.edge_count
    return {
        "edges": before,
        "trimmed": after,
        "seconds": seconds,
        **_joined([change for change in changes if change.states]),
    }


def _joined(changes: list[RankingChange]) -> dict[str, float]:
    """Return the changes of all roles together."""
    count = sum(change.states for change in changes)

    def mean(values: list[float]) -> float:
        pairs = zip(values, changes, strict=True)
        return sum(value * change.states for value, change in pairs) / max(count, 1)

    return {
        "states": count,
        "best": mean([change.best for change in changes]),
        "shift": mean([change.shift for change in changes]),
        "largest": max((change.largest for change in changes), default=0.0),
        "tau": mean([change.tau for change in changes]),
    }


def report(rows: list[dict[str, Any]]) -> str:
    """Return the results as Markdown."""
    lines = [
        "| game | edges | trimmed | fewer | best move changes | mean change | largest | tau | s |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        times = row["edges"] / max(row["trimmed"], 1)
        lines.append(
            f"| {row['game']} | {row['edges']:,} | {row['trimmed']:,} | {times:.1f} x "
            f"| {row['best']:.1%} | {row['shift']:.4f} | {row['largest']:.2f} "
            f"| {row['tau']:.3f} | {row['seconds']:.1f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules", type=Path, help="folder of rulesheets (*.kif)")
    parser.add_argument("--games", nargs="*", default=list(TABLE_1), help="names of the games")
    parser.add_argument("--goals", default="top", choices=("top", "all"))
    parser.add_argument("--states", type=int, default=1024, help="sampled states of each role")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--best", type=float, default=TrimConfig.best, help="see TrimConfig")
    parser.add_argument("--shift", type=float, default=TrimConfig.shift, help="see TrimConfig")
    parser.add_argument("--out", type=Path, help="file of results, one line per game")
    parser.add_argument("--report", type=Path, help="write a Markdown report to this file")
    options = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
    if options.out and options.out.exists():
        for line in options.out.read_text("utf-8").splitlines():
            row = json.loads(line)
            rows[row["game"]] = row
    config = TrimConfig(best=options.best, shift=options.shift, seed=options.seed)
    for name in tqdm([name for name in options.games if name not in rows], unit="game"):
        game = Game.load(options.rules / f"{name}.kif")
        found = measure(game, options.goals, options.states, options.seed, config)
        rows[name] = {"game": name, **found}
        if options.out:
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[name]) + "\n")
    text = report([rows[name] for name in options.games])
    print(text)
    if options.report:
        options.report.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
