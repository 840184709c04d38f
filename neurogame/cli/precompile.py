"""``neurogame precompile``: compiles ahead what the other commands would compile at first use."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import math
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from neurogame.cli.compile_jobs import JOBS
from neurogame.errors import ConfigurationError
from neurogame.files import CACHE_VARIABLE, cache_folder

_SERVING, _SERVING_SECONDS = "serving", 15
"""What comes last, as it needs all the others: the game server plays each kind of game once."""

_LOOK = 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="processes side by side (default: one per core)"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.add_argument(
        "--force", action="store_true", help="look again, even if this version has been compiled"
    )
    parser.add_argument("--job", choices=[*JOBS, _SERVING], help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Compile; what was compiled stays where Ctrl-C ends it."""
    if options.job:
        return _run_one(options.job)
    if options.jobs is not None and options.jobs < 1:
        raise ConfigurationError(f"--jobs {options.jobs}: at least 1 is needed")
    stamp = _stamp()
    if stamp is not None and stamp.exists() and not options.force:
        return 0
    failed = _run_all(
        [*JOBS, _SERVING], options.jobs or len(_cores()), "compiling ahead", quiet=options.quiet
    )
    if failed:
        print(f"warning: not compiled ahead: {', '.join(failed)}", file=sys.stderr)
        return 1
    if stamp is not None:
        with contextlib.suppress(OSError):
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()
    return 0


def _cores() -> set[int] | range:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return range(os.cpu_count() or 1)


def compile_for(line: str, module: str | None, *, silent: bool) -> None:
    """Compile what a command may need, side by side, before it compiles the first function.

    Args:
        line: the command line.
        module: that of the first function; None if there is no place to keep machine code in.
        silent: whether nothing is said.
    """
    needed = [name for name, job in JOBS.items() if job.is_needed(line)]
    cores = len(_cores())
    together = module is not None and cores > 1
    if together and not any(JOBS[name].holds(module) for name in needed):
        # All that has been compiled; what is missing now is little.
        needed, together = [], False
    seconds = math.ceil(sum(map(_seconds, needed)) / (cores if together else 1)) + 3
    if not silent:
        kept = "kept for the next time ('neurogame precompile' does it ahead)"
        unkept = "no folder can be written to that would keep it; see NEUROGAME_CACHE"
        print(
            f"compiling for the first time, about {seconds} s; {kept if module else unkept}",
            file=sys.stderr,
            flush=True,
        )
    if together:
        # What failed there is compiled, and fails, here.
        _run_all(needed, cores, "compiling", quiet=silent)


def _run_all(names: list[str], most: int, label: str, *, quiet: bool) -> list[str]:
    """Run jobs side by side, that of serving alone; return the names of those that failed."""
    from tqdm import tqdm

    waiting = list(names)
    running: dict[str, subprocess.Popen[bytes]] = {}
    failed = []
    bar = tqdm(
        total=sum(map(_seconds, names)),
        desc=label,
        bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed} {postfix}",
        disable=quiet,
    )
    try:
        with bar:
            while waiting or running:
                while waiting and len(running) < (1 if waiting[0] == _SERVING else most):
                    name = waiting.pop(0)
                    running[name] = _begin(name)
                # In a file, a line for each look would only be noise.
                bar.set_postfix_str(", ".join(running), refresh=sys.stderr.isatty())
                time.sleep(_LOOK)
                for name in [name for name, job in running.items() if job.poll() is not None]:
                    bar.update(_seconds(name))
                    if running.pop(name).returncode:
                        failed.append(name)
    finally:
        for job in running.values():
            job.terminate()
        for job in running.values():
            job.wait()
    return failed


def _seconds(name: str) -> int:
    return JOBS[name].seconds if name in JOBS else _SERVING_SECONDS


def _begin(job: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "neurogame.cli.main", "precompile", "--job", job],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _run_one(name: str) -> int:
    if name in JOBS:
        JOBS[name].compile()
        return 0
    with tempfile.TemporaryDirectory(prefix="neurogame-") as folder:
        # Games that are compiled already would leave out what compiles them.
        os.environ[CACHE_VARIABLE] = folder
        rehearse = importlib.import_module("neurogame.ggp.server.warm").rehearse
        return 1 if rehearse("auto") else 0


def _stamp() -> Path | None:
    """Return the file that says that this version has been compiled, or None without a cache."""
    folder = cache_folder()
    if folder is None:
        return None
    package = Path(__file__).parent.parent
    digest = hashlib.sha256(f"{version('numba')} {sys.version} {package}".encode())
    for file in sorted(package.rglob("*.py")):
        digest.update(file.read_bytes())
    return folder / f"precompiled-{digest.hexdigest()[:16]}"
