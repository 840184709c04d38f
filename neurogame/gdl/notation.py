"""Which notation a rulesheet is written in: prefix (KIF), infix (HRF), or with operations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Literal, TypeAlias, final

from neurogame.gdl.finding import Finding
from neurogame.gdl.lines import Lines

INFIX_SUFFIX = ".hrf"
PREFIX_SUFFIX = ".kif"

Kind: TypeAlias = Literal["prefix", "infix", "operation"]
PREFIX: Kind = "prefix"
INFIX: Kind = "infix"
OPERATIONS: Kind = "operation"

_PREFIX_START = re.compile(r"\ufeff?(?:\s++|;[^\r\n]*+)*+\(")
# What stands in comments and in quotes tells nothing. Infix texts have no '<=' at all.
_SIGN = re.compile(r"[;%][^\r\n]*+|'[^'\r\n]*+'|(?P<prefix>\(\s*+<=)|(?P<operation>::|==>)")
# A line that starts with a whole head and ':-'. In prefix notation these would be facts that are
# bare names, one of them ':-', side by side on one line.
_NAME = r"(?:-?\w[^\s%;():]*+|'(?:[^'\r\n]|'')*+')"
_ARROW = re.compile(
    rf"^[ \t]*{_NAME}[ \t]*(?:\((?:[^%;'\r\n]|'[^'\r\n]*+')*\))?[ \t]*:-", re.MULTILINE
)
_LINE_START = re.compile(
    rf"^[ \t]*+(?:(?P<prefix>\()|{_NAME}\([ \t]*+[^\s(),]++[ \t]*+[,()])", re.MULTILINE
)


@final
@dataclass(frozen=True, slots=True)
class Notation:
    """The notation that a text is read in.

    Attributes:
        kind: its name, as messages show it.
        reason: what in the text says so, for messages.
    """

    kind: Kind
    reason: str

    def noted(self, errors: Iterable[Finding]) -> list[Finding]:
        """Return syntax errors by position; the first one says which notation was assumed."""
        ordered = sorted(errors, key=lambda error: error.position)
        for first in ordered[:1]:
            message = f"{first.message} (read as {self.kind} notation, because {self.reason})"
            ordered[0] = replace(first, message=message)
        return ordered


def notation_of(text: str, source: str) -> Notation:
    """Return the notation of a rulesheet; its text decides, its name only where no text does.

    A text that starts with a parenthesis or has ``(<=`` is in prefix notation. Of the others those
    with ``::`` or ``==>`` are in operation notation and those with a line that starts with
    ``head :-`` in infix notation. Then the first line decides that starts with ``(`` or
    with ``name(word``, and then the suffix, ``.hrf`` or not.

    Args:
        text: the rulesheet.
        source: its file name, or any other name.
    """
    if _PREFIX_START.match(text):
        return Notation(PREFIX, "the text starts with '('")
    signs = [sign for sign in _SIGN.finditer(text) if sign.lastgroup]
    for sign in sorted(signs, key=lambda sign: sign.lastgroup != "prefix")[:1]:
        if sign.lastgroup == "prefix":
            return Notation(PREFIX, f"line {_line(text, sign)} has '(<='")
        return Notation(OPERATIONS, f"line {_line(text, sign)} has '{sign[0]}'")
    arrow = _ARROW.search(text)
    if arrow:
        return Notation(INFIX, f"line {_line(text, arrow)} has a head and ':-'")
    start = _LINE_START.search(text)
    if start:
        prefix = start.lastgroup == "prefix"
        line = f"line {_line(text, start)} starts with '{start[0].strip()}'"
        return Notation(PREFIX if prefix else INFIX, line)
    suffix = PurePath(source).suffix.lower()
    if suffix == INFIX_SUFFIX:
        return Notation(INFIX, f"its name ends in {INFIX_SUFFIX}")
    if suffix == PREFIX_SUFFIX:
        return Notation(PREFIX, f"its name ends in {PREFIX_SUFFIX}")
    return Notation(PREFIX, "nothing in it looks like another")


def _line(text: str, match: re.Match[str]) -> int:
    """Return the line of the last character of a match."""
    return Lines(text).position(match.end() - 1).line
