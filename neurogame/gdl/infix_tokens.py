"""The words of an infix text: regular expressions, names without quotes, and what is no word."""

from __future__ import annotations

import re

from neurogame.gdl.finding import shown
from neurogame.gdl.keywords import SYNTAX_WORDS

GAP = r"(?:\s++|[%;][^\r\n]*+)*+"
"""What may stand behind any token: space, line ends and comments."""

_ODD_END = r"[-+*/.]++\w"  # of a name without its quotes, such as x-y: no word, but shown as one
_QUOTED = r"'(?:[^'\r\n]|'')*'"
NAME = rf"(?:(?!\w++{_ODD_END})(?:-?[0-9]++(?!\w)|\w++)|(?>{_QUOTED}))"
"""A name or variable."""

NOT = rf"~|not(?!\w|{_ODD_END})"

TOKEN = re.compile(
    rf"(\w+(?:[-+*/.]+\w+)+|:-|::|==>|!=|\\=|[(),&|~.]|-?[0-9]+(?!\w)|\w+|{_QUOTED}"
    rf"|[^\s\w()',&|~%;.]+|'){GAP}"
)
"""Any token, allowed or not, as group 1."""

_ALLOWED = re.compile(rf":-|::|==>|!=|\\=|[(),&|~.]|{NAME}")
_NO_NAME = re.compile(r"[\s();]|^\?|^$")


def is_variable(word: str) -> bool:
    """Return whether a name without quotes is that of a variable."""
    return word[0] == "_" or word[0].isupper() or word[0].istitle()


def unquoted(word: str) -> str:
    """Return a name without the quotes that it may have."""
    return word[1:-1].replace("''", "'") if word[0] == "'" else word


def refusal(token: str) -> str | None:
    """Return why a token is allowed nowhere, or None."""
    if token == "'":
        return "the quotation that starts here does not end on its line; close it with '"
    if token[0] == "'":
        return _refusal_of_quoted(token)
    if _ALLOWED.fullmatch(token):
        return None
    return (
        f"unexpected '{shown(token)}': a name with anything but letters, digits and '_' is "
        "written in single quotes, such as 'x-y'"
    )


def _refusal_of_quoted(token: str) -> str | None:
    name = unquoted(token)
    if _NO_NAME.search(name):
        return (
            f"{shown(token)} is no name: names are not empty, have no spaces, parentheses or "
            "semicolons, and do not start with '?'"
        )
    if name.lower() in SYNTAX_WORDS:
        return f"{shown(token)} is a reserved word; choose another name"
    return None
