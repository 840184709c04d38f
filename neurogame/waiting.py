"""What makes a person wait says so, and shows how far it is, if anybody listens.

A command listens by :func:`listen`; a program that uses this package as a library waits in silence.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class WaitingView(Protocol):
    """Shows a person what makes them wait."""

    def say(self, line: str) -> None:
        """Show a line."""

    def during(self, what: str, seconds: float) -> AbstractContextManager[None]:
        """Show how far something is while it runs."""


_VIEWS: list[WaitingView] = []


def listen(view: WaitingView | None) -> None:
    """Ask to be told what takes seconds.

    Args:
        view: is told from now on; None: nobody is told any more.
    """
    _VIEWS[:] = [] if view is None else [view]


def say(line: str) -> None:
    """Say what is about to take seconds, or what came of it.

    Args:
        line: what it is, and how long it takes at most; or what was decided.
    """
    for view in _VIEWS:
        view.say(line)


@contextmanager
def said_later(seconds: float, line: str, tell: Callable[[str], None] = say) -> Iterator[None]:
    """Say what takes so long, once it has taken some time.

    Args:
        seconds: after which that is said.
        line: what it is.
        tell: is told it, by a thread of its own.
    """
    timer = threading.Timer(seconds, tell, [line])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def during(what: str, seconds: float) -> Iterator[None]:
    """Show how far something is while it runs.

    Args:
        what: it is, without its time.
        seconds: that it takes, at most or about; at least 0.
    """
    if not _VIEWS:
        yield
        return
    with _VIEWS[0].during(what, seconds):
        yield
