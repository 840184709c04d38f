"""What stands between two parentheses of an infix text, while it is being read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from neurogame.gdl.finding import Position
from neurogame.gdl.nodes import Group, Node, Word


@final
@dataclass(slots=True)
class Frame:
    """What has been read inside one pair of parentheses, or of the head or body of a statement.

    Attributes:
        opened: where its parenthesis stands.
        name: the name before the parenthesis, None if the parenthesis only groups.
        arguments: the complete arguments of that name.
        disjuncts: the complete operands of ``|``.
        conjuncts: the complete operands of ``&`` since the last ``|``.
        negations: where the ``~`` before the operand stand.
        left: the left side of ``!=``.
        operand: the word or parentheses just read; None where one is expected.
    """

    opened: Position
    name: Word | None = None
    arguments: list[Node] = field(default_factory=list)
    disjuncts: list[Node] = field(default_factory=list)
    conjuncts: list[Node] = field(default_factory=list)
    negations: list[Position] = field(default_factory=list)
    left: Node | None = None
    operand: Node | None = None

    def is_empty(self) -> bool:
        """Return whether nothing has been read."""
        parts = (self.arguments, self.disjuncts, self.conjuncts, self.negations)
        return self.operand is None and self.left is None and not any(parts)

    def end_literal(self) -> None:
        """Make the operand, with the ``!=`` and ``~`` before it, a conjunct."""
        node = self.operand
        assert node is not None
        if self.left is not None:
            node = _joined("distinct", [self.left, node])
        for position in reversed(self.negations):
            node = Group(position, [Word("not", position), node])
        self.conjuncts.append(node)
        self.negations, self.left, self.operand = [], None, None

    def end_conjunction(self) -> None:
        """Make the conjuncts a disjunct."""
        self.end_literal()
        self.disjuncts.append(_joined("and", self.conjuncts))
        self.conjuncts = []

    def formula(self) -> Node:
        """Return all that has been read as one formula, and forget it."""
        self.end_conjunction()
        whole = _joined("or", self.disjuncts)
        self.disjuncts = []
        return whole

    def literals(self) -> list[Node]:
        """Return the literals of a body whose conjunction it is."""
        if self.disjuncts:
            return [self.formula()]
        self.end_literal()
        return self.conjuncts


def _joined(connective: str, nodes: list[Node]) -> Node:
    """Return the only node, or the nodes joined by a connective."""
    if len(nodes) == 1:
        return nodes[0]
    position = nodes[0].position
    return Group(position, [Word(connective, position), *nodes])
