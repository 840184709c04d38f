"""Does a player that learns after each match get better against an opponent that does not?

The setting of Michulke and Thielscher (2009), Table 2 and figure 2: 500 matches, learning after
each, against a fixed opponent. Alpha-beta begins with untrained C-IL²P networks and learns into a
file (`learn=FILE`); the opponent is alpha-beta with `fluxplayer` or with the same untrained
networks. Both look one ply ahead, or both think for the same time (`--move-seconds`). Roles
alternate. Every match begins with two random plies of its own, or two such players would play the
same match again and again. The paper's Fluxplayer is `fluxplayer,outlook=margin`: an untrained
player makes 40 to 45 % against it in Pentago, as published, and 84 to 89 against `outlook=own`.

    python experiments/learning_across_matches.py --out runs/across pentago qubic
    python experiments/learning_across_matches.py --out runs/across pentago qubic --kinds paper
    python experiments/learning_across_matches.py --out runs/across --report
    neurogame reproduce michulke table2          # cell by cell, beside the paper's figures

`--kinds` says who plays: the `learner`, the `untrained` player on the same openings, or `paper`:
the published rule (`neurogame train --recipe paper`), W = 1 and plain gradient steps; or
`self-play`: the recipe of `neurogame train`, which plays against itself for 0.1 s of the processor
after each match, begins with nothing, and does not look at the matches. The tables
give the points of each in windows of matches, with a 95 % interval over the matches of all seeds
(those of one seed share a learner, so it is too narrow for statements about other seeds), each
seed's points over the last 200 matches, and how far the mean of ten pairs of matches, pooled over
the seeds, ever fell below its former peak. A finished run stays in the folder. `--json` prints the
figures of all matches instead, `--picture` draws those means of each run: their minimum, average
and maximum over the runs, as figure 2 does.

*Reference:* Michulke and Thielscher, "Neural networks for state evaluation in general game playing"
(2009), sections 4.1 and 4.2.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cells import Cells, progress

from neurogame.array_types import Float64s
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.trainer import PaperTrainer
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.learn.run_folder import RunFolder
from neurogame.players.alphabeta_player import AlphaBetaPlayer
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.player import Player
from neurogame.players.players import make_player
from neurogame.players.search_player import Outfit
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game

KINDS = ("learner", "paper", "untrained", "self-play")
MARGIN = "fluxplayer,outlook=margin"
SELF_PLAY_SECONDS = 0.1
"""Of the processor, after each match."""
OPENING_PLIES = 2
LAST = 200
PAIRS = 10


def played(
    game: Game, opponent: str, limit: str, seed: int, matches: int, kind: str
) -> tuple[list[float], int]:
    """Return the goals, 0..1, of a player in each match, and the number of distinct matches.

    Args:
        game: of two roles.
        opponent: its evaluator.
        limit: of both players, as in player strings.
        seed: of everything.
        matches: how many, with roles in turn.
        kind: of the player, all but ``paper``.
    """
    config = fitted(game, seed=seed)
    learner = (
        LaneLearner(game, config, fresh_rules_network(game, config))
        if kind == "self-play"
        else None
    )
    with tempfile.TemporaryDirectory() as folder:
        text = f"alphabeta:cilp,foresight=off,{limit}"
        player: Player
        if learner is not None:
            averaged = learner.averaged
            own_limit = Limit.parse(limit)
            outfit = Outfit(name="alphabeta", limit=own_limit, source=lambda _game, _seed: averaged)
            player = AlphaBetaPlayer(outfit, settings=SearchSettings(foresight=False))
        else:
            learns = f",learn={Path(folder) / 'l.pt'}" if kind == "learner" else ""
            player = make_player(text + learns, game)
        other = make_player(f"alphabeta:{opponent},foresight=off,{limit}", game)
        points, seen = [], set()
        for number in range(matches):
            role = number % 2
            seats = [player, other] if role == 0 else [other, player]
            settings = MatchSettings(opening_plies=OPENING_PLIES)
            record = play_match(game, seats, seed=seed * 100_000 + number, settings=settings)
            points.append(record.goals[role] / 100)
            seen.add((role, str(record.moves)))
            wanted = SELF_PLAY_SECONDS * (number + 1)
            while learner is not None and learner.counters.seconds < wanted:
                learner.round()
    return points, len(seen)


def published(
    game: Game, opponent: str, move_seconds: float | None, seed: int, matches: int
) -> tuple[list[float], int]:
    """Return the same of the published rule."""
    config = PaperConfig(
        games=matches,
        seed=seed,
        opponent=opponent.partition(",")[0],
        opponent_outlook="margin" if opponent == MARGIN else "own",
        move_seconds=move_seconds,
        opening_plies=OPENING_PLIES,
    )
    with tempfile.TemporaryDirectory() as path:
        folder = RunFolder(Path(path) / "run")
        folder.create({"rules": game.name, "recipe": "paper", **config.to_json()})
        rows: list[dict[str, Any]] = []
        PaperTrainer(game, config, folder).run(rows.append)
    distinct = {(row["role"], row["moves_digest"]) for row in rows}
    return [row["goals"][row["role"]] for row in rows], len(distinct)


def moving(points: Float64s) -> Float64s:
    """Return the means over ten pairs of matches, one after the other; ``[S, N / 2 - 9]``.

    Args:
        points: of each seed and match; ``[S, N]``.
    """
    pairs = points[:, : points.shape[1] // 2 * 2].reshape(len(points), -1, 2).mean(axis=2)
    width = min(PAIRS, pairs.shape[1])
    return np.array([np.convolve(own, np.ones(width) / width, mode="valid") for own in pairs])


def deepest_fall(points: Float64s) -> float:
    """Return how far the mean over ten pairs of matches falls below its former peak, 0..1.

    Args:
        points: of each seed and match; ``[S, N]``.
    """
    if points.shape[1] < 2 * PAIRS:
        return float("nan")
    means = moving(points).mean(axis=0)
    return float((np.maximum.accumulate(means) - means).max())


def figures(points: Float64s) -> dict[str, Any]:
    """Return what all matches of a player come to, in per cent.

    Args:
        points: of each seed and match; ``[S, N]``.
    """
    half = 1.96 * points.std(ddof=1) / points.size**0.5 if points.size > 1 else 0.5
    means = moving(points)
    return {
        "mean": 100 * points.mean(),
        "interval": [100 * max(0, points.mean() - half), 100 * min(1, points.mean() + half)],
        "last": 100 * points[:, -LAST:].mean(),
        "smallest": 100 * means.min(),
        "largest": 100 * means.max(),
        "least best": 100 * means.max(axis=1).min(),
        "fall": 100 * deepest_fall(points) if points.shape[1] >= 2 * PAIRS else None,
    }


def draw(found: Mapping[str, Float64s], path: Path) -> None:
    """Draw the moving means of all players, if matplotlib is installed."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        print("no picture: matplotlib is not installed", file=sys.stderr)
        return
    with rc_context({"svg.hashsalt": "neurogame", "svg.fonttype": "none"}):
        picture = Figure(figsize=(7, 4), layout="constrained")
        axes = picture.subplots()
        for name, points in found.items():
            means = 100 * moving(points)
            across = 2 * np.arange(means.shape[1]) + 2 * PAIRS
            [line] = axes.plot(across, means.mean(axis=0), label=name)
            axes.fill_between(
                across, means.min(axis=0), means.max(axis=0), color=line.get_color(), alpha=0.2
            )
        axes.set(xlabel="matches", ylabel="points over ten pairs of matches, %", ylim=(0, 100))
        axes.legend()
        picture.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def report(cells: Cells, window: int) -> str:
    """Return the tables of all finished runs."""
    groups: dict[tuple[str, str, str], dict[str, list[dict[str, Any]]]] = {}
    for one in cells.all():
        key = one["game"], one["opponent"], one["limit"]
        groups.setdefault(key, {}).setdefault(one["kind"], []).append(one)
    lines = []
    for (name, opponent, limit), runs in groups.items():
        kinds = [kind for kind in KINDS if kind in runs]
        lines += [f"{name} against {opponent}, both {limit}", ""]
        lines += ["| matches | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 1) + "|"]
        points = {kind: np.array([one["points"] for one in runs[kind]]) for kind in kinds}
        for first in range(0, points[kinds[0]].shape[1], window):
            parts = [points[kind][:, first : first + window] for kind in kinds]
            cells_ = [
                f"{100 * own.mean():.1f} ± {196 * own.std(ddof=1) / own.size**0.5:.1f} %"
                for own in parts
            ]
            lines.append(f"| {first + 1} to {first + parts[0].shape[1]} | {' | '.join(cells_)} |")
        rows: dict[str, list[str]] = {
            f"the last {LAST}, run by run": [
                " ".join(f"{100 * own[-LAST:].mean():.0f}" for own in points[kind])
                for kind in kinds
            ],
            f"deepest fall of {PAIRS} pairs": [
                f"{100 * deepest_fall(points[kind]):.0f}" for kind in kinds
            ],
            "distinct matches": [
                f"{sum(one['distinct'] for one in runs[kind])} of {points[kind].size}"
                for kind in kinds
            ],
            "processor seconds a run": [
                f"{np.mean([one['seconds'] for one in runs[kind]]):.0f}" for kind in kinds
            ],
        }
        lines += [f"| {text} | {' | '.join(row)} |" for text, row in rows.items()]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, or print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=["pentago", "qubic"])
    parser.add_argument("--opponent", default=MARGIN, help="its evaluator, as in player strings")
    parser.add_argument("--move-seconds", type=float, help="think so long instead of one ply")
    parser.add_argument("--kinds", nargs="+", default=["learner", "untrained"], choices=KINDS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--window", type=int, default=50)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", action="store_true", help="only print the tables")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print figures as one JSON object")
    parser.add_argument("--picture", type=Path, help="draw figure 2 there")
    options = parser.parse_args()
    cells = Cells(options.out)
    torch.set_num_threads(1)
    pause = options.move_seconds
    limit = f"seconds={pause}" if pause else "depth=1"
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        for name in [] if options.report else options.games:
            for kind in options.kinds:
                cell = f"{name}-{options.opponent}-{limit}-{kind}-{seed}"
                if cells.has(cell):
                    continue
                progress(cell)
                game, began = Game.load(name), time.process_time()
                common = seed, options.matches
                if kind == "paper":
                    points, distinct = published(game, options.opponent, pause, *common)
                else:
                    points, distinct = played(game, options.opponent, limit, *common, kind)
                cells.put(
                    cell,
                    {
                        "game": name,
                        "opponent": options.opponent,
                        "limit": limit,
                        "seed": seed,
                        "kind": kind,
                        "points": points,
                        "distinct": distinct,
                        "seconds": time.process_time() - began,
                    },
                )
    found: dict[str, list[list[float]]] = {}
    for one in cells.all():
        found.setdefault(f"{one['game']} {one['kind']}", []).append(one["points"])
    rows = {name: np.array(own) for name, own in found.items()}
    if options.picture is not None:
        draw(rows, options.picture)
    if options.json:
        print(json.dumps({name: figures(own) for name, own in rows.items()}))
    else:
        print(report(cells, options.window))


if __name__ == "__main__":
    main()
