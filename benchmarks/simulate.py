"""Random playouts per second, game by game and batch by batch, on one thread.

python benchmarks/simulate.py tictactoe connectfour --batches 1024 16384 131072
"""

from __future__ import annotations

import argparse
import statistics
import time

import torch

from neurogame.simulate.game import Game
from neurogame.simulate.playouts import stream

RUNS = 3


def measure(name: str, lanes: int | None) -> None:
    """Print the median rate of a few runs; lanes restart, so every step of a lane is work."""
    simulator = Game.load(name).simulator()
    size = lanes or simulator.good_batch
    rates = []
    for run in range(RUNS):
        start = time.perf_counter()
        found = stream(simulator, size, 150, seed=run)
        rates.append(found.plies / (time.perf_counter() - start))
    rate = statistics.median(rates)
    print(
        f"{name.rpartition('/')[2]:26s} {size:9,d} {rate / 1e6:10.2f} "
        f"{rate / max(found.mean_length, 1):14,.0f} {found.mean_length:8.2f}",
        flush=True,
    )


def main() -> None:
    """Measure the games named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=["tictactoe", "connectfour", "breakthrough"])
    parser.add_argument("--batches", nargs="*", type=int, default=[None])
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{'game':26s} {'lanes':>9s} {'M plies/s':>10s} {'games/s':>14s} {'length':>8s}")
    for name in options.games:
        for lanes in options.batches:
            measure(name, lanes)


if __name__ == "__main__":
    main()
