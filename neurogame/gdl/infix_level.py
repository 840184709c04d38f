"""The operators of an infix text: what stands between two parentheses, as it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, final

from neurogame.gdl.finding import Position
from neurogame.gdl.nodes import MAXIMUM_DEPTH, MAXIMUM_WORDS, Group, Node, Word


@final
@dataclass(slots=True)
class InfixLiteral:
    """A literal: a sentence or term, or two with ``!=`` between them.

    Attributes:
        negations: where the ``~`` before it stand.
        terms: the one or the two; none before the first has been read.
    """

    negations: list[Position] = field(default_factory=list)
    terms: list[Node] = field(default_factory=list)

    def node(self) -> Node:
        """Return the literal in prefix order."""
        node = joined("distinct", self.terms)
        for position in reversed(self.negations):
            node = Group(position, [Word("not", position), node])
        return node


Formula: TypeAlias = list[list[InfixLiteral]]
"""A disjunction of conjunctions."""


@final
@dataclass(slots=True)
class InfixLevel:
    """What has been read inside one pair of parentheses, or of the head or body of a statement.

    Attributes:
        opened: where its parenthesis stands.
        name: the name before the parenthesis; None if the parenthesis only groups.
        arguments: the formulas between the commas; the last literal of the last one is being
            read. Without a name there is exactly one.
    """

    opened: Position
    name: Word | None = None
    arguments: list[Formula] = field(default_factory=lambda: [[[InfixLiteral()]]])

    @property
    def literal(self) -> InfixLiteral:
        """The literal that is being read."""
        return self.arguments[-1][-1][-1]

    def is_empty(self) -> bool:
        """Return whether nothing has been read."""
        return self.arguments == [[[InfixLiteral()]]]

    def node(self) -> Node:
        """Return the complete level in prefix order."""
        nodes = [formula_node(formula) for formula in self.arguments]
        return nodes[0] if self.name is None else Group(self.name.position, [self.name, *nodes])

    def body(self) -> list[Node]:
        """Return the literals of a body: it is their conjunction."""
        (formula,) = self.arguments
        return [literal.node() for literal in formula[0]] if len(formula) == 1 else [self.node()]


def formula_node(formula: Formula) -> Node:
    """Return a complete formula in prefix order."""
    return joined("or", [joined("and", [literal.node() for literal in c]) for c in formula])


def joined(connective: str, nodes: list[Node]) -> Node:
    """Return the only node, or the nodes joined by a connective."""
    if len(nodes) == 1:
        return nodes[0]
    position = nodes[0].position
    return Group(position, [Word(connective, position), *nodes])


def size_problem(statement: Node) -> tuple[str, str] | None:
    """Return message and code if a statement is beyond the limits of prefix notation.

    Without recursion, since the nesting may be deeper than Python's stack.
    """
    depth, words, level = 0, 1, [statement]
    while groups := [item for item in level if isinstance(item, Group)]:
        depth += 1
        level = [item for group in groups for item in group.items]
        words += len(level)
    if depth > MAXIMUM_DEPTH:
        message = f"the statement is nested more than {MAXIMUM_DEPTH} deep; use fewer levels"
        return message, "too-deep"
    if words > MAXIMUM_WORDS:
        message = (
            f"the statement has {words:,} words and parentheses, at most {MAXIMUM_WORDS:,} are "
            "allowed; split it into several rules, or look for a missing '.'"
        )
        return message, "too-long-rule"
    return None
