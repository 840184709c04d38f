"""What takes long to make, made once, by a thread of its own, when somebody first asks for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar, final

from neurogame.aside import Aside

_T = TypeVar("_T")


@final
class Deferred(Generic[_T]):
    """Something that is not there until it was asked for.

    Args:
        make: makes it; called at most once.
    """

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: Future[_T] | None = None
        self._began = 0.0

    def get(self, seconds: float | None = 0.0) -> _T | None:
        """Return it, or None while it is being made; the first call begins that.

        Args:
            seconds: to wait at most; None: as long as it takes.

        Raises:
            Exception: what the maker has raised, each time again.
        """
        with self._lock:
            if self._made is None:
                self._began = time.monotonic()
                aside = Aside()
                self._made = aside.submit(self._make)
                # Its thread ends behind this; the end of the program does not wait for it.
                aside.close(0.0)
        return self._made.result() if wait([self._made], seconds).done else None

    @property
    def seconds(self) -> float:
        """For how long it is being made, or was when it was asked for last."""
        return time.monotonic() - self._began if self._began else 0.0
