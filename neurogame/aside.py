"""Work in a thread beside the one that waits for it, which may stop waiting at any moment.

Compiled code and libraries cannot be interrupted; but nobody has to wait for them.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TypeVar, cast, final

from neurogame.errors import LimitError

T = TypeVar("T")

_LOOK = 0.05
"""Seconds between two looks whether to wait any longer."""
_STACK = 64 << 20
"""Bytes: deep terms are read by functions that call themselves."""

_OPEN: set[Future[object]] = set()
"""What is not done yet, of all threads."""


class LeftBehindError(LimitError):
    """Nobody waits for a piece of work any more; its thread may still be at it."""


@final
class Aside:
    """A thread that does one piece of work after the other."""

    def __init__(self) -> None:
        """Begin with nothing to do."""
        self._waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._last: Future[object] | None = None

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Have something done when its turn comes.

        Args:
            work: is called in the thread.
        """
        future: Future[T] = Future()
        self._last = cast(Future[object], future)
        _OPEN.add(self._last)

        def do() -> None:
            try:
                outcome = work()
            except BaseException as error:
                _OPEN.discard(cast(Future[object], future))
                future.set_exception(error)
            else:
                _OPEN.discard(cast(Future[object], future))
                future.set_result(outcome)

        self._waiting.put(do)
        if self._thread is None:
            # A daemon: the end of the process does not wait for it.
            before = threading.stack_size(_STACK)
            try:
                self._thread = threading.Thread(target=_serve, args=(self._waiting,), daemon=True)
                self._thread.start()
            finally:
                threading.stack_size(before)
        return future

    def do(self, work: Callable[[], T], leave: Callable[[], bool]) -> T:
        """Have something done and wait for it.

        Args:
            work: is called in the thread.
            leave: whether to wait no longer; asked twenty times a second.

        Returns:
            What the work returns; what it raises is raised.

        Raises:
            LeftBehindError: it was not waited for.
        """
        future, over = self.submit(work), threading.Event()
        future.add_done_callback(lambda _: over.set())
        while not over.wait(_LOOK):
            if leave():
                raise LeftBehindError("work under way was not waited for")
        return future.result()

    def close(self, patience: float) -> bool:
        """Begin nothing more; return whether what was under way has ended.

        A thread that has nothing left to do is waited for: it ends at once, and if it gave back
        tensors while Python exits, the process would be aborted.

        Args:
            patience: seconds to wait for what is under way.
        """
        if self._thread is None or self._last is None:
            return True
        self._waiting.put(None)
        self._thread.join(None if self._last.done() else patience)
        return not self._thread.is_alive()


def are_busy() -> bool:
    """Return whether something is not done yet that a thread of this process was given."""
    return bool(_OPEN)


@contextmanager
def at_work() -> Iterator[None]:
    """Do something in a thread of one's own for which the end of the process does not wait."""
    mark: Future[object] = Future()
    _OPEN.add(mark)
    try:
        yield
    finally:
        _OPEN.discard(mark)


def end_process(code: int) -> None:
    """End this process now if a thread is still at work that nobody waits for.

    It may be deep in compiled code, and must not see what it works on being taken apart.

    Args:
        code: to exit with.
    """
    if are_busy():
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _serve(waiting: SimpleQueue[Callable[[], None] | None]) -> None:
    while (work := waiting.get()) is not None:
        work()
        # What it holds is not kept while there is nothing to do.
        del work
