"""What is wrong, or odd, at one place of a rulesheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, final

Severity: TypeAlias = Literal["error", "nonstandard", "warning"]


@final
@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a source text.

    Attributes:
        line: 1-based line number.
        column: 1-based column number, counted in characters.
    """

    line: int
    column: int


NOWHERE = Position(0, 0)
START = Position(1, 1)
"""Where a message points to that is about the whole rulesheet, such as a missing role."""

LONGEST_SHOWN = 60
"""Most characters of a name or term in a message."""


def shown(text: str) -> str:
    """Return a name or term for a message: its start and its length if it is long."""
    if len(text) <= LONGEST_SHOWN:
        return text
    return f"{text[:LONGEST_SHOWN]}... ({len(text):,} characters)"


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, nonstandard or odd in a rulesheet.

    Attributes:
        severity: ``error`` if nobody can play the rulesheet; ``nonstandard`` if it breaks a rule of
            the language and is played with the one sensible meaning that it has; ``warning`` if it
            is only odd.
        position: where the offending symbol stands; :data:`START` if something is missing.
        message: what was found and what would be allowed.
        code: a short fixed name of the kind of finding, such as ``unsafe-variable``.
        left_out: whether the whole statement there is not played.
    """

    severity: Severity
    position: Position
    message: str
    code: str
    left_out: bool = False

    def text(self, source: str) -> str:
        """Return ``file:line:column: severity: message``, without a place that is not known."""
        return f"{self.place(source)}: {self.severity}: {self.message}"

    def place(self, source: str) -> str:
        """Return ``file:line:column``, or the file alone if the position is not known."""
        if self.position == NOWHERE:
            return source
        return f"{source}:{self.position.line}:{self.position.column}"
