"""The process that others are copied from: whether it is warm, and what happens if it dies.

It says that it is warm by a lock on a file, which the system takes from it at its death and does
not hand on to its copies.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from multiprocessing import forkserver
from pathlib import Path
from typing import final

try:
    import fcntl
except ImportError:  # Systems without it have no process that others are copied from.
    fcntl = None  # type: ignore[assignment]

_VARIABLE = "NEUROGAME_SERVE_WARM"
"""Environment variable by which that process knows the file."""

_LOOK, _LONGEST_LOOK = 0.25, 30.0
"""Seconds between two looks: at first, and at most where it dies again and again."""

_held: list[int] = []


@final
class Forker:
    """Watches the process that others are copied from, and has it made anew when it has died.

    There is one such process per program, however many of these.
    """

    def __init__(self) -> None:
        """Name the file; to be made before the first process is started."""
        self._file = _file()
        self._closed = threading.Event()

    def is_warm(self) -> bool:
        """Return whether it lives and has loaded all; copies start at once then."""
        with self._file.open("rb+") as stream:
            try:
                # Given back at once: with the file.
                fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    def watch(self, report: Callable[[str], None]) -> None:
        """Look after it from now on, in a thread; it has been warm before.

        Args:
            report: is told in lines when it has died, and when its successor is warm.
        """
        threading.Thread(target=self._watch, args=(report,), daemon=True).start()

    def close(self) -> None:
        """Let it rest."""
        self._closed.set()

    def _watch(self, report: Callable[[str], None]) -> None:
        pause, was_warm = _LOOK, True
        while not self._closed.wait(pause):
            with contextlib.suppress(OSError):  # None can be started now; perhaps later.
                forkserver.ensure_running()
            is_warm = self.is_warm()
            if was_warm and not is_warm:
                report(
                    "warning: the process that others are copied from has died; another one loads "
                    "what players need, and until then they start seconds later"
                )
            elif is_warm and not was_warm:
                report("processes start at once again")
            pause = _LOOK if is_warm else min(2 * pause, _LONGEST_LOOK)
            was_warm = is_warm


def say_warm() -> None:
    """Say that this process is warm, until it dies; called by the one that others are copied from.

    A program that started this process in another way is told nothing.
    """
    path = os.environ.get(_VARIABLE)
    if path is None:
        return
    with contextlib.suppress(OSError):
        _held.append(os.open(path, os.O_RDWR))
        # The server looks for a moment only: this waits for no more than that.
        fcntl.lockf(_held[-1], fcntl.LOCK_EX)


@cache
def _file() -> Path:
    """Return the file of this program, which goes with it."""
    handle, name = tempfile.mkstemp(prefix="neurogame-warm-")
    os.close(handle)
    atexit.register(Path(name).unlink, missing_ok=True)
    os.environ[_VARIABLE] = name
    return Path(name)
