"""Does a search answer in time? Percentiles of the answer times of searches with a limit of time.

python -m benchmarks.answer_times ../shared/games --games connectFour skirmish --searches 100

Every search starts from another random position with an empty tree; by default as many processes
as there are cores do nothing but keep the machine busy meanwhile.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.openings import Openings, play_opening
from neurogame.simulate.game import Game

GAMES = ("connectFour", "breakthrough", "skirmish")
PLAYERS = ("mcts", "mcts:lanes=1", "mcts:playout=mast,tree=rave", "alphabeta:cilp")
MOST_PLIES = 12


def _burn() -> None:
    """Keep one core busy."""
    while True:
        sum(range(10_000))


def answer_times(game: Game, player_text: str, limit: Limit, searches: int) -> list[float]:
    """Return the seconds that a player took for each of a number of random positions."""
    found = []
    for seed in tqdm(range(searches), desc=f"{game.name} {player_text}", leave=False):
        player = make_player(player_text, game, seed)
        random = np.random.default_rng(seed)
        state = play_opening(
            game, Openings(game, int(random.integers(MOST_PLIES)), seed, nodes=0)[0]
        )
        moves = [len(legal) for legal in state.legal_moves]
        player.start(MatchStart(game, int(np.argmax(moves)), seed))
        begun = time.perf_counter()
        player.choose(state, limit)
        found.append(time.perf_counter() - begun)
        player.stop()
    return found


def main() -> None:
    """Measure all games and players and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, help="folder of rulesheets")
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--players", nargs="+", default=list(PLAYERS))
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--load", type=int, default=os.cpu_count() or 1, help="busy processes")
    options = parser.parse_args()
    torch.set_num_threads(1)
    burners = [multiprocessing.Process(target=_burn, daemon=True) for _ in range(options.load)]
    for burner in burners:
        burner.start()
    limit = Limit(seconds=options.seconds)
    print("| game | player | searches | median s | 99th percentile s | longest s |")
    print("|---|---|---|---|---|---|")
    try:
        for name in options.games:
            game = Game.load(options.folder / f"{name}.kif")
            for text in options.players:
                times = np.array(answer_times(game, text, limit, options.searches))
                middle, high = np.percentile(times, [50, 99])
                print(
                    f"| {name} | {text} | {len(times)} | {middle:.3f} | {high:.3f} "
                    f"| {times.max():.3f} |",
                    flush=True,
                )
    finally:
        for burner in burners:
            burner.kill()


if __name__ == "__main__":
    main()
