"""Does a player that learns after each match get better against an opponent that does not?

The setting of Michulke and Thielscher (2009), Table 2 and figure 2: 500 matches, learning after
each, against a fixed opponent. Alpha-beta begins with untrained C-IL²P networks and learns into a
file (`learn=FILE`); the opponent is alpha-beta with `fluxplayer` or with the same untrained
networks. Both look one ply ahead, or both think for the same time (`--move-seconds`). Roles
alternate. Every match begins with two random plies of its own, or two such players would play the
same match again and again.

    python experiments/learning_across_matches.py --out runs/across tictactoe pentago qubic
    python experiments/learning_across_matches.py --out runs/across --report

prints the points of the learner in windows of matches, with a 95 % interval over the matches of all
seeds (those of one seed share a learner, so it is too narrow for statements about other seeds),
each seed's points over the last 200 matches, the points of an untrained player on the same
openings, and how far the mean of ten pairs of matches, pooled over the seeds, ever fell below its
former peak. A finished run stays in the folder.

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

from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.players import make_player
from neurogame.simulate.game import Game

LAST = 200
PAIRS = 10


def run(
    game: Game, opponent: str, limit: str, seed: int, matches: int, *, learn: bool
) -> dict[str, Any]:
    """Return the goals, 0..1, of a player in each match against the fixed opponent.

    Args:
        game: of two roles.
        opponent: its evaluator.
        limit: of both players, as in player strings.
        seed: of everything.
        matches: how many, with roles in turn.
        learn: whether the player learns.
    """
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        text = f"alphabeta:cilp,{limit}"
        player = make_player(f"{text},learn={Path(folder) / 'l.pt'}" if learn else text, game)
        other = make_player(f"alphabeta:{opponent},{limit}", game)
        points, seen, began = [], set(), time.process_time()
        for number in range(matches):
            role = number % 2
            seats = [player, other] if role == 0 else [other, player]
            settings = MatchSettings(opening_plies=2)
            record = play_match(game, seats, seed=seed * 100_000 + number, settings=settings)
            points.append(record.goals[role] / 100)
            seen.add((role, str(record.moves)))
    return {
        "game": game.name,
        "opponent": opponent,
        "limit": limit,
        "seed": seed,
        "learn": learn,
        "points": points,
        "distinct": len(seen),
        "seconds": time.process_time() - began,
    }


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
    groups: dict[tuple[str, str, str], dict[bool, list[dict[str, Any]]]] = {}
    for one in cells.all():
        key = one["game"], one["opponent"], one["limit"]
        groups.setdefault(key, {True: [], False: []})[one["learn"]].append(one)
    lines = []
    for (name, opponent, limit), runs in groups.items():
        if not runs[True]:
            continue
        learned = np.array([one["points"] for one in runs[True]])
        untrained = np.array([one["points"] for one in runs[False]])
        each = " ".join(f"{100 * own[-LAST:].mean():.0f}" for own in learned)
        distinct = sum(one["distinct"] for one in runs[True])
        seconds = np.mean([one["seconds"] for one in runs[True]])
        lines += [
            f"{name} against {opponent}, both {limit}: {len(learned)} runs, {distinct} distinct of "
            f"{learned.size} matches, {seconds:.0f} processor seconds a run; the last {LAST} "
            f"matches of each run: {each} %; deepest fall below the peak of {PAIRS} pairs: "
            f"{100 * deepest_fall(learned):.0f} points",
            "",
            "| matches | learner | untrained |",
            "|---|---|---|",
        ]
        for first in range(0, learned.shape[1], window):
            own = learned[:, first : first + window]
            half = 1.96 * own.std(ddof=1) / own.size**0.5
            base = untrained[:, first : first + window] if untrained.size else np.zeros((0, 0))
            without = f"{100 * base.mean():.1f} %" if base.size else ""
            lines.append(
                f"| {first + 1} to {min(first + window, learned.shape[1])} "
                f"| {100 * own.mean():.1f} ± {100 * half:.1f} % | {without} |"
            )
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, or print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=["pentago", "qubic"])
    parser.add_argument("--opponent", default="fluxplayer", choices=["fluxplayer", "cilp"])
    parser.add_argument("--move-seconds", type=float, help="think so long instead of one ply")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--window", type=int, default=50)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", action="store_true", help="only print the tables")
    options = parser.parse_args()
    cells = Cells(options.out)
    limit = f"seconds={options.move_seconds}" if options.move_seconds else "depth=1"
    for seed in range(options.seeds):
        for name in [] if options.report else options.games:
            for learn in (True, False):
                kind = "learner" if learn else "untrained"
                cell = f"{name}-{options.opponent}-{limit}-{kind}-{seed}"
                if not cells.has(cell):
                    progress(cell)
                    common = Game.load(name), options.opponent, limit, seed, options.matches
                    cells.put(cell, run(*common, learn=learn))
    print(report(cells, options.window))


if __name__ == "__main__":
    main()
