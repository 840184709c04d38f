"""Rulesheet text in any notation to :class:`~neurogame.gdl.terms.Rules`."""

from __future__ import annotations

from collections.abc import Sequence

from neurogame.errors import RulesError
from neurogame.gdl.finding import Finding, shown
from neurogame.gdl.infix_read import read_infix
from neurogame.gdl.nodes import MAXIMUM_ERRORS, read_nodes
from neurogame.gdl.notation import OPERATIONS, PREFIX, notation_of
from neurogame.gdl.operations_read import without_operations
from neurogame.gdl.syntax import SyntaxReader
from neurogame.gdl.terms import Rule, Rules, Term

MAXIMUM_REPORTED = 50
"""How many errors one message lists before it only counts them."""


def parse_rules(text: str, source: str = "<text>") -> Rules:
    """Parse a rulesheet.

    Only the syntax is checked here; see :func:`neurogame.gdl.check.check_rules` for the rest.

    Args:
        text: the whole rulesheet in prefix, infix or operation notation: see
            :func:`~neurogame.gdl.notation.notation_of`.
        source: the file name, for messages.

    Returns:
        The rules with positions; names folded to lower case, first spellings remembered.

    Raises:
        RulesError: the text is not well-formed; the message lists every syntax error as
            ``file:line:column: message``.
    """
    rules, errors = parse_with_findings(text, source)
    if errors:
        raise RulesError(error_text(errors, source))
    return rules


def parse_with_findings(text: str, source: str = "<text>") -> tuple[Rules, list[Finding]]:
    """Parse a rulesheet and return its syntax errors instead of raising them.

    Args:
        text: the whole rulesheet in prefix, infix or operation notation.
        source: the file name, for messages.

    Returns:
        The facts and rules that could be read, and the syntax errors by position; the first one
        says which notation was assumed and why.
    """
    notation = notation_of(text, source)
    if notation.kind == PREFIX:
        nodes, errors = read_nodes(text)
    else:
        nodes, errors = read_infix(text, operations=notation.kind == OPERATIONS)
    reader = SyntaxReader(connectives_are_names=notation.kind == PREFIX)
    rules: list[Rule] = []
    for node in nodes:
        rule = reader.rule(node)
        if rule is not None:
            rules.append(rule)
        if len(reader.errors) >= MAXIMUM_ERRORS:
            break
    errors = errors + reader.errors
    read = Rules(tuple(rules), reader.spelling, source, tuple(reader.remarks))
    if notation.kind == OPERATIONS:
        # What an unread statement would have declared is no error of the others.
        read, unfit = without_operations(read)
        errors = errors if any(error.severity == "error" for error in errors) else errors + unfit
    return read, notation.noted(errors)


def parse_term(text: str) -> Term:
    """Parse one KIF term, such as ``(cell 1 1 b)`` or ``noop``.

    Args:
        text: the text of exactly one term; names may be in any case.

    Returns:
        The term with its names folded to lower case.

    Raises:
        RulesError: the text is not one well-formed term.
    """
    nodes, errors = read_nodes(text)
    if errors:
        raise RulesError(error_text(errors, "<text>"))
    if len(nodes) != 1:
        raise RulesError(
            f"expected exactly one term such as '(mark 1 1)' or 'noop', found {len(nodes)} "
            f"in {shown(text)!r}"
        )
    reader = SyntaxReader()
    term = reader.term(nodes[0])
    if term is None:
        raise RulesError(error_text(reader.errors, "<text>"))
    return term


def error_text(errors: Sequence[Finding], source: str) -> str:
    """Return one message that lists errors, one ``file:line:column: message`` per line."""
    lines = [f"{error.place(source)}: {error.message}" for error in errors[:MAXIMUM_REPORTED]]
    if len(errors) > MAXIMUM_REPORTED:
        lines.append(f"{source}: and {len(errors) - MAXIMUM_REPORTED} more errors")
    return "\n".join(lines)
