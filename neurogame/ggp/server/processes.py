"""Warm processes: they start within a tenth of a second and die without trace."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any, final

from neurogame.errors import PlayerError
from neurogame.ggp.server.child import run_child
from neurogame.ggp.server.forker import Forker

PLAYER_VARIABLE = "NEUROGAME_SERVE_PLAYER"
"""Environment variable by which the process that others are copied from knows the player."""

_PRELOADED = "neurogame.ggp.server.preload"
_REPORT = "neurogame.ggp.server.warmth:report"
_DEATH = 10.0
"""Seconds that a killed process may take to vanish."""


@final
class Processes:
    """Makes processes that have already loaded all that players need.

    They are copies of one process (``forkserver``) that loads torch and the compiled cores once;
    where the system has no such thing, every process loads them itself. While that process is not
    there, or still loads, new processes do so too.

    There is one such process per program, and its player is that of the first ``Processes``.
    """

    def __init__(self, player: str, *, copied: bool = True) -> None:
        """Choose the way; nothing is started yet.

        Args:
            player: the player string whose code is loaded beforehand.
            copied: whether processes are copies of one that has loaded all, which takes some ten
                seconds once; if not, each loads what it needs.
        """
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        os.environ[PLAYER_VARIABLE] = player
        self.player = player
        methods = multiprocessing.get_all_start_methods()
        self.method = "forkserver" if copied and "forkserver" in methods else "spawn"
        self._context: BaseContext = multiprocessing.get_context(self.method)
        self._spare: BaseContext = multiprocessing.get_context("spawn")
        self._lock = threading.Lock()
        self._forker: Forker | None = None
        if self.method == "forkserver":
            self._forker = Forker(self._lock)
            self._context.set_forkserver_preload([_PRELOADED])
        self._has_been_warm = False
        self._children: set[ChildProcess] = set()
        self._closed = False

    def warm_up(self) -> tuple[str, ...]:
        """Load everything now; may take minutes where nothing was compiled before.

        Returns:
            What could not be prepared, and so will take time in the first match, each with its
            reason; usually nothing.

        Raises:
            PlayerError: the player cannot be made, or no process can be started at all.
        """
        try:
            child = self.launch(_REPORT, (self.player, self.method == "forkserver"))
        except OSError as error:
            raise PlayerError(f"no process can be started: {error}") from None
        try:
            refusal, remarks = child.connection.recv()
        except (EOFError, OSError):
            child.kill()
            raise PlayerError(
                f"the process that makes the player died ({child.ending}); its own message stands "
                "above, if it had one"
            ) from None
        finally:
            child.kill()
        if refusal:
            raise PlayerError(refusal)
        self._has_been_warm = True
        return tuple(remarks)

    def watch(self, report: Callable[[str], None]) -> None:
        """Let the process that others are copied from live only while it is needed.

        Args:
            report: is told in lines when it has died all the same; called by a thread of its own.
        """
        if self._forker is not None:
            self._forker.watch(report)

    def need(self, until: float) -> None:
        """Have processes start at once as soon as may be; returns at once.

        Args:
            until: when that is needed no longer, by ``time.monotonic()``.
        """
        if self._forker is not None and not self._closed:
            self._forker.need(until)

    def are_coming(self) -> bool:
        """Return whether processes start at once in a moment, so that waiting is worth it."""
        return self._forker is not None and self._forker.is_coming()

    def launch(self, target: str, given: Any, memory: int | None = None) -> ChildProcess:
        """Start a process.

        Args:
            target: the function to run there, as ``module:name``; it is called with its end of
                the pipe and with ``given``.
            given: anything that can be pickled.
            memory: bytes that the process may take beyond those it begins with; None: no limit.

        Raises:
            OSError: this was closed, or the system starts no more processes.
        """
        if self._closed:
            raise ConnectionError("no process is started any more: the server ends")
        refusal = ""
        for context in self._ways():
            try:
                return self._launched(context, target, given, memory)
            except (OSError, EOFError) as error:
                refusal = str(error) or "the process that others are copied from has died"
        raise ConnectionError(refusal)

    def _ways(self) -> Iterator[BaseContext]:
        """Go through the ways to start a process: the next one is for where the last has failed.

        Who waits for the successor of a dead process waits until that has loaded all.
        """
        if self._forker is None or not self._has_been_warm or self._forker.is_warm():
            yield self._context
        if self._forker is not None:
            yield self._spare

    def _launched(
        self, context: BaseContext, target: str, given: Any, memory: int | None
    ) -> ChildProcess:
        ours, theirs = multiprocessing.Pipe()
        process = context.Process(  # type: ignore[attr-defined]
            target=run_child, args=(target, theirs, memory, given), daemon=True
        )
        try:
            with self._lock:
                process.start()
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        child = ChildProcess(process, ours, self._lock, self._forget)
        with self._lock:
            self._children.add(child)
        return child

    def close(self) -> None:
        """Kill all processes that are left, and the one they were copied from."""
        with self._lock:
            self._closed = True
            children = list(self._children)
        for child in children:
            child.kill()
        if self._forker is not None:
            self._forker.close()

    def _forget(self, child: ChildProcess) -> None:
        with self._lock:
            self._children.discard(child)


@final
class ChildProcess:
    """A process and the pipe to it.

    Attributes:
        connection: what the process sends is received here; at its end there is an ``EOFError``.
        pid: the number of the process.
        ending: how the process ended, as text; empty while nobody has looked or it lives.
    """

    def __init__(
        self,
        process: BaseProcess,
        connection: Connection,
        bookkeeping: threading.Lock,
        forget: Callable[[ChildProcess], None],
    ) -> None:
        """Take over a started process; see :meth:`Processes.launch`.

        Args:
            process: it.
            connection: our end of the pipe.
            bookkeeping: held while the lists of multiprocessing are changed, which are one for
                all threads.
            forget: called once when nothing is left.
        """
        self.connection = connection
        self.ending = ""
        self._process: BaseProcess | None = process
        self.pid = process.pid
        self._handle = _handle(process.pid)
        self._forget = forget
        self._bookkeeping = bookkeeping
        self._lock = threading.Lock()
        self._outbox: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None

    def is_alive(self) -> bool:
        """Return whether the process runs."""
        with self._lock:
            return self._process is not None and not self._has_ended(self._process, 0)

    def post(self, message: object) -> None:
        """Send a message without ever waiting, even if the process does not read.

        Args:
            message: anything that can be pickled; what comes after the end is dropped.
        """
        if self._writer is None:
            # Known only once it runs: another thread that kills the process may join it.
            writer = threading.Thread(target=self._write, daemon=True)
            writer.start()
            self._writer = writer
        self._outbox.put(message)

    def kill(self) -> None:
        """End the process at once, and leave nothing of it; may be called again."""
        with self._lock:
            process, self._process = self._process, None
            if process is None:
                return
            try:
                if not self._has_ended(process, 0):
                    self._kill(process)
                    self._has_ended(process, _DEATH)
                # How it ended is told by the one that it was copied from, a moment later.
                wait([process.sentinel], _DEATH)
                with self._bookkeeping:
                    # Its pipes are closed with the last reference to it; to close it here would
                    # be an error for a program that ends at this moment, and joins what it knows
                    # of. What is known of its ending is asked for under the same lock: who starts
                    # a process asks it of all that are known.
                    process.join(0)
                    self.ending = _ending(process.exitcode)
            finally:
                self._outbox.put(None)
                if self._handle is not None:
                    os.close(self._handle)
                self._forget(self)
        if self._writer is not None and self._writer is not threading.current_thread():
            self._writer.join(_DEATH)
        self.connection.close()

    def _has_ended(self, process: BaseProcess, seconds: float) -> bool:
        """Wait for the end of the process; return whether it has come."""
        # The sentinel of a copy tells the end of what it was copied from, too.
        watched = process.sentinel if self._handle is None else self._handle
        return bool(wait([watched], seconds))

    def _kill(self, process: BaseProcess) -> None:
        if self._handle is not None and sys.platform == "linux":
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        else:
            process.kill()

    def _write(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while (message := self._outbox.get()) is not None:
                self.connection.send(message)


def _handle(pid: int | None) -> int | None:
    """Return a file descriptor that stands for a process and no later one; None: there is none."""
    if sys.platform != "linux" or pid is None:
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:  # It has ended already, or the system is an old one.
        return None


def _ending(code: int | None) -> str:
    """Return how a process ended, for people."""
    if code is None:
        return "it does not die"
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
