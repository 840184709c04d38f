"""Does logic help? Learning that begins with what the goals say, against learning from nothing.

Two starts of the same learner, the same games and seeds, one processor core:

- `nothing`: hidden units begin at random, all values at 0.5;
- `rules`: most of the units begin as conditions of the rules (as in the recipe, but without its
  features; see `learning_with_features.py`).

    python experiments/learning_logic.py --out runs/logic GAME...
    python experiments/learning_logic.py --out runs/logic --report

At several marks the averaged weights play the untrained goal networks, both two plies ahead, from
openings of exactly four random plies in both roles. The table gives the score at each mark, with
the number of games learned from, and how many games and seconds a score of 75 % took: interpolated
between marks, on a logarithmic scale; the median over seeds, and the ratio to `nothing` on the same
seed with a 95 % interval (Student's t of the logarithms). A finished cell stays in the folder.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cells import Cells, progress, share
from snapshots import snapshots

from neurogame.arena.yardstick import Yardstick
from neurogame.evaluators.build import make_evaluator
from neurogame.simulate.game import Game

GAMES = (
    "connectfour",
    "breakthrough6",
    "reversi6",
    "hex5",
    "knightthrough",
    "qubic",
    "pentago",
    "checkers6",
    "atarigo5",
    "loa5",
)
STARTS: dict[str, dict[str, Any]] = {
    "nothing": {"rules": 0.0, "features": 0.0},
    "rules": {"features": 0.0},
}
MARKS = (0.1, 0.3, 1.0, 3.0, 9.0)
WANTED = 0.75
FRESH = 60_000
FEWEST = 3
T_975 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}
"""Student's t by degrees of freedom."""


def run(game: Game, start: str, seed: int, matches: int) -> dict[str, Any]:
    """Learn once, and return the strength at each mark."""
    untrained = make_evaluator(game).requires_grad_(False)
    yardstick = Yardstick(game=game, matches=matches, seed=FRESH + seed)
    curve = [
        {
            "seconds": one.seconds,
            "games": one.games,
            "untrained": yardstick.measure(one.evaluator, untrained).to_json(),
        }
        for one in snapshots(game, {"network": STARTS[start]}, seed, MARKS)
    ]
    return {"game": game.name, "start": start, "seed": seed, "curve": curve}


def needed(
    curve: Sequence[dict[str, Any]], what: str, wanted: float = WANTED, opponent: str = "untrained"
) -> float:
    """Return the games or seconds until a score; infinite if it was not reached.

    Before the first mark nothing is known, so a score reached there counts as that mark.

    Args:
        curve: what was measured at each mark.
        what: ``games`` or ``seconds``.
        wanted: the score, 0..1.
        opponent: against whom.
    """
    before: dict[str, Any] | None = None
    for row in curve:
        score = row[opponent]["score"]
        if score >= wanted:
            if before is None:
                return float(row[what])
            low = before[opponent]["score"]
            part = (wanted - low) / (score - low)
            first, last = math.log(max(before[what], 1)), math.log(max(row[what], 1))
            return math.exp(first + part * (last - first))
        before = row
    return math.inf


def number(value: float) -> str:
    """Return seconds or games as text."""
    return (
        "not reached" if math.isinf(value) else f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
    )


def ratio(own: Sequence[float], base: Sequence[float]) -> str:
    """Return the mean ratio on a logarithmic scale, where all were reached.

    With its interval where there are seeds enough for one that says anything.
    """
    if any(math.isinf(value) for value in (*own, *base)):
        return ""
    logs = np.log(own) - np.log(base)
    if len(logs) < FEWEST:
        return f"{math.exp(logs.mean()):.2f}"
    half = T_975[len(logs) - 1] * logs.std(ddof=1) / len(logs) ** 0.5
    low, middle, high = np.exp([logs.mean() - half, logs.mean(), logs.mean() + half])
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def report(cells: Cells) -> str:
    """Return the table of all finished cells."""
    runs: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for one in cells.all():
        runs.setdefault((one["game"], one["start"]), []).append(one)
    marks = " | ".join(f"{mark:g} s" for mark in MARKS)
    lines = [
        f"| game | start | seeds | {marks} | games to {100 * WANTED:.0f} % | to `nothing` "
        f"| seconds to {100 * WANTED:.0f} % | to `nothing` |",
        "|---|---|---" + "|---" * len(MARKS) + "|---|---|---|---|",
    ]
    for name in dict.fromkeys(game for game, _ in runs):
        for start in STARTS:
            own = runs.get((name, start), [])
            base = {one["seed"]: one for one in runs.get((name, "nothing"), [])}
            if not own:
                continue
            values = []
            for place in range(len(MARKS)):
                rows = [one["curve"][place] for one in own]
                games = np.mean([row["games"] for row in rows])
                values.append(f"{share(rows, 'untrained')} ({games / 1000:,.1f}k games)")
            for what in ("games", "seconds"):
                each = [needed(one["curve"], what) for one in own]
                paired = [
                    (value, needed(base[one["seed"]]["curve"], what))
                    for one, value in zip(own, each, strict=True)
                    if one["seed"] in base
                ]
                paired_ratio = (
                    "" if start == "nothing" or not paired else ratio(*zip(*paired, strict=True))
                )
                values += [number(float(np.median(each))), paired_ratio]
            lines.append(f"| {name} | {start} | {len(own)} | " + " | ".join(values) + " |")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, or print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--starts", nargs="+", choices=STARTS, default=list(STARTS))
    parser.add_argument("--first-seed", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--matches", type=int, default=30)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", action="store_true", help="only print the table")
    options = parser.parse_args()
    torch.set_num_threads(1)
    cells = Cells(options.out)
    if not options.report:
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            for name in options.games:
                for start in options.starts:
                    cell = f"{name}-{start}-{seed}"
                    if not cells.has(cell):
                        progress(cell)
                        cells.put(cell, run(Game.load(name), start, seed, options.matches))
    print(report(cells))


if __name__ == "__main__":
    main()
