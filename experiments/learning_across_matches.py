"""Does a player that learns after each match get better against an opponent that does not?

The setting of Michulke and Thielscher (2009): 500 matches, learning after each, against a fixed
opponent. Alpha-beta begins with untrained C-IL²P networks and learns into a file; the opponent is
the same untrained player. Roles alternate. Every match begins with two random plies of its own, or
two such players would play the same match again and again.

    python experiments/learning_across_matches.py tictactoe connectfour5 breakthrough6

prints, for windows of 50 matches, the points of the learner with a 95 % interval over the matches
of all seeds (matches of one seed share a learner and are not independent, so it is too narrow for
statements about other seeds), each seed's own points, and the points of an untrained player on the
same openings.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.players import make_player
from neurogame.simulate.game import Game


def points(game: Game, text: str, depth: int, seed: int, matches: int) -> list[float]:
    """Return the goals, 0..1, of a player in each match against the fixed opponent.

    Args:
        game: of two roles.
        text: the player.
        depth: plies that the opponent looks ahead.
        seed: of everything.
        matches: how many, with roles in turn.
    """
    player = make_player(text, game)
    other = make_player(f"alphabeta:cilp,depth={depth}", game)
    found = []
    for number in range(matches):
        role = number % 2
        seats = [player, other] if role == 0 else [other, player]
        settings = MatchSettings(opening_plies=2)
        record = play_match(game, seats, seed=seed * 100_000 + number, settings=settings)
        found.append(record.goals[role] / 100)
    return found


def main() -> None:
    """Print the table of each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=["tictactoe", "connectfour5", "breakthrough6"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--window", type=int, default=50)
    parser.add_argument("--depth", type=int, default=1)
    options = parser.parse_args()
    for name in options.games:
        game, began = Game.load(name), time.perf_counter()
        learned, untrained = [], []
        for seed in range(options.seeds):
            with tempfile.TemporaryDirectory() as folder:
                text = f"alphabeta:cilp,depth={options.depth}"
                path = Path(folder) / "learned.pt"
                common = (options.depth, seed, options.matches)
                learned.append(points(game, f"{text},learn={path}", *common))
                untrained.append(points(game, text, *common))
        seconds = time.perf_counter() - began
        print(f"{name}, depth {options.depth}, {options.seeds} seeds, {seconds:.0f} s", flush=True)
        with_learning, without = np.array(learned), np.array(untrained)
        for first in range(0, options.matches, options.window):
            own = with_learning[:, first : first + options.window]
            error = 1.96 * own.std(ddof=1) / own.size**0.5
            each = " ".join(f"{100 * mean:3.0f}" for mean in own.mean(axis=1))
            base = without[:, first : first + options.window].mean()
            last = min(first + options.window, options.matches)
            print(
                f"{first + 1:4d}-{last:4d}: {100 * own.mean():5.1f} ± {100 * error:4.1f} % "
                f"(seeds {each}; untrained {100 * base:5.1f} %)",
                flush=True,
            )


if __name__ == "__main__":
    main()
