"""What makes a person wait says so, if anybody listens.

A command listens by :func:`listen`; a program that uses this package as a library waits in silence.
"""

from __future__ import annotations

from collections.abc import Callable

_LISTENER: list[Callable[[str], None]] = []


def listen(listener: Callable[[str], None] | None) -> None:
    """Ask to be told in a line what is done before it takes seconds.

    Args:
        listener: is called with the line; None: nobody is told any more.
    """
    _LISTENER[:] = [] if listener is None else [listener]


def say(line: str) -> None:
    """Say what is about to take seconds, or what came of it.

    Args:
        line: what it is, and how long it takes at most; or what was decided.
    """
    for listener in _LISTENER:
        listener(line)
