"""The process that others are copied from: when it is there, whether it is warm, what if it dies.

It says that it is warm by a lock on a file, which the system takes from it at its death and does
not hand on to its copies.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from multiprocessing import forkserver
from pathlib import Path
from typing import Any, final

try:
    import fcntl
except ImportError:  # Systems without it have no process that others are copied from.
    fcntl = None  # type: ignore[assignment]

_VARIABLE = "NEUROGAME_SERVE_WARM"
"""Environment variable by which that process knows the file."""

_LOOK, _LONGEST_LOOK = 0.25, 30.0
"""Seconds between two looks: at first, and at most where it dies again and again."""

_LOADING = 30.0
"""Seconds that a process may take to load what players need; on a busy machine it takes ten."""

_held: list[int] = []


@final
class Forker:
    """Lets the process that others are copied from live while it is needed, whoever kills it.

    There is one such process per program, however many of these.
    """

    def __init__(self, starting: threading.Lock) -> None:
        """Name the file; to be made before the first process is started.

        Args:
            starting: held while a process is started.
        """
        self._file = _file()
        self._starting = starting
        self._changed = threading.Condition()
        self._needed_until = self._warm_by = 0.0

    def is_warm(self) -> bool:
        """Return whether it lives and has loaded all; copies start at once then."""
        with self._file.open("rb+") as stream:
            try:
                # Given back at once: with the file.
                fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    def is_coming(self) -> bool:
        """Return whether it has not been needed for long enough yet to be warm."""
        now = time.monotonic()
        return now < min(self._warm_by, self._needed_until) and not self.is_warm()

    def watch(self, report: Callable[[str], None]) -> None:
        """Look after it from now on, in a thread: it ends, until somebody needs it.

        Args:
            report: is told in lines when it has died, and when its successor is warm.
        """
        threading.Thread(target=self._watch, args=(report,), daemon=True).start()

    def need(self, until: float) -> None:
        """Say until when it is needed, by ``time.monotonic()``; returns at once."""
        with self._changed:
            if not self._is_needed():
                self._warm_by = time.monotonic() + _LOADING
            self._needed_until = until
            self._changed.notify()

    def close(self) -> None:
        """End it."""
        self.need(0.0)
        with self._starting:
            _end()

    def _is_needed(self) -> bool:
        return time.monotonic() < self._needed_until

    def _watch(self, report: Callable[[str], None]) -> None:
        pause, was_warm, has_died = _LOOK, False, False
        while True:
            with self._starting, contextlib.suppress(OSError):  # Perhaps one can be started later.
                is_needed = self._is_needed()
                if is_needed:
                    forkserver.ensure_running()
                else:
                    _end()
            if not is_needed:
                pause, was_warm, has_died = _LOOK, False, False
                with self._changed:
                    self._changed.wait_for(self._is_needed)
                continue
            pause = _LOOK if self.is_coming() else min(2 * pause, _LONGEST_LOOK)
            if self.is_warm():
                if has_died:
                    report("processes start at once again")
                pause, was_warm, has_died = _LOOK, True, False
            elif was_warm:
                was_warm, has_died = False, True
                report(
                    "warning: the process that others are copied from has died; another one loads "
                    "what players need, and until then they start seconds later"
                )
            with self._changed:
                self._changed.wait_for(lambda: not self._is_needed(), pause)


def _end() -> None:
    """End the process that others are copied from, if there is one, and leave nothing of it."""
    server: Any = forkserver._forkserver
    if server._forkserver_pid is not None:
        # It may still load, and would look for its end only then.
        os.kill(server._forkserver_pid, signal.SIGKILL)
        server._stop()


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
