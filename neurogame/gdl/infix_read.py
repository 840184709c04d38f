r"""Infix rules, the "human-readable format" (HRF) of lecture notes and papers, to nested words.

The result is what :mod:`neurogame.gdl.nodes` makes of the same rules in prefix notation, so every
later step, the messages included, is the same for both notations. The grammar::

    text      = { statement }
    statement = sentence [ ":-" formula ] [ "." ]
    formula   = conjunct { "|" conjunct }
    conjunct  = literal { ( "&" | "," ) literal }
    literal   = { "~" | "not" } ( "(" formula ")" | term [ ( "!=" | "\=" ) term ] )
    term      = VARIABLE | NAME [ "(" [ term { "," term } ] ")" ]

- A statement ends with ``.``, or where a line starts that cannot continue it: the
  statement is complete, the line starts with no operator, and it is not indented more than the
  statement's first line. After an error the rest is skipped until ``.`` or such a line.
- A VARIABLE starts with an upper-case letter or ``_``; each lone ``_`` is a variable of its own.
- A NAME is made of letters, digits and ``_``, may be a negative integer, or stands in single
  quotes: ``'x-y'``, ``'++'``, ``'Upper'``. A quote inside is doubled; nothing else is special.
- ``distinct(X, Y)`` is ``X != Y``. ``or(...)`` and ``and(...)`` take any number of formulas, for
  connectives that no operator can write, such as an ``or`` of one.
- ``%`` starts a comment that ends with its line.

*Reference:* the infix examples in M. Genesereth's notes on GDL, and section 2 of M. Trutman and
S. Schiffel, "Creating Action Heuristics for General Game Playing Agents".
"""

from __future__ import annotations

import re

from neurogame.gdl.finding import Finding
from neurogame.gdl.infix_statement import Statement
from neurogame.gdl.infix_tokens import read_tokens
from neurogame.gdl.nodes import MAXIMUM_ERRORS, Node, text_error

_NUMBERED = re.compile(r"_[0-9]+")


def read_infix(text: str) -> tuple[list[Node], list[Finding]]:
    """Read the statements of an infix text.

    Args:
        text: infix text; a leading byte order mark is ignored.

    Returns:
        The statements as nested words in prefix order, within the limits of
        :mod:`neurogame.gdl.nodes`, and the syntax errors, at most one of each statement.
    """
    text = text.removeprefix("\ufeff")
    refusal = text_error(text)
    if refusal is not None:
        return [], [refusal]
    nodes: list[Node] = []
    errors: list[Finding] = []

    def end(statement: Statement) -> None:
        result = statement.finish()
        if isinstance(result, Finding):
            errors.append(result)
        else:
            nodes.append(result)

    numbered = frozenset(_NUMBERED.findall(text))
    statement: Statement | None = None
    for token in read_tokens(text):
        if statement is not None and statement.ends_before(token):
            end(statement)
            statement = None
        if statement is None:
            statement = Statement(token, numbered)
        statement.take(token)
        if token.kind == ".":
            end(statement)
            statement = None
        if len(errors) == MAXIMUM_ERRORS:
            return nodes, errors
    if statement is not None:
        end(statement)
    return nodes, errors
