"""The reserved words of GDL and how many arguments each takes."""

from __future__ import annotations

from collections.abc import Collection

SYNTAX_WORDS = frozenset({"<=", "not", "or", "and", "distinct"})
"""Words that build rules and formulas; never the name of anything."""

RELATION_ARITIES = {
    "role": 1,
    "init": 1,
    "true": 1,
    "does": 2,
    "next": 1,
    "legal": 2,
    "goal": 2,
    "terminal": 0,
    "base": 1,
    "input": 2,
}
"""The relations with a fixed meaning and their number of arguments."""

KEYWORDS = SYNTAX_WORDS | frozenset(RELATION_ARITIES)
"""Every word with a fixed meaning in the rules of a game."""

UNRENAMED_WORDS = KEYWORDS | {"random", "sees", "percept", "_"}
"""Words that a scrambler keeps: the keywords, those of GDL-II, and the lone underscore."""


def fresh_name(wanted: str, taken: Collection[str], joint: str = "-") -> str:
    """Return a name that is not taken: the wanted one, or with a number behind it."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}{joint}{number}", number + 1
    return name


def is_integer(name: str) -> bool:
    """Return whether a name reads as an integer, such as ``100`` or ``-3``."""
    digits = name[1:] if name[:1] in ("-", "+") else name
    return digits.isascii() and digits.isdigit()


def goal_number(name: str) -> int | None:
    """Return the integer that a name of a goal reads as, whatever its size; None for no integer.

    Integers of more than twenty digits are cut to twenty: all that counts is on which side of
    0..100 they lie.
    """
    if not is_integer(name):
        return None
    sign = -1 if name.startswith("-") else 1
    return sign * min(int(name.lstrip("+-").lstrip("0")[:20] or "0"), 10**19)


def clamped_goal(number: int) -> int:
    """Return the goal value in 0..100 that an integer counts as."""
    return min(max(number, 0), 100)


def is_goal_value(name: str) -> bool:
    """Return whether a name reads as an integer from 0 to 100."""
    # Python refuses to read integers of thousands of digits, so long names are judged unread.
    return is_integer(name) and len(name) <= 20 and 0 <= int(name) <= 100
