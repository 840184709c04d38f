"""The one way in which tests start programs: none outlives its test, whatever fails."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.conftest import REPOSITORY

PATIENCE = 120.0
"""Seconds after which a test gives up waiting: many times what an event takes on a busy machine."""
PROGRAM = [sys.executable, "-m", "neurogame.cli.main"]
MARK = "NEUROGAME_TESTS"
"""Environment variable by which the processes of one run of tests are known."""

_PR_SET_PDEATHSIG = 1
_PRCTL = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


def environment(**changes: str) -> dict[str, str]:
    """Return the environment of a user's shell: output to pipes is buffered."""
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    return {**inherited, "PYTHONPATH": str(REPOSITORY), **changes}


@contextmanager
def started(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    stderr: int = subprocess.PIPE,
) -> Iterator[subprocess.Popen[str]]:
    """Start a program whose output is read; it and what it has started are killed at the end.

    Ctrl-C ends it even where this process ignores it, as the background job of a script does; on
    Linux it also ends where this process is killed.

    Args:
        command: the program and its arguments.
        cwd: folder that it runs in; None: this process's.
        env: its environment; None: :func:`environment`.
        stdin: ``subprocess.PIPE`` for a program that is talked to.
        stderr: ``subprocess.STDOUT`` for both outputs in one.
    """
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=environment() if env is None else env,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        start_new_session=True,
        preexec_fn=_as_from_a_shell,
    ) as process:
        try:
            yield process
        finally:
            # The program may have gone, and left others of its group.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; see :func:`started`.

    Args:
        command: the program and its arguments.
        cwd: folder that it runs in.
        env: its environment.
        check: whether an exit code other than 0 fails the test, with what was printed.
    """
    with started(command, cwd=cwd, env=env) as process:
        output, errors = process.communicate(timeout=PATIENCE)
    assert not check or process.returncode == 0, output + errors
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def wait_until(there: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Wait for an event that can only be looked for.

    Args:
        there: whether it has come.
        process: fails the test if it ends before.
    """
    end = time.monotonic() + PATIENCE
    while not there():
        assert process is None or process.poll() is None, process and process.communicate()
        if time.monotonic() > end:
            faulthandler.dump_traceback()  # What each thread does, for who looks for the reason.
            raise AssertionError("waited in vain")
        time.sleep(0.01)


def mark_children() -> None:
    """Let all that this process starts from now on be known by its environment."""
    os.environ[MARK] = str(os.getpid())


def children() -> dict[int, str]:
    """Return what this process has started and still runs, directly or not; on Linux only.

    Returns:
        Number and command line of each process. That of Python's ``multiprocessing`` which waits
        for this one's end is left out.
    """
    mark = f"{MARK}={os.getpid()}".encode()
    parents, found = dict[int, int](), dict[int, str]()
    marked = set()
    for folder in Path("/proc").glob("[0-9]*"):
        pid = int(folder.name)
        with suppress(OSError):
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if state in "ZX" or pid == os.getpid():
                continue
            parents[pid] = int(parent)
            found[pid] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                marked.add(pid)

    def is_own(pid: int) -> bool:
        while pid in parents and pid not in marked:
            pid = parents[pid]
        return pid == os.getpid() or pid in marked

    return {
        pid: line for pid, line in found.items() if is_own(pid) and "resource_tracker" not in line
    }


def _as_from_a_shell() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if _PRCTL is not None:
        _PRCTL(_PR_SET_PDEATHSIG, signal.SIGKILL)
