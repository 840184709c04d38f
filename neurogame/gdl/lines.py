"""Where in a text a character stands."""

from __future__ import annotations

import bisect
import re
from typing import final

from neurogame.gdl.finding import Position

_LINE_END = re.compile(r"\r\n|\r|\n")


@final
class Lines:
    """The lines of a text, for turning offsets into positions."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def position(self, offset: int) -> Position:
        """Return line and column of the character at an offset."""
        line = bisect.bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """Return the offset of the character at a line and column."""
        return self._starts[position.line - 1] + position.column - 1
