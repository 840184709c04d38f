"""Speed of the searches on one core, beside the simulator's own and a rival's.

python -m benchmarks.search ../shared/games --markdown
python -m benchmarks.search ../shared/games --games connectFour breakthrough --resume search.jsonl

Per game: full random playouts of the simulator; simulations of UCT from the initial state, one
after the other (``lanes=1``) and in blocks, a full random playout each; states that alpha-beta
generates and evaluates with a C-IL2P evaluator; evaluations alone. Rates are per second of
processor time on one thread, medians of several runs. Each game is measured in a process of its
own with a limit of time.

The rival is the graph search of Sancho, iterations of one playout each per processor second on
one core.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import torch

from neurogame.evaluators.build import make_evaluator
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game
from neurogame.simulate.playouts import playouts
from neurogame.simulate.samples import sample_states

Row: TypeAlias = dict[str, Any]

GAMES = (
    "ticTacToe",
    "connectFour",
    "breakthrough",
    "pentago",
    "nineBoardTicTacToe",
    "blocker",
    "biddingTicTacToe",
    "chineseCheckers2",
    "battle",
    "skirmish",
    "chess",
)
RIVAL = {
    "connectFour": 66_000,
    "breakthrough": 24_000,
    "nineBoardTicTacToe": 40_000,
    "blocker": 97_000,
    "biddingTicTacToe": 69_000,
    "chineseCheckers2": 52_000,
    "battle": 8_700,
}
LANES = (1, 64, 256, 512)
EVALUATORS = ("cilp", "cilp-paper")
SEQUENTIAL_FACTOR, LANED_FACTOR = 2, 10


def _rate(work: Callable[[], float], seconds: float, runs: int) -> float:
    """Return the median of some runs' units of work per second of processor time."""
    found: list[float] = []
    for _ in range(runs):
        start, done = time.process_time(), work()
        while time.process_time() - start < seconds:
            done += work()
        found.append(done / (time.process_time() - start))
    return statistics.median(found)


def measure(rules: Path, seconds: float, runs: int) -> Row:
    """Return all rates of one game."""
    torch.set_num_threads(1)
    game = Game.load(rules)
    row: Row = {"game": rules.stem}
    simulator = game.simulator()
    state = game.initial_state()
    roles = [role for role, moves in enumerate(state.legal_moves) if len(moves) > 1] or [0]
    games = 64
    playouts(simulator, games, 0)
    begun = time.process_time()
    playouts(simulator, games, 1)
    spent = max(time.process_time() - begun, 1e-5)
    games = max(64, min(1 << 16, round(games * 0.2 / spent)))

    def play() -> float:
        return float(playouts(simulator, games, 2).games)

    row["playouts"] = _rate(play, seconds, runs)
    for lanes in LANES:
        search = Mcts(game, settings=MctsSettings(lanes=lanes, reuse=False), seed=1)
        limit = Limit(seconds=seconds)
        search.search(state, roles[0], Limit(simulations=lanes))
        rates, splits = [], []
        for _ in range(runs):
            search.forget()
            begun = time.process_time()
            found = search.search(state, roles[0], limit)
            rates.append(found.simulations / (time.process_time() - begun))
            splits.append(found)
        row[f"uct {lanes}"] = statistics.median(rates)
        last = splits[-1]
        row[f"split {lanes}"] = {name: part / last.seconds for name, part in last.split.items()}
    for kind in EVALUATORS:
        evaluator = make_evaluator(game, kind)
        states = sample_states(simulator, 4096, 3)

        def evaluate(own: Any = evaluator, batch: Any = states) -> float:
            with torch.inference_mode():
                own.values(batch)
            return float(len(batch))

        evaluate()
        row[f"evaluations {kind}"] = _rate(evaluate, seconds, runs)
        search_ab = AlphaBeta(game, evaluator)
        search_ab.search(state, roles[0], Limit(depth=1))
        rates = []
        for _ in range(runs):
            search_ab.forget()
            begun = time.process_time()
            result = search_ab.search(state, roles[0], Limit(seconds=seconds))
            rates.append(result.nodes / (time.process_time() - begun))
        row[f"alphabeta {kind}"] = statistics.median(rates)
        row[f"depth {kind}"] = result.depth
        row[f"split {kind}"] = {name: part / result.seconds for name, part in result.split.items()}
    return row


def _in_new_process(rules: Path, options: argparse.Namespace) -> Row:
    """Measure one game in a process of its own; of a failure, its last line."""
    line = [sys.executable, "-m", "benchmarks.search", str(rules.parent), "--child", rules.stem]
    line += ["--seconds", str(options.seconds), "--runs", str(options.runs)]
    process = subprocess.Popen(
        line,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    try:
        output, errors = process.communicate(timeout=options.limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return {"game": rules.stem, "error": f"not done in {options.limit:g} s"}
    if process.returncode:
        last = errors.strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        return {"game": rules.stem, "error": last[0]}
    found: Row = json.loads(output.splitlines()[-1])
    return found


def main() -> None:
    """Measure the games and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, help="folder of rulesheets")
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time of a run")
    parser.add_argument("--runs", type=int, default=5, help="runs of which the median is taken")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one game")
    parser.add_argument("--resume", type=Path, help="file of results, added to")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        rules = options.folder / f"{options.child}.kif"
        print(json.dumps(measure(rules, options.seconds, options.runs)))
        return
    rows = {}
    if options.resume is not None and options.resume.exists():
        known = map(json.loads, options.resume.read_text(encoding="utf-8").splitlines())
        rows = {row["game"]: row for row in known}
    for game in options.games:
        if game in rows:
            continue
        rows[game] = _in_new_process(options.folder / f"{game}.kif", options)
        print(f"{game}: {rows[game].get('error', 'done')}", file=sys.stderr, flush=True)
        if options.resume is not None:
            with options.resume.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[game]) + "\n")
    _show([rows[game] for game in options.games], markdown=options.markdown)


def _show(rows: list[Row], *, markdown: bool) -> None:
    """Print all rates in thousands per second, with the rival's and what it means for them."""
    head = ["game", "playouts", *(f"UCT {lanes}" for lanes in LANES), "rival", "1 : rival"]
    head += ["best : rival", *(f"{what} {kind}" for kind in EVALUATORS for what in ("αβ", "eval"))]
    table = [head]
    for row in rows:
        if "error" in row:
            table.append([row["game"], row["error"], *[""] * (len(head) - 2)])
            continue
        rates = [row[f"uct {lanes}"] for lanes in LANES]
        rival = RIVAL.get(row["game"])
        ratios = [rates[0] / rival, max(rates) / rival] if rival else []
        table.append(
            [
                row["game"],
                *(_thousands(rate) for rate in (row["playouts"], *rates)),
                _thousands(rival) if rival else "–",
                *([f"{ratio:.1f} ×" for ratio in ratios] or ["–", "–"]),
                *(
                    _thousands(row[f"{what} {kind}"])
                    for kind in EVALUATORS
                    for what in ("alphabeta", "evaluations")
                ),
            ]
        )
    print("Thousands per second of processor time on one thread.\n")
    if markdown:
        lines = [table[0], ["---"] * len(head), *table[1:]]
        print("\n".join("| " + " | ".join(line) + " |" for line in lines))
    else:
        widths = [max(len(line[column]) for line in table) for column in range(len(head))]
        for line in table:
            print("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)))
    for row in rows:
        for name, parts in row.items():
            if name.startswith("split "):
                shown = ", ".join(f"{part} {share:.0%}" for part, share in parts.items())
                print(f"{row['game']} {name.removeprefix('split ')}: {shown}")


def _thousands(rate: float) -> str:
    return f"{rate / 1000:,.0f}" if rate >= 10_000 else f"{rate / 1000:,.3g}"


if __name__ == "__main__":
    main()
