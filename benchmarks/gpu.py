"""Random playouts and goal networks per second on a GPU; one command fills the whole table.

python benchmarks/gpu.py                                     # the games of docs/kernels.md
python benchmarks/gpu.py ticTacToe.kif chess --lanes 262144 4194304 --json gpu.jsonl

The first lines say on what was measured. ``build s`` is the time from the circuit to the netlist,
``compile s`` that of the first launch (Triton keeps machine code in a cache of its own: set
TRITON_ALWAYS_COMPILE=1 to see it again). Rates are medians of some runs.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from neurogame.errors import NeurogameError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.kernels.pack import pack
from neurogame.kernels.playout import PlayoutKernel, PlayoutRun
from neurogame.kernels.torch_playout import TorchPlayouts
from neurogame.simulate.game import Game

DEVICE = "cuda"
GAMES = ("tictactoe", "connectfour", "pentago", "breakthrough6", "breakthrough", "reversi")
BACKENDS = ("triton-straight", "triton-table", "torch")
EVALUATORS = ("cilp-paper", "cilp", "fuzzy")
RUNS = 5
SECONDS = 1.0
FIRST_STEPS = 32
"""Steps of the first runs; then as many as fill the time."""

Row = dict[str, Any]


def main() -> int:
    """Measure everything that was asked for; return 1 where there is no GPU."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES, help="library names or rulesheets")
    parser.add_argument("--backends", nargs="*", default=BACKENDS, choices=BACKENDS)
    parser.add_argument("--lanes", nargs="*", type=int, default=[1 << 16, 1 << 20, 1 << 23])
    parser.add_argument("--evaluators", nargs="*", default=EVALUATORS, choices=EVALUATORS)
    parser.add_argument("--states", type=int, default=1 << 16, help="states per batch (65536)")
    parser.add_argument("--json", type=Path, help="file that rows are appended to")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print(
            "there is no GPU that torch can use, so there is nothing to measure "
            f"(torch {torch.__version__}, CUDA {torch.version.cuda})",
            file=sys.stderr,
        )
        return 1
    found = machine()
    print("\n".join(f"{name}: {value}" for name, value in found.items()), flush=True)
    for row in rows(options):
        print("  ".join(f"{name} {shown(value)}" for name, value in row.items()), flush=True)
        if options.json:
            with options.json.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**found, **row}) + "\n")
    return 0


def machine() -> dict[str, str]:
    """Return on what, with what and how is measured."""
    properties = torch.cuda.get_device_properties(0)
    return {
        "device": f"{properties.name}, {properties.multi_processor_count} multiprocessors, "
        f"{properties.total_memory / 2**30:.0f} GiB, sm_{properties.major}{properties.minor}",
        "versions": f"torch {torch.__version__}, triton {version('triton')}, "
        f"CUDA {torch.version.cuda}, Python {platform.python_version()}",
        "command": " ".join(["python", *sys.argv]),
    }


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Yield the rows of the table; what cannot be measured says why."""
    for name in options.games:
        game = Game.load(name)
        for backend in options.backends:
            try:
                yield from playout_rows(game, backend, options.lanes)
            except (NeurogameError, RuntimeError) as error:
                yield {"game": game.name, "backend": backend, "error": str(error)}
        for kind in options.evaluators:
            try:
                yield evaluator_row(game, kind, options.states)
            except (NeurogameError, RuntimeError) as error:
                yield {"game": game.name, "evaluator": kind, "error": str(error)}


def playout_rows(game: Game, backend: str, lane_counts: list[int]) -> Iterator[Row]:
    """Yield the rates of one backend."""
    start = time.perf_counter()
    kernel = make_kernel(game, backend)
    built = time.perf_counter()
    kernel.run(PlayoutRun(seed=0, lanes=64, steps=1))
    ready = time.perf_counter()
    for lanes in lane_counts:

        def run(steps: int, seed: int, lanes: int = lanes) -> tuple[float, float, float]:
            start = time.perf_counter()
            tally = kernel.run(PlayoutRun(seed=seed, lanes=lanes, steps=steps))
            seconds = time.perf_counter() - start
            return seconds, tally.played / seconds, tally.games / seconds

        run(FIRST_STEPS, 0)
        steps = max(round(FIRST_STEPS * SECONDS / run(FIRST_STEPS, 0)[0]), FIRST_STEPS)
        results = [run(steps, seed) for seed in range(RUNS)]
        yield {
            "game": game.name,
            "backend": backend,
            "lanes": lanes,
            "steps": steps,
            "plies_per_second": statistics.median(result[1] for result in results),
            "games_per_second": statistics.median(result[2] for result in results),
            "build_s": built - start,
            "compile_s": ready - built,
        }


def make_kernel(game: Game, backend: str) -> PlayoutKernel:
    """Return the playouts of a game on the GPU."""
    from neurogame.kernels.triton.playouts import TritonPlayouts

    if backend == "torch":
        return TorchPlayouts(game.circuit, DEVICE)
    return TritonPlayouts(game.circuit, DEVICE, backend.partition("-")[2])


def evaluator_row(game: Game, kind: str, size: int) -> Row:
    """Return the rates of the networks of a fresh evaluator, forward and back."""
    from neurogame.kernels.triton.goal_networks import goal_networks, goal_networks_backward

    evaluator = make_evaluator(game, EvaluatorConfig(kind=kind))
    assert isinstance(evaluator, GoalNetworks)
    kernel = evaluator._kernel(valued=False)
    inputs = None if kernel is None else evaluator._kernel_inputs(kernel)
    if kernel is None or inputs is None:
        return {"game": game.name, "evaluator": kind, "error": "the kernels do not compute it"}
    generator = torch.Generator().manual_seed(0)
    flags = torch.rand(size, kernel.layout.columns, generator=generator) < 0.5
    words = pack(flags).to(DEVICE)
    numbers = [tensor.detach().to(DEVICE) for tensor in inputs]
    structure = [part.to(DEVICE) for part in kernel.layout.structure]
    rest: tuple[Any, ...] = (*numbers, structure, kernel.kind, kernel.steep)
    start = time.perf_counter()
    gradient = torch.ones_like(goal_networks(words, size, *rest))
    goal_networks_backward(gradient, words, *rest)
    torch.cuda.synchronize()
    compiled = time.perf_counter() - start
    forward = duration(lambda: goal_networks(words, size, *rest))
    back = duration(lambda: goal_networks_backward(gradient, words, *rest))
    return {
        "game": game.name,
        "evaluator": kind,
        "states": size,
        "forward_states_per_second": size / forward,
        "backward_states_per_second": size / back,
        "compile_s": compiled,
    }


def duration(work: Callable[[], object]) -> float:
    """Return the median seconds of a call, the device's work included."""
    seconds = []
    for _ in range(RUNS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def shown(value: object) -> str:
    """Return a value of a row as text."""
    return f"{value:,.2f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())
