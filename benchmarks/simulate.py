"""Random playouts per second, game by game and backend by backend.

python benchmarks/simulate.py tictactoe connectfour --backends torch llvm --lanes 1024 16384
"""

from __future__ import annotations

import argparse
import statistics
import time

import torch

from neurogame.kernels.backend import backend_names
from neurogame.kernels.playout import PlayoutRun
from neurogame.simulate.game import Game
from neurogame.simulate.playouts import MAX_LANES, playouts

RUNS = 3
SECONDS = 0.5
FIRST_STEPS = 20


def measure(name: str, backend: str, lanes: int, threads: int) -> None:
    """Print the median rate of a few runs; lanes restart, so every step of a lane is work."""
    simulator = Game.load(name).simulator()
    start = time.perf_counter()
    kernel = simulator.playout_kernel(backend)
    kernel.run(PlayoutRun(seed=0, lanes=1, steps=1))
    ready = time.perf_counter() - start

    def run(steps: int, seed: int) -> tuple[float, float, float]:
        """Return the seconds of a run, its plies per second and its games per second."""
        start = time.perf_counter()
        found = playouts(
            simulator, None, seed, steps=steps, lanes=lanes, threads=threads, backend=backend
        )
        seconds = time.perf_counter() - start
        return seconds, found.plies / seconds, found.games / seconds

    # As many steps as fill the time; the first run fills caches.
    run(FIRST_STEPS, 0)
    steps = max(round(FIRST_STEPS * SECONDS / run(FIRST_STEPS, 0)[0]), FIRST_STEPS)
    rates = [run(steps, seed)[1:] for seed in range(RUNS)]
    plies, games = (statistics.median(rate) for rate in zip(*rates, strict=True))
    print(
        f"{name.rpartition('/')[2]:26s} {kernel.name:14s} {lanes:9,d} {plies / 1e6:10.2f} "
        f"{games:14,.0f} {ready:8.2f}",
        flush=True,
    )


def main() -> None:
    """Measure the games named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=["tictactoe", "connectfour", "breakthrough"])
    parser.add_argument("--backends", nargs="*", default=["auto"], choices=backend_names())
    parser.add_argument("--lanes", nargs="*", type=int, default=[MAX_LANES])
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(
        f"{'game':26s} {'backend':14s} {'lanes':>9s} {'M plies/s':>10s} {'games/s':>14s} "
        f"{'ready s':>8s}"
    )
    for name in options.games:
        for backend in options.backends:
            for lanes in options.lanes:
                measure(name, backend, lanes, options.threads)


if __name__ == "__main__":
    main()
