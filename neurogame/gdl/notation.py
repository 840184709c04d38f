"""Which of the two notations, prefix (KIF) or infix (HRF), a rulesheet is written in."""

from __future__ import annotations

import re
from pathlib import PurePath

INFIX_SUFFIX = ".hrf"
PREFIX_SUFFIX = ".kif"

_PREFIX_START = re.compile(r"\ufeff?(?:\s++|;[^\r\n]*+)*+\(")
# A line that starts with a whole head and ':-'. In prefix notation these would be facts that are
# bare names, one of them ':-', side by side on one line.
_ARROW = re.compile(r"^[ \t]*[\w'][^\s%;()]*[ \t]*(?:\([^%;\r\n]*\))?[ \t]*:-", re.MULTILINE)


def is_infix(text: str, source: str) -> bool:
    """Return whether a rulesheet is in infix notation.

    A text that starts with a parenthesis never is. Of the others those in ``.hrf`` files are,
    those in ``.kif`` files are not, and the rest is if a line starts with ``head :-``.

    Args:
        text: the rulesheet.
        source: its file name, or any other name.
    """
    if _PREFIX_START.match(text):
        return False
    suffix = PurePath(source).suffix.lower()
    if suffix in (INFIX_SUFFIX, PREFIX_SUFFIX):
        return suffix == INFIX_SUFFIX
    return _ARROW.search(text) is not None
