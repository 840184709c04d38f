"""Is a heuristic of one feature worth its search, and its choice anew for each move?

Kuhlmann and Stone's player against blind alpha-beta, which values all states alike that are not
terminal; against its own heuristic that random games rank first, which stays throughout the match;
and that one against blind alpha-beta. All have the same time for each move on one core; every match
begins with an opening of exactly four random plies, and each opening is played in both roles.

    python experiments/heuristic_player.py --out runs/heuristic --matches 200 --seconds 0.2
    python experiments/heuristic_player.py --out runs/heuristic --report

Each finished pairing of a game is kept in the folder, so the command can be given again after it
was stopped. Intervals are of 95 %, and know that matches from one opening belong together.

*Reference:* Kuhlmann and Stone, "Automatic heuristic construction for general game playing",
sections "Approach" and "Results".
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from cells import Cells, progress
from heuristic_search import ManyHeuristicsPlayer

from neurogame.arena.series import play_series
from neurogame.players.heuristic.player import HeuristicPlayer
from neurogame.players.match_settings import MatchSettings
from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game

GAMES = ("nothello", "breakthrough6", "breakthrough", "checkers6", "reversi6")
OPENING = 4
FULL, FIXED, BLIND = "heuristics", "heuristic", "alphabeta:blind"
"""Chosen anew for each move (:mod:`heuristic_search`), the first one alone, and none."""
PAIRINGS = {
    "heuristics against blind search": (FULL, BLIND),
    "the first one alone against blind search": (FIXED, BLIND),
    "heuristics against the first one alone": (FULL, FIXED),
}


@final
@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Under which players meet.

    Attributes:
        matches: of each pairing, best a multiple of the number of roles.
        seconds: for each move.
        seed: of openings and everything else.
    """

    matches: int
    seconds: float
    seed: int


def run(game: Game, pairing: str, conditions: Conditions) -> dict[str, Any]:
    """Play one pairing, and return what it came to for the first player."""
    limit = Limit(seconds=conditions.seconds)
    names = [f"{name},foresight=off,seconds={conditions.seconds:g}" for name in PAIRINGS[pairing]]
    players = [
        ManyHeuristicsPlayer(limit) if kind == FULL else make_player(name)
        for kind, name in zip(PAIRINGS[pairing], names, strict=True)
    ]
    for one in players:
        one.start(MatchStart(game, game.players[0], conditions.seed))
        one.stop()
    kinds = (HeuristicPlayer, ManyHeuristicsPlayer)
    ranks = [one.report for one in players if isinstance(one, kinds)]
    found = play_series(
        game,
        players,
        conditions.matches,
        conditions.seed,
        settings=MatchSettings(opening_plies=OPENING),
        progress=True,
    )
    low, high = found.win_rates_ci95[0]
    return {
        "game": game.name,
        "pairing": pairing,
        "players": names,
        "seconds": conditions.seconds,
        "seed": conditions.seed,
        "matches": found.matches,
        "wins": found.wins[0],
        "draws": found.draws[0],
        "losses": found.losses[0],
        "score": found.win_rates[0],
        "low": low,
        "high": high,
        "distinct": found.distinct_games,
        "openings": found.openings,
        "ranked": ranks[0],
    }


def report(cells: Cells) -> str:
    """Return the table of all finished pairings, and which heuristics come first."""
    found = cells.all()
    lines = [
        "| game | pairing | seconds | won, drawn, lost | score, % (95 %) | distinct |",
        "|---|---|---|---|---|---|",
    ]
    for one in found:
        lines.append(
            f"| {one['game']} | {one['pairing']} | {one['seconds']:g} "
            f"| {one['wins']}, {one['draws']}, {one['losses']} "
            f"| {100 * one['score']:.1f} ({100 * one['low']:.1f} to {100 * one['high']:.1f}) "
            f"| {one['distinct']} |"
        )
    ranked = {one["game"]: one["ranked"] for one in found}
    for name, text in ranked.items():
        lines += ["", f"{name}: {text}"]
    return "\n".join(lines)


def main() -> None:
    """Play what is missing, or print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    every = range(len(PAIRINGS))
    parser.add_argument("--pairings", nargs="*", type=int, choices=every, default=list(every))
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=80_000)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--json", action="store_true", help="print figures as one JSON object")
    parser.add_argument("--report", action="store_true", help="only print the table")
    options = parser.parse_args()
    cells = Cells(options.out)
    conditions = Conditions(matches=options.matches, seconds=options.seconds, seed=options.seed)
    for name in [] if options.report else options.games:
        for number, pairing in enumerate(PAIRINGS):
            if number not in options.pairings:
                continue
            cell = f"{Path(name).stem}-{number}"
            if not cells.has(cell):
                progress(f"{name}: {pairing}")
                cells.put(cell, run(Game.load(name), pairing, conditions))
    print(report(cells))
    if options.json:
        print(
            json.dumps(
                {
                    f"{one['game']} {one['pairing']}": one | {"interval": [one["low"], one["high"]]}
                    for one in cells.all()
                }
            )
        )


if __name__ == "__main__":
    main()
