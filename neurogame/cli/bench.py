"""``neurogame bench``: how fast games start and play, backend by backend."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import signal
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurogame.errors import ConfigurationError, LimitError
from neurogame.files import CACHE_VARIABLE
from neurogame.kernels.backend import backend_names

if TYPE_CHECKING:
    from neurogame.kernels.codegen.unit_costs import UnitCosts
    from neurogame.simulate.speed import Speed, StartCost

GAMES = ("tictactoe", "connectfour", "pentago", "breakthrough", "reversi")
_LANES = 512
"""Lanes for which cycles are told, whatever the processor's vectors."""
_COLUMNS = (
    ("game", "game", 22, "s"),
    ("backend", "backend", 14, "s"),
    ("plies/s", "plies_per_second", 15, ",.0f"),
    ("games/s", "games_per_second", 13, ",.0f"),
    ("length", "mean_length", 7, ".1f"),
    ("gates", "gates", 8, ",d"),
    ("made s", "kernel_seconds", 7, ".2f"),
    ("cold s", "cold_start_seconds", 7, ".2f"),
    ("warm s", "warm_start_seconds", 7, ".2f"),
    ("MB", "peak_mb", 7, ",.0f"),
    ("cycles", "cycles", 9, ",.0f"),
    ("bound", "bound_cycles", 8, ",.0f"),
    ("share", "share_of_bound", 6, ".0%"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "games", nargs="*", metavar="RULES", help=f"library games or paths ({', '.join(GAMES)})"
    )
    parser.add_argument(
        "--backend",
        nargs="+",
        default=["auto"],
        help=f"what plays: {', '.join(backend_names())} (auto)",
    )
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds of a measurement (0.5)")
    parser.add_argument(
        "--runs", type=int, default=5, help="measurements; shown is their median (5)"
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        help="threads that play; with one, rates are per second of processor time (1)",
    )
    parser.add_argument("--device", default="cpu", help="torch device (cpu)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def run(options: argparse.Namespace) -> int:
    """Measure every game on every backend and print one row for each."""
    from tqdm import tqdm

    from neurogame.gdl.library import load_rules
    from neurogame.kernels.backends import known_device, resolve_backend
    from neurogame.kernels.codegen.unit_costs import unit_costs

    names = options.games or list(GAMES)
    if not 0 < options.seconds < math.inf or options.runs < 1 or options.threads < 1:
        raise ConfigurationError("--seconds must be above 0, --runs and --threads at least 1")
    for name in names:
        load_rules(name)
    known_device(options.device, held=True)
    for backend in options.backend:
        resolve_backend(backend, options.device)
    costs = unit_costs()
    host = _describe_host(costs)
    if not options.json:
        _show_host(host)
    tasks = [(name, backend) for name in names for backend in options.backend]
    rows = []
    hidden = True if options.quiet else None
    with tqdm(tasks, unit="row", file=sys.stderr, disable=hidden, leave=False) as bar:
        for name, backend in bar:
            bar.set_postfix_str(f"{Path(name).stem} {backend}")
            rows.append(_row(name, backend, options, costs))
            if not options.json:
                bar.write(_line(rows[-1]), file=sys.stdout)
    if options.json:
        print(json.dumps({"host": host, "rows": rows}))
    return 0


def _row(name: str, backend: str, options: argparse.Namespace, costs: UnitCosts) -> dict[str, Any]:
    """Measure one game on one backend: without a cache, and with what that has cached."""
    with tempfile.TemporaryDirectory() as folder:
        cold, _ = _in_new_process(folder, name, backend, options, 0)
        warm, speed = _in_new_process(folder, name, backend, options, options.runs)
    assert speed is not None
    row = {
        "game": Path(name).stem,
        **asdict(speed),
        "threads": options.threads,
        "games_per_second": speed.plies_per_second / speed.mean_length
        if speed.mean_length
        else None,
        "kernel_seconds": cold.kernel_seconds,
        "cold_start_seconds": cold.seconds,
        "warm_start_seconds": warm.seconds,
        "cold_start_cpu_seconds": cold.cpu_seconds,
        "warm_start_cpu_seconds": warm.cpu_seconds,
        "peak_mb": cold.peak_mb,
        "cycles": None,
        "bound_cycles": None,
        "share_of_bound": None,
    }
    if speed.gates is not None and speed.accesses and speed.vector_lanes:
        vectors = _LANES / speed.vector_lanes
        row["cycles"] = costs.clock * _LANES / speed.plies_per_second
        row["bound_cycles"] = vectors * costs.bound(speed.gates, *speed.accesses)
        row["share_of_bound"] = row["bound_cycles"] / row["cycles"]
    return row


def _in_new_process(
    folder: str, name: str, backend: str, options: argparse.Namespace, runs: int
) -> tuple[StartCost, Speed | None]:
    """Measure in a process of its own, which knows nothing but what is in the cache."""
    arguments = (folder, name, backend, options.device, options.seconds, runs, options.threads)
    # On Ctrl-C the process ends without a word; this one reports it.
    silent = (signal.SIGINT, signal.SIG_DFL)
    with ProcessPoolExecutor(1, get_context("spawn"), signal.signal, silent) as pool:
        try:
            return pool.submit(_measure, *arguments).result()
        except BrokenProcessPool:
            raise LimitError(
                f"measuring {name} on {backend} was ended by the system, probably because memory "
                f"ran out; leave it out, or free some memory"
            ) from None


def _measure(
    folder: str, name: str, backend: str, device: str, seconds: float, runs: int, threads: int
) -> tuple[StartCost, Speed | None]:
    """Start a game with a cache folder, and measure its speed if there are runs to make."""
    os.environ[CACHE_VARIABLE] = folder
    from neurogame.simulate.speed import measure_speed, measure_start

    start, kernel = measure_start(name, backend, device)
    if not runs:
        return start, None
    return start, measure_speed(kernel, seconds=seconds, runs=runs, threads=threads)


def _describe_host(costs: UnitCosts) -> dict[str, Any]:
    """Return what is to be known of the machine besides a figure."""
    import torch

    from neurogame.kernels.codegen.host import host

    return {
        "processor": f"{_processor()} ({host().cpu})",
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "vectors": host().name,
        "costs": asdict(costs),
    }


def _processor() -> str:
    """Return the name of the processor as the system has it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


def _show_host(host: dict[str, Any]) -> None:
    costs = host["costs"]
    parts = [
        *(host["processor"], host["vectors"], f"{costs['clock'] / 1e9:.2f} GHz"),
        *(f"{host['cores']} cores", host["system"]),
        f"cycles per vector: gate {costs['gate']:.2f}, load {costs['load']:.2f}, "
        f"store {costs['store']:.2f}",
    ]
    print("; ".join(parts))
    print(" ".join(f"{title:>{width}s}" for title, _, width, _ in _COLUMNS), flush=True)


def _line(row: dict[str, Any]) -> str:
    """Return a row of the table."""
    shown = ["-" if row[key] is None else format(row[key], form) for _, key, _, form in _COLUMNS]
    return " ".join(
        f"{text:>{width}s}" for text, (_, _, width, _) in zip(shown, _COLUMNS, strict=True)
    )
