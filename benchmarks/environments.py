"""How many steps a second do games make as a vectorised environment?

python -m benchmarks.environments connectfour tictactoe --num-envs 4096 65536

The role's moves are drawn among its legal ones, which is not timed; seconds are those of the
processor, the best of five series.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

from neurogame.envs import vector
from neurogame.simulate.game import Game


def steps_per_second(game: Game, num_envs: int, steps: int) -> float:
    """Return environment steps per processor second, of all lanes together."""
    env, random = vector(game, num_envs), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    best = 0.0
    for _ in range(5):
        spent = 0.0
        for _ in range(steps):
            drawn = 1 - random.random(info["action_mask"].shape, np.float32)
            moves = (drawn * info["action_mask"]).argmax(axis=1)
            begun = time.process_time()
            _, _, _, _, info = env.step(moves)
            spent += time.process_time() - begun
        best = max(best, steps * num_envs / spent)
    return best


def main() -> None:
    """Measure all games and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="+")
    parser.add_argument("--num-envs", nargs="+", type=int, default=[4096, 65536])
    parser.add_argument("--steps", type=int, default=50)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| game | " + " | ".join(f"{count:,} games" for count in options.num_envs) + " |")
    print("|---" * (1 + len(options.num_envs)) + "|")
    for name in options.games:
        game = Game.load(name)
        rates = [steps_per_second(game, count, options.steps) for count in options.num_envs]
        print(f"| {name} | " + " | ".join(f"{rate / 1e6:.2f} M" for rate in rates) + " |")


if __name__ == "__main__":
    main()
