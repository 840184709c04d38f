"""What is done before compiling makes a person wait: once per process, and only if asked for.

A command asks by :func:`ask_with`; a program that uses this package as a library waits in silence.
"""

from __future__ import annotations

import time
from collections.abc import Callable

_LISTENER: list[Callable[[str | None], None]] = []
_BEGUN: list[float] = []
_ENDED: list[float] = []


def ask_with(listener: Callable[[str | None], None] | None) -> None:
    """Ask to be called before the first function is compiled that has not been kept.

    Args:
        listener: is called at most once, with the name of the function's module, or None if its
            code cannot be kept; it may compile ahead what will be needed. None: nobody is called.
    """
    _LISTENER[:] = [] if listener is None else [listener]


def compiling(module: str | None) -> bool:
    """Say that a function is about to be compiled; return whether it may have been by now.

    Args:
        module: of the function; None if its code cannot be kept for the next process.
    """
    if not _LISTENER:
        return False
    listener = _LISTENER.pop()
    _BEGUN.append(time.monotonic())
    try:
        listener(module)
    finally:
        _ENDED.append(time.monotonic())
    return module is not None


def seconds_spent() -> float:
    """Return how long listeners of this process have compiled ahead, one under way included."""
    ended = _ENDED[: len(_BEGUN)]
    now = [time.monotonic()] * (len(_BEGUN) - len(ended))
    return sum(ended) + sum(now) - sum(_BEGUN)


def working_time() -> float:
    """Return the time as ``time.monotonic`` tells it, on a clock that stood while they did."""
    return time.monotonic() - seconds_spent()
