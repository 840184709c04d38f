"""What takes long to make, made once, by a thread of its own, when somebody first asks for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar, final

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
        self._over = threading.Event()
        self._began: float | None = None
        self._made: list[_T] = []
        self._error: Exception | None = None

    def get(self) -> _T | None:
        """Return it, or None while it is being made; the first call begins that.

        Raises:
            Exception: what the maker has raised, each time again.
        """
        with self._lock:
            if self._began is None:
                self._began = time.monotonic()
                # A daemon: who ends the program does not wait for what nobody will see.
                threading.Thread(target=self._run, daemon=True).start()
        return self.wait() if self._over.is_set() else None

    def wait(self, seconds: float | None = None) -> _T | None:
        """Return it when it is there.

        Args:
            seconds: to wait at most; None: as long as it takes.

        Returns:
            It, or None where the time was too short, or nobody has asked for it yet.

        Raises:
            Exception: what the maker has raised.
        """
        if self._began is None or not self._over.wait(seconds):
            return None
        if self._error is not None:
            raise self._error
        return self._made[0]

    @property
    def seconds(self) -> float:
        """For how long it is being made, or was when it was asked for last."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    def _run(self) -> None:
        try:
            self._made.append(self._make())
        except Exception as error:
            self._error = error
        finally:
            self._over.set()
