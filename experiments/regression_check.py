"""Regression against play: R[F] in a state under a joint move is F in the state that follows.

For every rulesheet of a folder, goals, terminal and all legal moves are regressed by one step and
compared with what the simulator finds after random joint moves; one line per game is appended to
a file, so the check can be interrupted and started again::

    python experiments/regression_check.py ../shared/games --out regression.jsonl
    python experiments/regression_check.py ../shared/games --games chess hex --states 512

*Reference:* Trutman and Schiffel, section "Regression".
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from neurogame.graph.evaluate import holds
from neurogame.regress.regress import regress
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states


def check(game: Game, states: int, seed: int) -> dict[str, Any]:
    """Compare the regressed state formulas of one game with the next states."""
    circuit, simulator = game.circuit, game.simulator()
    formulas = np.concatenate([circuit.goal_literals, [circuit.terminal], circuit.legal])
    batch = sample_states(simulator, states, seed)
    legal = simulator.status(batch)[0].numpy()
    score = np.where(legal, np.random.default_rng(seed).random(legal.shape), -1.0)
    begins = game.move_offsets[:-1]
    bounds = list(zip(begins, game.move_offsets[1:], strict=True))
    moves = np.stack([score[:, a:b].argmax(axis=1) for a, b in bounds], axis=1)
    does = np.zeros_like(legal)
    for role, begin in enumerate(begins):
        does[np.arange(len(moves)), begin + moves[:, role]] = True
    before = regress(circuit, circuit.graph.with_outputs(formulas))
    now = holds(before, np.concatenate([batch.to_bool().numpy(), does], axis=1))
    after = simulator.derive(simulator.step(batch, torch.from_numpy(moves)))
    found = torch.cat([after.goal_flags, after.terminal[:, None], after.legal], dim=1).numpy()
    return {
        "states": len(batch),
        "formulas": len(formulas),
        "mismatches": int((now != found).sum()),
    }


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules", type=Path, help="folder of rulesheets (*.kif)")
    parser.add_argument("--games", nargs="*", help="names of the only games to check")
    parser.add_argument("--states", type=int, default=64, help="random states of each game")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="file of results, one line per game")
    options = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
    if options.out and options.out.exists():
        for line in options.out.read_text("utf-8").splitlines():
            row = json.loads(line)
            rows[row["game"]] = row
    paths = sorted(options.rules.glob("*.kif"))
    wanted = [p for p in paths if not options.games or p.stem in options.games]
    for path in tqdm([p for p in wanted if p.stem not in rows], unit="game"):
        rows[path.stem] = {
            "game": path.stem,
            **check(Game.load(path), options.states, options.seed),
        }
        if options.out:
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[path.stem]) + "\n")
    found = [rows[p.stem] for p in wanted]
    wrong = [row["game"] for row in found if row["mismatches"]]
    states = sum(row["states"] for row in found)
    pairs = sum(row["states"] * row["formulas"] for row in found)
    total = sum(row["mismatches"] for row in found)
    print(
        f"{len(found)} games, {states:,} states, {pairs:,} comparisons: {total} mismatches"
        + (f" in {', '.join(wrong)}" if wrong else "")
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
