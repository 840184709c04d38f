"""``neurogame precompile``: compiles ahead what the other commands would compile at first use."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from neurogame.errors import ConfigurationError
from neurogame.files import CACHE_VARIABLE, cache_folder

JOBS = {
    "random games": ("simulate tictactoe --games 1000", 7),
    "alpha-beta search": (
        "match tictactoe --players alphabeta:cilp,depth=2 random --matches 1",
        20,
    ),
    "tree search": ("match tictactoe --players mcts:sims=100 random --matches 1", 15),
    "training": ("train tictactoe --matches 32 --out {folder}/run", 10),
    "playouts with heuristics": (
        "match tictactoe --players mcts:playout=mast,tree=rave,sims=100 random --matches 1",
        15,
    ),
    "serving": ("", 60),
}
"""What is used once, each in a process of its own, and the seconds that it takes, about. The first
compiles what all others need, too."""

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
    parser.add_argument("--job", choices=list(JOBS), help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Compile; what was compiled stays where Ctrl-C ends it."""
    if options.job:
        return _use_once(options.job)
    if options.jobs is not None and options.jobs < 1:
        raise ConfigurationError(f"--jobs {options.jobs}: at least 1 is needed")
    stamp = _stamp()
    if stamp is not None and stamp.exists() and not options.force:
        return 0
    failed = _run_all(options.jobs or len(_cores()), quiet=options.quiet)
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


def _run_all(most: int, *, quiet: bool) -> list[str]:
    """Run all jobs, the first one alone; return the names of those that failed."""
    from tqdm import tqdm

    waiting = list(JOBS)
    running: dict[str, subprocess.Popen[bytes]] = {}
    failed = []
    bar = tqdm(
        total=sum(seconds for _, seconds in JOBS.values()),
        desc="compiling ahead",
        bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed} {postfix}",
        disable=quiet,
    )
    try:
        with bar:
            while waiting or running:
                alone = len(waiting) + len(running) == len(JOBS)
                while waiting and len(running) < (1 if alone else most):
                    name = waiting.pop(0)
                    running[name] = _begin(name)
                # In a file, a line for each look would only be noise.
                bar.set_postfix_str(", ".join(running), refresh=sys.stderr.isatty())
                time.sleep(_LOOK)
                for name in [name for name, job in running.items() if job.poll() is not None]:
                    bar.update(JOBS[name][1])
                    if running.pop(name).returncode:
                        failed.append(name)
    finally:
        for job in running.values():
            job.terminate()
        for job in running.values():
            job.wait()
    return failed


def _begin(job: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "neurogame.cli.main", "precompile", "--job", job],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _use_once(job: str) -> int:
    """Use what a job needs, with an empty cache of games: what is found there is not compiled."""
    line, _ = JOBS[job]
    with tempfile.TemporaryDirectory(prefix="neurogame-") as folder:
        if not line:
            # Keeps games out of the cache itself.
            rehearse = importlib.import_module("neurogame.ggp.server.warm").rehearse
            return 1 if rehearse("auto") else 0
        from neurogame.cli.main import main

        os.environ[CACHE_VARIABLE] = folder
        return main([*line.format(folder=folder).split(), "--json"])


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
