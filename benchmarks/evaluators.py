"""Evaluators by plain torch and by the compiled kernel: batches, single states, training steps.

python -m benchmarks.evaluators tictactoe connectfour pentago --kinds cilp-paper cilp --json

One thread; seconds are those of the processor, medians of a few runs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor

from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.kernels.neural.backend import VARIABLE
from neurogame.kernels.neural.program import evaluate_one, make_space
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch

RUNS = 5
BATCHES = {"torch": 4096, "kernel": 65536}
SINGLES = 20_000


def seconds(work: Callable[[], object], repeat: int = 1) -> float:
    """Return the median of a few runs, after one that does not count."""
    work()
    found = []
    for _ in range(RUNS):
        start = time.process_time()
        for _ in range(repeat):
            work()
        found.append((time.process_time() - start) / repeat)
    return statistics.median(found)


@numba.njit
def one_by_one(program: Any, space: Any, states: Any, values: Any, count: int) -> None:
    """Evaluate states one after another, without Python."""
    for i in range(count):
        evaluate_one(program, space, states[i % len(states)], values)


def inside_compiled_code(evaluator: GoalNetworks, states: Tensor) -> float:
    """Return the seconds that one state takes a search that is compiled itself."""
    program = evaluator.program()
    assert program is not None
    everything = evaluator.reasoner(states[:256])
    flags = np.zeros((len(everything), 64 * (program.columns // 64 + 1)), np.uint8)
    flags[:, : program.columns] = everything.numpy()
    packed = np.packbits(flags, axis=1, bitorder="little").view(np.int64)
    space, values = make_space(program), np.zeros(evaluator.role_count, np.float32)
    return seconds(lambda: one_by_one(program, space, packed, values, SINGLES)) / SINGLES


def training_step(evaluator: GoalNetworks, states: Tensor) -> float | None:
    """Return the seconds of forward, backward and optimiser, if there is something to train."""
    parameters = [p for p in evaluator.parameters() if p.requires_grad]
    if not parameters:
        return None
    optimiser = torch.optim.Adam(parameters, lr=1e-3)
    targets = torch.rand(len(states), evaluator.role_count)

    def step() -> None:
        optimiser.zero_grad()
        (evaluator(states) - targets).square().sum(dim=1).mean().backward()
        optimiser.step()

    return seconds(step)


def measure(game: Game, kind: str, backend: str, step_size: int) -> dict[str, Any]:
    """Return one row: a game, a kind of evaluator and what computes it."""
    os.environ[VARIABLE] = backend
    evaluator = make_evaluator(game, kind)
    assert isinstance(evaluator, GoalNetworks)
    generator = torch.Generator().manual_seed(0)
    flags = torch.rand(BATCHES[backend], len(game.fluents), generator=generator) < 0.3
    words, one = StateBatch.from_bool(flags), flags[:1]
    with torch.no_grad():
        by_words = seconds(lambda: evaluator.values(words)) / len(flags)
        by_flags = seconds(lambda: evaluator(flags)) / len(flags)
        call = seconds(lambda: evaluator(one), repeat=20)
    program = evaluator.program() if backend == "kernel" else None
    wiring = evaluator.wiring
    return {
        "game": game.name,
        "kind": kind,
        "backend": backend,
        "neurons": wiring.valued_units,
        "weights": int(wiring.start[wiring.valued_units]),
        "tables": None if program is None else len(program.network.tables),
        "states_per_second": 1 / by_words,
        "states_per_second_unpacked": 1 / by_flags,
        "single_seconds": None if program is None else inside_compiled_code(evaluator, flags),
        "call_seconds": call,
        "step_seconds": training_step(evaluator, flags[:step_size]),
    }


def text(row: dict[str, Any], twin: dict[str, Any]) -> str:
    """Return a row with its ratios to the torch twin."""

    def figure(value: float | None, scale: float, form: str) -> str:
        return "-" if value is None else format(value * scale, form)

    step, twin_step = row["step_seconds"], twin["step_seconds"]
    ratio = "-" if step is None else f"{twin_step / step:.1f}"
    faster = row["states_per_second"] / twin["states_per_second"]
    return (
        f"{row['game'].rpartition('/')[2]:22s} {row['kind']:7s} {row['backend']:7s} "
        f"{row['neurons']:7,d} {row['weights']:8,d} {row['states_per_second'] / 1e6:9.3f} "
        f"{row['states_per_second_unpacked'] / 1e6:9.3f} {faster:7.0f} "
        f"{figure(row['single_seconds'], 1e6, '.2f'):>7s} {row['call_seconds'] * 1e6:8.0f} "
        f"{figure(step, 1e3, '.2f'):>8s} {ratio:>6s}"
    )


def main() -> None:
    """Measure the games named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=["tictactoe", "connectfour", "pentago"])
    parser.add_argument("--kinds", nargs="*", default=["cilp-paper", "cilp"])
    parser.add_argument("--step-size", type=int, default=4096, help="states per training step")
    parser.add_argument("--json", action="store_true", help="print rows as JSON lines")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if not options.json:
        print(
            f"{'game':22s} {'kind':7s} {'backend':7s} {'neurons':>7s} {'weights':>8s} "
            f"{'M/s':>9s} {'unpacked':>9s} {'ratio':>7s} {'one us':>7s} {'call us':>8s} "
            f"{'step ms':>8s} {'ratio':>6s}"
        )
    for name in options.games:
        game = Game.load(name)
        for kind in options.kinds:
            rows = [measure(game, kind, backend, options.step_size) for backend in BATCHES]
            for row in rows:
                print(json.dumps(row) if options.json else text(row, rows[0]), flush=True)


if __name__ == "__main__":
    main()
