"""Infix ("HRF") text to tokens: names, variables and operators with their positions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import pyparsing

from neurogame.gdl.finding import Position, shown
from neurogame.gdl.keywords import SYNTAX_WORDS
from neurogame.gdl.lines import Lines

NAME, VARIABLE, BAD = "name", "variable", "bad"
"""Kinds of tokens besides the operators, which are their own kind."""

_TOKEN = (
    pyparsing.Regex(
        r"(?:\s++|%[^\r\n]*+)++"  # A gap. As in the prefix notation, gaps are tokens for speed.
        r"|\w+(?:[-+*/.]+\w+)+"  # A name without its quotes, such as x-y: one word for the message.
        r"|:-|!=|\\=|[(),&|~.]|-?[0-9]+(?!\w)|\w+|'(?:[^'\r\n]|'')*'"
        r"|[^\s\w()',&|~%.]+|'"  # Whatever else: never allowed.
    )
    .leave_whitespace()
    .parse_with_tabs()
)
_SAME = {"not": "~", "\\=": "!="}
_OPERATORS = frozenset({":-", "!=", "(", ")", ",", "&", "|", "~", "."})
_WORD = re.compile(r"-?[0-9]+|\w+")
_NO_NAME = re.compile(r"[\s();]|^\?|^$")


@final
@dataclass(frozen=True, slots=True)
class Token:
    r"""A word or an operator.

    Attributes:
        kind: :data:`NAME`, :data:`VARIABLE`, :data:`BAD`, or the operator itself; ``not`` and
            ``\=`` have the kinds ``~`` and ``!=``.
        text: the name without quotes, the variable, or for :data:`BAD` what is wrong.
        position: where it starts.
        starts_line: whether it is the first token on its line.
    """

    kind: str
    text: str
    position: Position
    starts_line: bool

    def __str__(self) -> str:
        """Return the token as a message shows it."""
        return f"'{shown(self.text)}'"


def read_tokens(text: str) -> Iterator[Token]:
    """Split an infix text into tokens; gaps and comments are left out.

    Args:
        text: infix text without a byte order mark.
    """
    lines = Lines(text)
    line = 0
    for tokens, start, _ in _TOKEN.scan_string(text):
        word: str = tokens[0]
        if word[0] == "%" or word[0].isspace():
            continue
        position = lines.position(start)
        kind, meaning = _classified(word)
        yield Token(kind, meaning, position, position.line > line)
        line = position.line


def _classified(word: str) -> tuple[str, str]:
    """Return kind and text of a token."""
    kind = _SAME.get(word, word)
    if kind in _OPERATORS:
        return kind, word
    if word[0] == "'":
        return _quoted(word)
    if not _WORD.fullmatch(word):
        return BAD, _refusal(word)
    starts_variable = word[0] == "_" or word[0].isupper() or word[0].istitle()
    return (VARIABLE if starts_variable else NAME), word


def _quoted(word: str) -> tuple[str, str]:
    if len(word) == 1:
        return BAD, "the quotation that starts here does not end on its line; close it with '"
    name = word[1:-1].replace("''", "'")
    if _NO_NAME.search(name):
        return BAD, (
            f"{shown(word)} is no name: names are not empty, have no spaces, parentheses or "
            "semicolons, and do not start with '?'"
        )
    if name.lower() in SYNTAX_WORDS:
        return BAD, f"{shown(word)} is a reserved word; choose another name"
    return NAME, name


def _refusal(word: str) -> str:
    if word[0] == ";":
        return "unexpected ';': a comment starts with '%', and a disjunction is written a | b"
    return (
        f"unexpected '{shown(word)}': a name with anything but letters, digits and '_' is "
        "written in single quotes, such as 'x-y'"
    )
