"""The words of operation notation: how operations and formulas are written as terms.

What stands where prefix notation has terms only, the effects of an operation and the condition
that is counted, is read as a term whose names are the operators: ``(~ (cell ?x b))``. In a text
no name is one of them: in quotes they are odd names, which become ``_``.
"""

from __future__ import annotations

import re
from typing import final

from neurogame.gdl.infix_tokens import TOKEN, unquoted
from neurogame.gdl.keywords import SYNTAX_WORDS, fresh_name
from neurogame.gdl.nodes import Group, Node, Word

OPERATION = "::"
"""The name whose arguments are an operation and its effects."""

COUNTING = ("countofall",)
"""Relations whose arguments are terms, a formula, and a number."""

NOT, AND, OR, DISTINCT = "~", "&", "|", "!="

_OPERATORS = {"not": NOT, "and": AND, "or": OR, "distinct": DISTINCT}
_ODD = re.compile(r"[\s();]|^\?|^(?:::|[~&|]|!=)$")


def as_term(node: Node) -> Node:
    """Return a formula as a term, which has no reserved words at the start of its groups.

    Without recursion, since the nesting may be deeper than Python's stack.
    """
    todo = [node]
    for part in todo:
        if isinstance(part, Group):
            first = part.items[0] if part.items else None
            if isinstance(first, Word) and first.text.lower() in _OPERATORS:
                part.items[0] = Word(_OPERATORS[first.text.lower()], first.position)
            todo += part.items
    return node


@final
class OddNames:
    """Quoted names of a text that prefix notation cannot write, each with one that it can."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._taken: set[str] = set()
        self._names: dict[str, str] = {}

    def __contains__(self, quoted: str) -> bool:
        """Return whether a quoted name is odd, and a name at all."""
        return bool(_ODD.search(unquoted(quoted)))

    def __getitem__(self, quoted: str) -> str:
        """Return the name without quotes, with ``_`` for what cannot be written."""
        name = unquoted(quoted)
        if quoted not in self:
            return name
        folded = name.lower()
        if folded not in self._names:
            if not self._taken:
                words = (unquoted(token[1]).lower() for token in TOKEN.finditer(self._text))
                self._taken = {*words, *SYNTAX_WORDS}
            plain = fresh_name(_ODD.sub("_", folded), self._taken, "_")
            self._taken.add(plain)
            self._names[folded] = plain
        return self._names[folded]
