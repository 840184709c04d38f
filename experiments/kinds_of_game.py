"""Does every kind of game learn: three and more roles, both at once, chance, cooperation, one role?

    python experiments/kinds_of_game.py --out runs/kinds
    python experiments/kinds_of_game.py --out runs/kinds --report

The recipe learns on one processor core. One ply ahead, what it has learned then sits in each role
in turn, all others being the untrained goal networks; the untrained networks sit there, too, with
the same openings and seeds. Told are the mean goals of both, the share of games won (a draw counts
half; of three equal players each wins about a third), and, for games that are won together, the
mean goal when all roles have learned. In games of one role both play alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from cells import Cells, progress
from snapshots import snapshots

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.learn.comparison import Comparison, compare
from neurogame.simulate.game import Game

KINDS: dict[str, tuple[str, ...]] = {
    "three and more roles": (
        "tictactoe3p",
        "tictactoe4p",
        "../shared/games/chineseCheckers3.kif",
        "../shared/games/cubicup_3player.kif",
    ),
    "both at once": (
        "connectfour_simultaneous",
        "bidding_tictactoe",
        "../shared/games/doubletictactoe.kif",
        "../shared/games/blocker.kif",
    ),
    "chance": ("pig", "einstein"),
    "together": ("fishery", "pursuit", "prisoners"),
    "one role": ("eightpuzzle", "lightsout", "pegs", "../shared/games/asteroids.kif"),
}
FRESH = 80_000


def measured(game: Game, seed: int, seconds: float, matches: int, plies: int) -> dict[str, Any]:
    """Learn once, and return what it was worth in each role and in all of them."""
    (snapshot,) = snapshots(game, {}, seed, [seconds])
    learned, untrained = snapshot.evaluator, make_evaluator(game, seed=seed).requires_grad_(False)

    def against(one: Evaluator, other: Evaluator | None) -> Comparison:
        return compare(game, one, other, matches=matches, seed=FRESH + seed, opening_plies=plies)

    return {
        "seconds": snapshot.seconds,
        "games": snapshot.games,
        "learned": against(learned, untrained).to_json(),
        "untrained": against(untrained, untrained).to_json(),
        "all learned": against(learned, learned).to_json(),
    }


def report(cells: Cells) -> str:
    """Return the table of all finished cells."""
    lines = [
        "| kind | game | roles | games learned from | goal, untrained | learned | all learned "
        "| won, untrained, % | learned |",
        "|---" * 9 + "|",
    ]
    order = list(KINDS)
    for one in sorted(cells.all(), key=lambda cell: order.index(cell["kind"])):
        goals = [f"{one[who]['mean_goal']:.1f}" for who in ("untrained", "learned", "all learned")]
        won = [
            f"{100 * one[who]['score']:.1f} [{100 * one[who]['low']:.0f}, "
            f"{100 * one[who]['high']:.0f}]"
            for who in ("untrained", "learned")
        ]
        cells_of = (one["kind"], one["game"], one["roles"], f"{one['games']:,}", *goals, *won)
        lines.append("| " + " | ".join(map(str, cells_of)) + " |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is missing, or print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30.0, help="processor seconds of learning")
    parser.add_argument("--seed", type=int, default=900)
    parser.add_argument("--matches", type=int, default=120)
    parser.add_argument("--plies", type=int, default=2, help="random plies at the start")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", action="store_true", help="only print the table")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    cells = Cells(options.out)
    for kind in [] if options.report else options.kinds:
        for name in KINDS[kind]:
            game_name = Path(name).stem
            if cells.has(game_name):
                continue
            progress(f"{game_name}, {kind}")
            game = Game.load(name)
            found = measured(game, options.seed, options.seconds, options.matches, options.plies)
            row = {"game": game_name, "kind": kind, "roles": len(game.players), **found}
            cells.put(game_name, row)
    print(report(cells))


if __name__ == "__main__":
    main()
