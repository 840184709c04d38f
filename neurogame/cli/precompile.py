"""``neurogame precompile``: compiles ahead what the other commands would compile at first use."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from neurogame.bars import bar_stream
from neurogame.errors import ConfigurationError
from neurogame.files import CACHE_VARIABLE, cache_folder
from neurogame.kernels.compile_jobs import JOBS
from neurogame.shipped_code import FAMILIES, FOLDER, VARIABLE

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
    parser.add_argument(
        "--cpu",
        choices=FAMILIES,
        help="compile for a family of processors, into the folder of code that a wheel takes along",
    )
    parser.add_argument("--job", action="append", choices=[*JOBS, _SERVING], help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Compile; what was compiled stays where Ctrl-C ends it."""
    if options.job:
        for job in options.job:
            _run_one(job)
            print(job, flush=True)
        return 0
    if options.jobs is not None and options.jobs < 1:
        raise ConfigurationError(f"--jobs {options.jobs}: at least 1 is needed")
    cores = options.jobs or count_cores()
    if options.cpu is not None:
        return _ship(options.cpu, cores, quiet=options.quiet)
    stamp = _stamp()
    if stamp is not None and stamp.exists() and not options.force:
        return 0
    if not _compile_all(cores, {}, quiet=options.quiet):
        return 1
    if stamp is not None:
        with contextlib.suppress(OSError):
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()
    return 0


def _compile_all(cores: int, target: dict[str, str], *, quiet: bool) -> bool:
    """Compile everything for this very processor, or for another target; return whether it went.

    Args:
        cores: processes side by side.
        target: environment variables that name it to numba.
        quiet: whether no bar is shown.
    """
    environment = {**target, VARIABLE: "0"}
    failed = _run_all(list(JOBS), cores, "compiling ahead", environment, quiet=quiet)
    failed += _run_all([_SERVING], 1, "playing ahead", environment, quiet=quiet)
    if failed:
        print(f"warning: not compiled ahead: {', '.join(failed)}", file=sys.stderr)
    return not failed


def _ship(family: str, cores: int, *, quiet: bool) -> int:
    """Compile for a family of processors, into the folder of code that comes with the package."""
    from numba.core.caching import UserProvidedCacheLocator

    locator: Any = UserProvidedCacheLocator  # It is not annotated.
    package, size = FOLDER.parent, 0
    with tempfile.TemporaryDirectory(prefix="neurogame-") as made:
        target = {"NUMBA_CPU_NAME": family, "NUMBA_CPU_FEATURES": FAMILIES[family]}
        if not _compile_all(cores, {**target, "NUMBA_CACHE_DIR": made}, quiet=quiet):
            return 1
        for folder in {file.parent for file in package.rglob("*.py")}:
            # As numba names it: by a hash of where it lies, which is elsewhere in the end.
            named = locator.get_suitable_cache_subpath(str(folder / "any.py"))
            name = ".".join(folder.relative_to(package.parent).parts)
            for file in Path(made, named).glob("*.nb[ci]"):
                (FOLDER / family / name).mkdir(parents=True, exist_ok=True)
                shutil.copy(file, FOLDER / family / name)
                size += file.stat().st_size
    if not quiet:
        print(f"{FOLDER / family}: {size / 1e6:.1f} MB; a wheel that is built now takes it along")
    return 0


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def compile_for(line: str, module: str | None, *, silent: bool) -> None:
    """Compile what a command may need, side by side, before it compiles the first function.

    Args:
        line: the command line.
        module: that of the first function; None if there is no place to keep machine code in.
        silent: whether nothing is said.
    """
    needed = [name for name, job in JOBS.items() if job.is_needed(line)]
    cores = min(count_cores(), len(needed))
    together = module is not None and cores > 1
    if together and not any(JOBS[name].holds(module) for name in needed):
        # All that has been compiled; what is missing now is what the function comes with.
        needed, together = [name for name, job in JOBS.items() if job.holds(module)], False
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
        _run_all(needed, cores, "compiling", {}, quiet=silent)


def _run_all(
    names: list[str], most: int, label: str, environment: dict[str, str], *, quiet: bool
) -> list[str]:
    """Run jobs in processes side by side; return the names of those that failed."""
    from tqdm import tqdm

    failed = list(names)
    bar = tqdm(
        total=sum(map(_seconds, names)),
        desc=label,
        bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}",
        disable=quiet,
        file=bar_stream(),
    )
    processes = [_begin(share, environment) for share in _shares(names, most)]
    try:
        with bar:
            while processes:
                time.sleep(_LOOK)
                # Asked first: what a process wrote before it ended is read after that.
                ended = [process for process in processes if process.poll() is not None]
                for process in processes:
                    assert process.stdout is not None
                    done = [line.decode().strip() for line in process.stdout.readlines()]
                    for name in set(done).intersection(failed):
                        failed.remove(name)
                        bar.update(_seconds(name))
                bar.refresh()
                processes = [process for process in processes if process not in ended]
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
    return failed


def _shares(names: list[str], most: int) -> list[list[str]]:
    """Share jobs out: each, the longest first, to the process that has least to do."""
    shares: list[list[str]] = [[] for _ in range(min(most, len(names)))]
    for name in sorted(names, key=_seconds, reverse=True):
        min(shares, key=lambda share: sum(map(_seconds, share))).append(name)
    return shares


def _seconds(name: str) -> int:
    return JOBS[name].seconds if name in JOBS else _SERVING_SECONDS


def _begin(jobs: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a process that writes a line for each job that it has done."""
    words = [word for job in jobs for word in ("--job", job)]
    process = subprocess.Popen(
        [sys.executable, "-m", "neurogame.cli.main", "precompile", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | environment,
    )
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    return process


def _run_one(name: str) -> None:
    if name in JOBS:
        JOBS[name].compile()
        return
    with tempfile.TemporaryDirectory(prefix="neurogame-") as folder:
        # Games that are compiled already would leave out what compiles them.
        os.environ[CACHE_VARIABLE] = folder
        rehearse = importlib.import_module("neurogame.ggp.server.warm").rehearse
        failed = rehearse("auto")
    if failed:
        raise RuntimeError("; ".join(map(str, failed)))


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
