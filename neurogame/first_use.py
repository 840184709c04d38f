"""What a person is told before compiling makes them wait: once per process, and only if asked for.

A command asks by :func:`tell_with`; a program that uses this package as a library is told nothing.
"""

from __future__ import annotations

from collections.abc import Callable

_LISTENER: list[Callable[[], None]] = []


def tell_with(tell: Callable[[], None] | None) -> None:
    """Ask to be told before the first function is compiled that has not been kept.

    Args:
        tell: is called at most once; None: nobody is told.
    """
    _LISTENER[:] = [] if tell is None else [tell]


def compiling() -> None:
    """Say that a function is about to be compiled."""
    if _LISTENER:
        _LISTENER.pop()()
