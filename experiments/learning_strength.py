"""How strong does `neurogame train` make a player, and how fast?

One processor core, the fitted recipe, several seeds. What is measured are the releases that were
the last ones at 0, 30, 60, 120 and 180 seconds of learning, always on openings of exactly four
random plies that no run used for a decision, each opening played in both roles: both players two
plies ahead against the untrained goal networks; and against `mcts:sims=1000`, three plies ahead
(four in connect four). All marks of a run play the same openings. In connect four and breakthrough
there are matches at the same time for each move besides.

    python experiments/learning_strength.py --out runs/strength GAME...
    python experiments/learning_strength.py --out runs/strength --report

Games so large that two plies take too long are measured at the same time for each move, against the
untrained networks alone:

    python experiments/learning_strength.py --out runs/large --seconds 600 --marks 60 \
        --matches 34 --seeds 1 --limit seconds=0.1 --untrained-only chess_200.kif ...

Each finished pair of game and seed is kept in the folder, so the command can be given again after
it was stopped. Intervals are of 95 %, and know that matches from one opening belong together; over
seeds, matches are pooled, and each seed's own figure stands beside.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from cells import Cells, pooled, progress, share

from neurogame.arena.yardstick import MCTS, Yardstick
from neurogame.evaluators.base import Evaluator
from neurogame.learn.recipe import fitted
from neurogame.learn.run_folder import RunFolder
from neurogame.learn.train_config import TrainConfig
from neurogame.learn.trainer import Release, Trainer
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game

MARKS = (30.0, 60.0, 120.0, 180.0)
LIMIT = Limit(depth=2)
FRESH = 50_000
"""Added to a run's seed for the openings of its measurements."""
MCTS_DEPTH = {"connectfour": 4}
SAME_TIME = ("connectfour", "breakthrough")
MOVE_SECONDS = 0.03
TARGETS = {
    "breakthrough6": (99, 95),
    "breakthrough": (99, None),
    "reversi6": (97, 85),
    "connectfour": (85, 60),
    "pentago": (70, None),
    "qubic": (70, None),
    **dict.fromkeys(
        (
            "checkers6",
            "amazons5",
            "hex5",
            "knightthrough",
            "loa5",
            "minichess5",
            "atarigo5",
            "dotsandboxes",
        ),
        (65, None),
    ),
}
"""Wanted against the untrained networks and against tree search, in per cent."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """How runs are measured.

    Attributes:
        matches: of the last release with each opponent; earlier ones play half as many.
        marks: seconds of learning at which there are measurements, besides the beginning and the
            end.
        limit: of both searches against the untrained networks.
        untrained_only: whether tree search is left out.
    """

    matches: int
    marks: tuple[float, ...] = MARKS
    limit: Limit = LIMIT
    untrained_only: bool = False


def run(game: Game, seed: int, seconds: float, measured: Measured, out: Path) -> dict[str, Any]:
    """Train once, measure the releases, and return what was found.

    Args:
        game: what is learned.
        seed: of the run.
        seconds: processor seconds of learning.
        measured: how.
        out: the run's own folder goes there.
    """
    torch.set_num_threads(1)
    folder = RunFolder(out / f"{game.name}-{seed}")
    if folder.path.exists():
        shutil.rmtree(folder.path)  # A run that was stopped: its releases are not all there.
    config = TrainConfig(learner=fitted(game, seed=seed), seconds=seconds)
    releases: list[Release] = []
    trainer = Trainer(game, config, folder, released=releases.append)
    folder.create({"rules": game.name, "recipe": "fitted", **config.to_json()})
    began = time.monotonic()
    trainer.run()
    counters = trainer.counters
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    found: dict[str, Any] = {
        "game": game.name,
        "seed": seed,
        "plies": counters.plies,
        "games": counters.matches,
        "seconds": counters.seconds,
        "wall_seconds": time.monotonic() - began,
        "peak_gib": memory,
        "released_at": trainer.release.seconds,
    }
    found["curve"] = list(_curve(game, seed, seconds, measured, releases))
    found["same_time"] = _same_time(game, seed, measured.matches, trainer.release.evaluator)
    return found


def _curve(
    game: Game, seed: int, seconds: float, measured: Measured, releases: Sequence[Release]
) -> Iterator[dict[str, Any]]:
    """Yield the strength at each mark; a release that stays is measured once."""
    known: dict[tuple[float, int], dict[str, Any]] = {}
    marks = [mark for mark in measured.marks if mark < seconds] + [seconds]
    for mark in (0.0, *marks):
        release = [one for one in releases if one.seconds <= max(1.05 * mark, mark + 2)][-1]
        if mark == 0:
            release = releases[0]
        count = measured.matches if mark == marks[-1] else measured.matches // 4 * 2
        key = (release.seconds, count)
        if key not in known:
            opposite = releases[0].evaluator
            known[key] = _strength(game, seed, count, measured, release, opposite)
        yield {"mark": mark, "released_at": release.seconds, **known[key]}


def _strength(
    game: Game, seed: int, count: int, measured: Measured, release: Release, untrained: Evaluator
) -> dict[str, Any]:
    depth = MCTS_DEPTH.get(game.name, 3)
    row: dict[str, Any] = {}
    if release.seconds > 0:
        two = Yardstick(game=game, matches=count, seed=FRESH + seed, limit=measured.limit)
        row["untrained"] = two.measure(release.evaluator, untrained).to_json()
    if measured.untrained_only:
        return row
    deep = Yardstick(game=game, matches=count, seed=FRESH + seed, limit=Limit(depth=depth))
    return row | {"mcts": deep.measure(release.evaluator, MCTS).to_json()}


def _same_time(game: Game, seed: int, matches: int, evaluator: Evaluator) -> dict[str, Any]:
    """Return what matches at the same time for each move came to, by opponent."""
    if game.name not in SAME_TIME:
        return {}
    limit = Limit(seconds=MOVE_SECONDS)
    fair = Yardstick(game=game, matches=matches // 4 * 2, seed=FRESH + seed, limit=limit)
    found = {"mcts, same time": fair.measure(evaluator, f"mcts:seconds={MOVE_SECONDS}").to_json()}
    if game.name == "breakthrough":
        few = Yardstick(game=game, matches=matches // 8 * 2, seed=FRESH + seed, limit=limit)
        found["mcts:sims=10000"] = few.measure(evaluator, "mcts:sims=10000").to_json()
    return found


def report(cells: Cells) -> str:
    """Return the tables of all finished runs."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for one in cells.all():
        runs.setdefault(one["game"], []).append(one)
    order = [name for name in TARGETS if name in runs] + sorted(set(runs) - set(TARGETS))
    lines = [
        "| game | seeds | seconds | games a second | plies a second | untrained (target) "
        "| `mcts:sims=1000` (target) | untrained networks against it | distinct matches "
        "| peak memory, GiB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in order:
        own = runs[name]
        last = [one["curve"][-1] for one in own]
        speed = [sum(one[what] for one in own) for what in ("games", "plies", "seconds")]
        wanted = [f" ({one})" if one else "" for one in TARGETS.get(name, (None, None))]
        searched = ["", ""]
        if "mcts" in last[0]:
            first = [one["curve"][0] for one in own]
            searched = [pooled(last, "mcts") + wanted[1], pooled(first, "mcts", each=False)]
        lines.append(
            f"| {name} | {len(own)} | {own[0]['seconds']:.0f} | {speed[0] / speed[2]:,.0f} "
            f"| {speed[1] / speed[2]:,.0f} | {pooled(last, 'untrained')}{wanted[0]} "
            f"| {searched[0]} | {searched[1]} "
            f"| {sum(one['untrained']['distinct'] for one in last if 'untrained' in one)} "
            f"| {max(one['peak_gib'] for one in own):.1f} |"
        )
    marks = sorted({row["mark"] for own in runs.values() for one in own for row in one["curve"]})
    lines += ["", "| game | opponent | " + " | ".join(f"{mark:.0f} s" for mark in marks) + " |"]
    lines += ["|---|---" + "|---" * len(marks) + "|"]
    for name in order:
        for opponent in ("untrained", "mcts"):
            values = []
            for mark in marks:
                rows = [row for one in runs[name] for row in one["curve"] if row["mark"] == mark]
                rows = [row for row in rows if opponent in row]
                values.append(share(rows, opponent) if rows else "")
            if any(values):
                lines.append(f"| {name} | {opponent} | " + " | ".join(values) + " |")
    lines += ["", f"| game | at {MOVE_SECONDS} s a move against | score | distinct |"]
    lines += ["|---|---|---|---|"]
    for name in order:
        for opponent in runs[name][0]["same_time"]:
            rows = [one["same_time"] for one in runs[name]]
            distinct = sum(row[opponent]["distinct"] for row in rows)
            lines.append(f"| {name} | {opponent} | {pooled(rows, opponent)} | {distinct} |")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, or print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=list(TARGETS))
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--matches", type=int, default=134)
    parser.add_argument("--marks", type=float, nargs="*", default=list(MARKS))
    parser.add_argument("--limit", default="depth=2", help="against the untrained networks")
    parser.add_argument("--untrained-only", action="store_true", help="without tree search")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", action="store_true", help="only print the tables")
    options = parser.parse_args()
    cells = Cells(options.out)
    measured = Measured(
        matches=options.matches,
        marks=tuple(options.marks),
        limit=Limit.parse(options.limit),
        untrained_only=options.untrained_only,
    )
    seeds = [] if options.report else range(options.first_seed, options.first_seed + options.seeds)
    for seed in seeds:
        for name in options.games:
            cell = f"{Path(name).stem}-{seed}"
            if not cells.has(cell):
                progress(f"{name}, seed {seed}")
                cells.put(cell, run(Game.load(name), seed, options.seconds, measured, options.out))
    print(report(cells))


if __name__ == "__main__":
    main()
