"""How many steps a second do games make as a vectorised environment?

python -m benchmarks.environments connectfour tictactoe --num-envs 4096 65536
python -m benchmarks.environments connectfour tictactoe reversi --pgx OTHER/bin/python

The role's moves are drawn among its legal ones, which is not timed; seconds are those of the
processor. The medians of three series; with ``--pgx``, an interpreter that has pgx, each of ours is
followed by one of pgx's, on the same core.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import time
from pathlib import Path

import numpy as np
import torch

from neurogame.envs import vector
from neurogame.simulate.game import Game

PGX = {"connectfour": "connect_four", "tictactoe": "tic_tac_toe", "reversi": "othello"}
"""What games are called there."""


def steps_per_second(game: Game, num_envs: int, steps: int) -> float:
    """Return environment steps per processor second, of all lanes together."""
    env, random = vector(game, num_envs), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    spent = 0.0
    for number in range(-5, steps):  # the first compile
        drawn = 1 - random.random(info["action_mask"].shape, np.float32)
        moves = (drawn * info["action_mask"]).argmax(axis=1)
        begun = time.process_time()
        _, _, _, _, info = env.step(moves)
        spent += (time.process_time() - begun) * (number >= 0)
    return steps * num_envs / spent


def of_pgx(python: str, name: str, num_envs: int, steps: int) -> float:
    """Return the same of pgx's game of this name."""
    script = Path(__file__).with_name("environments_pgx.py")
    words = [python, str(script), str(num_envs), str(steps), PGX[name]]
    return float(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)


def main() -> None:
    """Measure all games and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="+")
    parser.add_argument("--num-envs", nargs="+", type=int, default=[4096, 65536])
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--pgx", metavar="PYTHON", help="interpreter that has pgx: measured, too")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if hasattr(os, "sched_setaffinity"):  # pgx's threads take no other core
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    who = ("", "pgx, ") if options.pgx else ("",)
    heads = [f"{one}{count:,} games" for count in options.num_envs for one in who]
    print(f"| game | {' | '.join(heads)} |\n" + "|---" * (1 + len(heads)) + "|")
    for name in options.games:
        game = Game.load(name)
        row = []
        for count in options.num_envs:
            rates: list[list[float]] = [[] for _ in who]
            for _ in range(3):
                rates[0].append(steps_per_second(game, count, options.steps))
                if options.pgx:
                    rates[1].append(of_pgx(options.pgx, name, count, options.steps))
            row += [f"{statistics.median(one) / 1e6:.2f} M" for one in rates]
        print(f"| {name} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
