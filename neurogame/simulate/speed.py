"""How fast a game starts and plays on a backend of random playouts."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import final

import torch

from neurogame.ground.limits import peak_memory_mb
from neurogame.kernels.backend import named_backends
from neurogame.kernels.backends import resolve_backend
from neurogame.kernels.playout import PlayoutKernel, PlayoutRun
from neurogame.simulate.game import Game

_LANES = 16384
_FEWEST_LANES = 2048
"""More than one block of every compiled kernel."""
_ENOUGH_STEPS = 400
_FIRST_STEPS = 20
_LONG_GAME = 200


@final
@dataclass(frozen=True, kw_only=True)
class StartCost:
    """How a game began to play, in a process of its own.

    Attributes:
        seconds: from the text of the rules to the end of the first playout; importing this
            package is not counted. By the clock on the wall.
        cpu_seconds: the same in processor time: what an idle machine would take, about.
        kernel_seconds: what making the kernel took of it: optimising, scheduling and compiling; 0
            from the cache, None where a backend does not tell.
        peak_mb: most resident memory of the process, in MiB.
    """

    seconds: float
    cpu_seconds: float
    kernel_seconds: float | None
    peak_mb: float


@final
@dataclass(frozen=True, kw_only=True)
class Speed:
    """How fast lanes play that restart.

    Attributes:
        backend: what played.
        plies_per_second: median of the runs; of processor time if one CPU thread played, else of
            time by the clock on the wall.
        plies_per_second_runs: all runs, in order.
        mean_length: mean plies of random games, all of them finished.
        gates: gates per ply, those of the goals included; None where a backend does not tell.
        accesses: loads and stores of vectors per ply; None likewise.
        vector_lanes: lanes of a vector; None likewise.
    """

    backend: str
    plies_per_second: float
    plies_per_second_runs: tuple[float, ...]
    mean_length: float
    gates: int | None
    accesses: tuple[int, int] | None
    vector_lanes: int | None


def measure_start(
    rules: str | Path, backend: str, device: str = "cpu"
) -> tuple[StartCost, PlayoutKernel]:
    """Start a game up to its first playout; what the cache holds is used.

    Args:
        rules: library name or path.
        backend: see :mod:`~neurogame.kernels.backends`.
        device: torch device.
    """
    torch.set_num_threads(1)
    implementation, _ = named_backends()[resolve_backend(backend, device)]
    import_module(implementation.playouts.partition(":")[0])
    start, cpu_start = time.perf_counter(), time.process_time()
    kernel = Game.load(rules).simulator(device).playout_kernel(backend)
    kernel.run(PlayoutRun(seed=0, lanes=1, games=1))
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    made = _compiled(kernel)
    return (
        StartCost(
            seconds=seconds,
            cpu_seconds=cpu_seconds,
            kernel_seconds=None if made is None else made.seconds,
            peak_mb=peak_memory_mb(),
        ),
        kernel,
    )


def measure_speed(
    kernel: PlayoutKernel, *, seconds: float = 0.5, runs: int = 5, threads: int = 1
) -> Speed:
    """Measure playouts.

    Args:
        kernel: of a game.
        seconds: how long a run takes, about.
        runs: number of runs, at least 1.
        threads: threads that play.
    """
    # A GPU's time is none of the processor's.
    alone = threads == 1 and kernel.name != "cuda"
    clock = time.process_time if alone else time.perf_counter

    def rate(plan: PlayoutRun) -> float:
        start = clock()
        played = kernel.run(plan).played
        return played / max(clock() - start, 1e-9)

    # The first run fills caches; the second one tells how long the others are to be.
    first = [rate(PlayoutRun(seed=0, lanes=_LANES, steps=_FIRST_STEPS)) for _ in range(2)][1]
    lanes = _LANES * threads
    # Blocks of lanes are played one after another, so fewer of them are as fast; what is played
    # must be games, not openings.
    while (
        kernel.name.startswith("llvm")
        and lanes > _FEWEST_LANES * threads
        and first * seconds < _ENOUGH_STEPS * lanes
    ):
        lanes //= 2
    steps = max(round(first * seconds / lanes), _FIRST_STEPS)
    rates = [
        rate(PlayoutRun(seed=seed, lanes=lanes, steps=steps, threads=threads))
        for seed in range(runs)
    ]
    games = 64 * max(min(round(first * seconds / _LONG_GAME), lanes) // 64, 1)
    whole = kernel.run(PlayoutRun(seed=0, lanes=games, games=games, threads=threads))
    made = _compiled(kernel)
    return Speed(
        backend=kernel.name,
        plies_per_second=statistics.median(rates),
        plies_per_second_runs=tuple(rates),
        mean_length=whole.played / whole.games,
        gates=None if made is None else made.gates,
        accesses=None if made is None else made.accesses,
        vector_lanes=None if made is None else made.vector_lanes,
    )


@final
@dataclass(frozen=True)
class _Compiled:
    """What a compiled kernel tells of itself."""

    seconds: float
    gates: int
    accesses: tuple[int, int]
    vector_lanes: int


def _compiled(kernel: PlayoutKernel) -> _Compiled | None:
    """Return what a kernel tells of itself, if it was compiled for this processor."""
    if not kernel.name.startswith("llvm"):
        return None
    from neurogame.kernels.codegen.playouts import LlvmPlayouts

    assert isinstance(kernel, LlvmPlayouts)
    made = kernel.kernel()
    return _Compiled(made.seconds, made.gates, made.accesses, 64 * made.vector_words)
