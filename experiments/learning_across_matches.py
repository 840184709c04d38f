"""Does a player that learns after each match get better against an opponent that does not?

The setting of Michulke and Thielscher (2009), Table 2 and figure 2: 500 matches, learning after
each, against a fixed opponent. Alpha-beta begins with untrained C-IL²P networks and learns into a
file (`learn=FILE`); the opponent is alpha-beta with `fluxplayer` or with the same untrained
networks. Both look one ply ahead, or both think for the same time (`--move-seconds`). Roles
alternate. Every match begins with two random plies of its own, or two such players would play the
same match again and again.

    python experiments/learning_across_matches.py --out runs/across tictactoe pentago qubic
    python experiments/learning_across_matches.py --out runs/across --kinds paper pentago qubic
    python experiments/learning_across_matches.py --out runs/across --report

`--kinds` says who plays: the `learner`, the `untrained` player on the same openings, or `paper`:
the published rule (`neurogame train --recipe paper`), W = 1 and plain gradient steps; or
`self-play`: the recipe of `neurogame train`, which plays against itself for 0.1 s of the processor
after each match, begins with nothing, and does not look at the matches. The tables
give the points of each in windows of matches, with a 95 % interval over the matches of all seeds
(those of one seed share a learner, so it is too narrow for statements about other seeds), each
seed's points over the last 200 matches, and how far the mean of ten pairs of matches, pooled over
the seeds, ever fell below its former peak. A finished run stays in the folder.

*Reference:* Michulke and Thielscher, "Neural networks for state evaluation in general game playing"
(2009), sections 4.1 and 4.2.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cells import Cells, progress

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
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game

KINDS = ("learner", "paper", "untrained", "self-play")
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
        text = f"alphabeta:cilp,{limit}"
        player: Player
        if learner is not None:
            averaged = learner.averaged
            own_limit = Limit.from_texts(dict([limit.split("=")]))
            outfit = Outfit(name="alphabeta", limit=own_limit, source=lambda _game, _seed: averaged)
            player = AlphaBetaPlayer(outfit)
        else:
            learns = f",learn={Path(folder) / 'l.pt'}" if kind == "learner" else ""
            player = make_player(text + learns, game)
        other = make_player(f"alphabeta:{opponent},{limit}", game)
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
        opponent=opponent,
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


def deepest_fall(points: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    """Return how far the mean over ten pairs of matches falls below its former peak, 0..1.

    Args:
        points: of each seed and match; ``[S, N]``.
    """
    pairs = points[:, : points.shape[1] // 2 * 2].reshape(len(points), -1, 2).mean(axis=(0, 2))
    if len(pairs) < PAIRS:
        return float("nan")
    means = np.convolve(pairs, np.ones(PAIRS) / PAIRS, mode="valid")
    return float((np.maximum.accumulate(means) - means).max())


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
    parser.add_argument("--opponent", default="fluxplayer", choices=["fluxplayer", "cilp"])
    parser.add_argument("--move-seconds", type=float, help="think so long instead of one ply")
    parser.add_argument("--kinds", nargs="+", default=["learner", "untrained"], choices=KINDS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--window", type=int, default=50)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", action="store_true", help="only print the tables")
    options = parser.parse_args()
    cells = Cells(options.out)
    torch.set_num_threads(1)
    pause = options.move_seconds
    limit = f"seconds={pause}" if pause else "depth=1"
    for seed in range(options.seeds):
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
    print(report(cells, options.window))


if __name__ == "__main__":
    main()
