"""What the first use of a command costs, with nothing compiled before, and what it compiles.

python -m benchmarks.first_use                      # a table of all commands
python -m benchmarks.first_use mcts --functions 40  # and which functions take how long

Each command runs with empty caches, and a second time with those that the first one filled. It
compiles in processes side by side; with ``--functions`` in its own alone, where they are counted.
Seconds are of the processor where not said otherwise; those of a function are without the functions
that it calls, which are compiled while it is. Functions of numba itself bear the name of their
module.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

COMMANDS = {
    "simulate": "simulate tictactoe --games 1000 --json",
    "mcts": "match tictactoe --players mcts:sims=100 random --matches 1 --json",
    "mast,rave": "match tictactoe --players mcts:playout=mast,tree=rave,sims=100 random "
    "--matches 1 --json",
    "alphabeta": "match tictactoe --players alphabeta:cilp,depth=2 random --matches 1 --json",
    "train": "train tictactoe --games 2000 --no-strength --out {folder}/run --json",
    "serve": "",
}
"""What is run; of ``serve`` only what it does before it listens."""


class Compilations:
    """Adds up what each function takes to compile, while this process runs.

    Attributes:
        seconds: of the processor, per module and function.
        signatures: for how many types of arguments each was compiled.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.signatures: defaultdict[str, list[str]] = defaultdict(list)
        self._begun: list[float] = []

    def watch(self) -> None:
        """Begin to count."""
        from numba.core import compiler

        base: Any = compiler.CompilerBase
        plain: Callable[..., Any] = base.compile_extra

        @wraps(plain)
        def counted(pipeline: Any, function: Any) -> Any:
            self._begun.append(0.0)
            begin = time.thread_time()
            try:
                return plain(pipeline, function)
            finally:
                whole = time.thread_time() - begin
                name = f"{function.__module__}.{function.__qualname__}"
                self.seconds[name] += whole - self._begun.pop()
                self.signatures[name].append(str(pipeline.state.args))
                if self._begun:
                    self._begun[-1] += whole

        base.compile_extra = counted


def child(name: str, folder: str) -> None:
    """Run a command, and write down what it compiled."""
    compilations = Compilations()
    begin = time.thread_time()
    if not os.environ.get("UNWATCHED"):
        compilations.watch()
    imported = time.thread_time() - begin
    from neurogame.cli import precompile

    if os.environ.get("ALONE"):
        precompile.count_cores = lambda: 1
    if name == "serve":
        from neurogame.first_use import ask_with
        from neurogame.ggp.server.warm import rehearse

        ask_with(lambda module: precompile.compile_for("serve", module, silent=True))
        failed = rehearse("auto")
        assert not failed, failed
    else:
        from neurogame.cli.main import main as run

        code = run(COMMANDS[name].format(folder=folder).split())
        assert code == 0, code
    found = {
        "numba import": imported,
        "seconds": compilations.seconds,
        "signatures": compilations.signatures,
    }
    Path(folder, "compilations.json").write_text(json.dumps(found), encoding="utf-8")


def measure(name: str, *, alone: bool) -> dict[str, Any]:
    """Return what a command takes first and then, and what it compiles.

    Args:
        name: of the command.
        alone: whether it compiles in its own process, where it is seen which functions.
    """
    figures: dict[str, Any] = {}
    with TemporaryDirectory(prefix="neurogame-") as folder:
        numba, own = Path(folder, "numba"), Path(folder, "own")
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(numba), "NEUROGAME_CACHE": str(own)}
        environment |= {"ALONE": "1"} if alone else {"UNWATCHED": "1"}
        for turn in ("first", "again"):
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "benchmarks.first_use", "--child", name, folder],
                env=environment,
                stdout=subprocess.DEVNULL,
                check=True,
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            figures[turn] = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
            figures[f"{turn} wall"] = time.perf_counter() - begin
            text = Path(folder, "compilations.json").read_text(encoding="utf-8")
            figures[f"{turn} compiled"] = json.loads(text)
            # A training run does not write into the folder of another.
            shutil.rmtree(Path(folder, "run"), ignore_errors=True)
        figures["bytes"] = sum(file.stat().st_size for file in numba.rglob("*.nbc"))
    return figures


def by_module(seconds: dict[str, float]) -> dict[str, float]:
    """Return the seconds per module; numba's own as one."""
    found: defaultdict[str, float] = defaultdict(float)
    for function, spent in seconds.items():
        module = function.split("<locals>")[0].rpartition(".")[0]
        found["numba" if module.startswith("numba") else module] += spent
    return dict(found)


def largest(seconds: dict[str, float], count: int) -> list[tuple[str, float]]:
    """Return the entries that take longest."""
    return sorted(seconds.items(), key=lambda item: -item[1])[:count]


def main() -> None:
    """Measure, and print a row per command and what takes longest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=", ".join(COMMANDS))
    parser.add_argument("--functions", type=int, default=0, metavar="N", help="show the N slowest")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    print("| command | first CPU s | first wall s | again CPU s | again wall s | MB |")
    print("|---|--:|--:|--:|--:|--:|", flush=True)
    details = []
    for name in options.commands or COMMANDS:
        found = measure(name, alone=options.functions > 0)
        compiled = found["first compiled"]
        signatures = compiled["signatures"]
        print(
            f"| {name} | {found['first']:.1f} | {found['first wall']:.1f} | {found['again']:.1f} "
            f"| {found['again wall']:.1f} | {found['bytes'] / 1e6:.1f} |",
            flush=True,
        )
        if options.functions:
            details.append(f"\n{name}: seconds per module")
            modules = by_module(compiled["seconds"])
            details += [f"{spent:7.2f}  {key}" for key, spent in largest(modules, 100)]
            details.append(f"\n{name}: seconds per function, and for how many types of arguments")
            for key, spent in largest(compiled["seconds"], options.functions):
                details.append(f"{spent:7.2f}  {len(signatures[key]):3}  {key}")
            details.append(f"\n{name}: compiled for several types of arguments")
            for key, own in signatures.items():
                if len(set(own)) > 1 and not key.startswith("numba"):
                    details += [key, *(f"    {text}" for text in own)]
    print("\n".join(details))


if __name__ == "__main__":
    main()
