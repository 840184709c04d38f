"""Do features help learning? Seconds to a given strength with them and without.

Two starts of the same learner, the same seeds, one processor core: `with` is the recipe, some of
whose hidden units begin as features found in the rules; `without` has conditions of the rules and
random units alone.

    python experiments/learning_with_features.py --out runs/with-features GAME...
    python experiments/learning_with_features.py --out runs/with-features --report

At several marks the averaged weights play what the recipe without features learns in three seconds
from another seed, both one ply ahead, from openings of exactly four random plies in both roles.
Seconds are those of the processor; what it takes to find the features counts. The table gives the
score at each mark, and the seconds that a score of 50 % took: interpolated between marks, on a
logarithmic scale; the median over seeds, and the ratio to `without` on the same seed with a 95 %
interval (Student's t of the logarithms). A finished cell stays in the folder.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cells import Cells, progress, share
from learning_logic import needed, number, ratio
from snapshots import snapshots

from neurogame.evaluators.base import Evaluator
from neurogame.learn.comparison import compare
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.search.opposition import opposed
from neurogame.simulate.game import Game

GAMES = (
    "breakthrough6",
    "knightthrough",
    "checkers6",
    "minichess5",
    "reversi6",
    "connectfour",
    "dotsandboxes",
    "hex5",
)
WITHOUT = {"network": {"features": 0.0}}
STARTS: dict[str, dict[str, Any]] = {"without": WITHOUT, "with": {}}
MARKS = (0.5, 1.0, 2.0, 4.0, 8.0)
WANTED = 0.5
RIVAL_SECONDS = 3.0
FRESH, OTHER = 80_000, 10_000
"""Added to a run's seed for the openings of its measurements, and for its rival."""


def made_in(name: str, given: dict[str, Any], seed: int) -> float:
    """Return the processor seconds in which the evaluator is made, before it learns."""
    game = Game.load(name)
    config = fitted(game, given, seed=seed)  # Whatever the start, it needs the structure.
    began = time.process_time()
    fresh_rules_network(game, config)
    return time.process_time() - began


def run(
    game: Game, name: str, start: str, seed: int, rival: Evaluator, matches: int
) -> dict[str, Any]:
    """Learn once, and return the strength at each mark."""
    given = STARTS[start]
    # Patterns are drawn in either case: what is counted is what features take besides.
    spent = 0.0
    if start == "with":
        spent = max(0.0, made_in(name, given, seed) - made_in(name, WITHOUT, seed))
    plies = fitted(game).plies
    curve = []
    for one in snapshots(game, given, seed, MARKS, spent=spent):
        found = compare(
            game,
            one.evaluator,
            rival,
            matches=matches,
            seed=FRESH + seed,
            opening_plies=4,
            max_plies=plies,
            margin=opposed(game),
        )
        curve.append({"seconds": one.seconds, "games": one.games, "rival": found.to_json()})
    return {"game": name, "start": start, "seed": seed, "spent": spent, "curve": curve}


def report(cells: Cells) -> str:
    """Return the table of all finished cells."""
    runs: dict[tuple[str, str], dict[int, dict[str, Any]]] = {}
    for one in cells.all():
        runs.setdefault((one["game"], one["start"]), {})[one["seed"]] = one
    marks = " | ".join(f"{mark:g} s" for mark in MARKS)
    lines = [
        f"| game | features | {marks} | seconds to {100 * WANTED:.0f} % | to `without` "
        "| games to it | to `without` |",
        "|---|---" + "|---" * len(MARKS) + "|---|---|---|---|",
    ]
    names = dict.fromkeys((*GAMES, *(game for game, _ in runs)))
    for name in names:
        for start in STARTS:
            own, base = runs.get((name, start), {}), runs.get((name, "without"), {})
            if not own:
                continue
            curves = [one["curve"] for one in own.values()]
            values = [share([c[place] for c in curves], "rival") for place in range(len(MARKS))]
            for what in ("seconds", "games"):
                took = {
                    seed: needed(one["curve"], what, WANTED, "rival") for seed, one in own.items()
                }
                before = [
                    needed(base[seed]["curve"], what, WANTED, "rival")
                    for seed in took
                    if seed in base
                ]
                both = [value for seed, value in took.items() if seed in base]
                values.append(number(float(np.median(list(took.values())))))
                values.append("" if start == "without" or not both else ratio(both, before))
            lines.append(f"| {name} | {start} | " + " | ".join(values) + " |")
    spent = [one["spent"] for own in runs.values() for one in own.values() if one["spent"]]
    if spent:
        lines += ["", f"Finding features took {min(spent):.2f} to {max(spent):.2f} s."]
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, or print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--first-seed", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", action="store_true", help="only print the table")
    options = parser.parse_args()
    torch.set_num_threads(1)
    cells = Cells(options.out)
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        for name in [] if options.report else options.games:
            names = {start: f"{name}-{start}-{seed}" for start in STARTS}
            missing = [start for start in STARTS if not cells.has(names[start])]
            if not missing:
                continue
            game = Game.load(name)
            rival = next(snapshots(game, WITHOUT, seed + OTHER, [RIVAL_SECONDS])).evaluator
            for start in missing:
                progress(names[start])
                cells.put(names[start], run(game, name, start, seed, rival, options.matches))
    print(report(cells))


if __name__ == "__main__":
    main()
