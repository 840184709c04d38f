"""Where progress bars go: to a terminal as they are, to anything else as a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Protocol, final

EVERY = 30.0
"""Seconds between two lines of a bar that nobody sees move, such as in a log."""


class TextStream(Protocol):
    """What a bar is written to."""

    def write(self, text: str, /) -> object:
        """Write a text."""

    def flush(self) -> None:
        """Let it be seen now."""

    def isatty(self) -> bool:
        """Return whether it is a terminal."""


def bar_stream(clock: Callable[[], float] = time.monotonic) -> TextStream:
    """Return what to give a bar as its ``file``: standard error, or lines on it.

    Args:
        clock: tells seconds.
    """
    return sys.stderr if sys.stderr.isatty() else BarLines(sys.stderr, clock)


@final
class BarLines:
    """Passes on every 30 seconds what a bar shows, as a line, and what it shows at its end.

    A bar that is not left standing, because it writes over itself at the end, has no last line.
    """

    def __init__(self, stream: TextStream, clock: Callable[[], float]) -> None:
        """Begin with nothing shown.

        Args:
            stream: where lines go.
            clock: tells seconds.
        """
        self._stream, self._clock = stream, clock
        self._told = clock()
        self._shown = self._last = ""

    @property
    def encoding(self) -> str:
        """That of the stream: it decides what bars are drawn with."""
        return str(getattr(self._stream, "encoding", None) or "ascii")

    def write(self, text: str) -> int:
        """Take what a bar would draw over its line; a line feed alone is the end of the bar."""
        shown = text.strip()
        if shown or "\r" in text:
            self._shown = shown
        if text == "\n" or self._clock() - self._told >= EVERY:
            self._tell()
        return len(text)

    def flush(self) -> None:
        """Do nothing: lines are passed on when they are whole."""

    def isatty(self) -> bool:
        """Return that it is none."""
        return False

    def _tell(self) -> None:
        self._told = self._clock()
        if self._shown and self._shown != self._last:
            self._stream.write(f"{self._shown}\n")
            self._stream.flush()
            self._last = self._shown
