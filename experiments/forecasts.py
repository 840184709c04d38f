"""What values of trained evaluators are worth as forecasts of fresh games, and what that costs.

The games are those by which a training run measures its releases, ``--times`` as many, or with
``--epsilon`` as many games with random moves from the first ply to the last instead::

    python experiments/forecasts.py checkpoints/*.pt
    python experiments/forecasts.py checkpoints/connectfour.pt --times 10
    python experiments/forecasts.py checkpoints/connectfour.pt --epsilon 0.1
"""

from __future__ import annotations

import argparse
import time
from unittest.mock import patch

from neurogame.arena import forecasts as module
from neurogame.arena.forecasts import forecasts, forecasts_of
from neurogame.arena.positions import played_positions
from neurogame.arena.run_head import thirds
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.recipe import random_lengths


def main() -> None:
    """Print a table, a row for each checkpoint."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkpoints", nargs="+", metavar="CHECKPOINT", help="files")
    parser.add_argument("--times", type=int, default=1, help="how many times as many games")
    parser.add_argument("--epsilon", type=float, help="share of random moves in all of a game")
    parser.add_argument("--seed", type=int, default=1, help="decides the games")
    options = parser.parse_args()
    print("| game | games | nats | blind | off by | processor seconds |\n" + "|---" * 6 + "|")
    for name in options.checkpoints:
        held = load_checkpoint(name)
        game, evaluator = held.game(), held.evaluator()
        lengths = random_lengths(game)
        evaluator(game.initial_state().fluents[None])
        begun = time.process_time()
        if options.epsilon is None:
            most = {name: options.times * vars(module)[name] for name in ("_GAMES", "_LOOKED")}
            with patch.multiple(module, **most):
                found = forecasts(game, evaluator, options.seed, lengths=lengths)
        else:
            played = played_positions(
                game,
                evaluator,
                matches=300 * options.times,
                seed=options.seed,
                epsilon=options.epsilon,
            )
            found = forecasts_of(game, evaluator, played)
        seconds = time.process_time() - begun
        told = "– | – | – | –"
        if found is not None:
            off = f"{100 * found.off:.1f} %"
            told = f"{found.games} | {thirds(found.loss)} | {found.blind:.2f} | {off}"
        print(f"| {game.name} | {told} | {seconds:.2f} |", flush=True)


if __name__ == "__main__":
    main()
