"""Text to nested words: the parentheses and words of a KIF text with their positions.

pyparsing splits the text; the trees are built with an explicit stack, so that the depth of
nesting is limited by :data:`MAXIMUM_DEPTH` and not by Python's own stack.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field
from typing import TypeAlias, final

import pyparsing

from neurogame.gdl.finding import Finding, Position

MAXIMUM_DEPTH = 200
"""Deepest accepted nesting of parentheses (the deepest public rulesheet has 25)."""

# Gaps are tokens too: matching them at once is twice as fast as having pyparsing skip them.
_TOKEN = pyparsing.Regex(r"(?:\s+|;[^\r\n]*)+|[()]|[^\s();]+").leave_whitespace().parse_with_tabs()
_LINE_END = re.compile(r"\r\n|\r|\n")


@final
@dataclass(frozen=True, slots=True)
class Word:
    """A name, variable or reserved word as it stands in the text.

    Attributes:
        text: the word as spelled.
        position: where it starts.
    """

    text: str
    position: Position


@final
@dataclass(slots=True)
class Group:
    """A pair of parentheses; it grows while it is read.

    Attributes:
        position: where its opening parenthesis stands.
        items: what stands between the parentheses, in order.
    """

    position: Position
    items: list[Node] = field(default_factory=list)


Node: TypeAlias = Word | Group


def read_nodes(text: str) -> tuple[list[Node], list[Finding]]:
    """Split a text into words and nested groups.

    Args:
        text: KIF text; ``;`` starts a comment, a leading byte order mark is ignored.

    Returns:
        The complete top-level words and groups, none nested deeper than :data:`MAXIMUM_DEPTH`,
        and the errors about parentheses.
    """
    text = text.removeprefix("\ufeff")
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    top: list[Node] = []
    stack: list[Group] = []
    errors: list[Finding] = []
    too_deep = False
    for tokens, start, _ in _TOKEN.scan_string(text):
        token: str = tokens[0]
        if token[0] == ";" or token[0].isspace():
            continue
        line = bisect.bisect_right(starts, start)
        position = Position(line, start - starts[line - 1] + 1)
        if token == "(":
            stack.append(Group(position))
            if len(stack) > MAXIMUM_DEPTH and not too_deep:
                too_deep = True
                errors.append(_too_deep(position))
        elif token != ")":
            (stack[-1].items if stack else top).append(Word(token, position))
        elif not stack:
            errors.append(_unmatched_close(position))
        else:
            group = stack.pop()
            if stack:
                # What lies too deep is dropped, so that no later step has to recurse into it.
                if len(stack) < MAXIMUM_DEPTH:
                    stack[-1].items.append(group)
            elif too_deep:
                too_deep = False
            else:
                top.append(group)
    if stack:
        errors.append(_unmatched_open(stack))
    return top, errors


def _too_deep(position: Position) -> Finding:
    message = (
        f"parentheses are nested more than {MAXIMUM_DEPTH} deep here; "
        "write the term with fewer levels, or look for missing closing parentheses before it"
    )
    return Finding("error", position, message, "too-deep")


def _unmatched_close(position: Position) -> Finding:
    message = "unmatched closing parenthesis ')'; remove it, or add the '(' that it should close"
    return Finding("error", position, message, "unmatched-close")


def _unmatched_open(stack: list[Group]) -> Finding:
    missing = f"{len(stack)} ')' are missing" if len(stack) > 1 else "one ')' is missing"
    message = f"unmatched opening parenthesis '(': it is never closed; {missing} before the end"
    return Finding("error", stack[0].position, message, "unmatched-open")
