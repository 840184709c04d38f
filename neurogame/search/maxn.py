"""Max^n to a fixed depth: every role maximises its own value."""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.search.expander import Expander
from neurogame.search.node import Node
from neurogame.search.tree import Flags, Integers, Reals


@final
class MaxN:
    """The max^n algorithm for any number of roles, cooperating or not.

    Of moves that are equally good for whoever chooses, the one that is worst for the searching
    role is expected, and of those the lowest, so the value is well defined. There is no pruning:
    the only bounds that hold for max^n need a constant sum, and save little. Instead the tree is
    grown level by level in large batches. Where several roles move at once, they are taken to
    choose one after the other, each knowing the choices before: the searching role first, then
    the others in role order (the pessimistic order for the searching role).

    *Reference:* Luckhardt and Irani, An algorithmic solution of n-person games (1986).
    """

    def __init__(self, role: int, expander: Expander) -> None:
        """Prepare one search.

        Attributes ``visits`` (nodes visited), ``horizon`` (whether a value rested on an
        estimate) and ``certain`` (solved nodes whose value no tie-break and no order of
        simultaneous choices could change) are for the iterations to read.

        Args:
            role: the searching role.
            expander: generates children.
        """
        self.visits = 0
        self.horizon = False
        self.certain: dict[bytes, Reals] = {}
        self._role = role
        self._expander = expander

    def search(self, root: Node, depth: int) -> Reals:
        """Return the max^n value of the root.

        Args:
            root: a non-terminal node.
            depth: plies to look ahead, at least 1.

        Returns:
            Per-role values; float64 ``[R]``.

        Raises:
            SearchStopped: a limit was reached.
        """
        level = [root]
        for ply in range(depth):
            self._expander.expand(level)
            if ply + 1 < depth:
                level = self._next_level(level, depth - ply - 1)
        return self._value(root, depth)

    def _next_level(self, level: list[Node], depth: int) -> list[Node]:
        """Return the children that must be expanded next, without repetition."""
        table = self._expander.table
        found: dict[Node, None] = {}
        for node in level:
            for row in np.flatnonzero(node.open).tolist():
                child = table.child(node, row)
                if not child.solved and child.depth < depth:
                    found[child] = None
        return list(found)

    def _value(self, node: Node, depth: int) -> Reals:
        """Return the value of a node whose tree is expanded."""
        self.visits += 1
        if node.leaf is not None and (node.solved or node.depth >= depth):
            self.horizon |= not node.solved
            return node.leaf
        children = node.children
        assert children is not None
        values = children.values.copy()
        solved = children.terminal.copy()
        for row in np.flatnonzero(node.open).tolist():
            if depth == 1:
                self.horizon = True
                break
            child = self._expander.table.child(node, row)
            values[row] = self._value(child, depth - 1)
            solved[row] = child.solved
        best = equilibrium(values, node.counts, self._role)
        node.estimate = values[:, self._role].copy()
        node.depth, node.best, node.leaf = depth, best, values[best]
        node.value = float(node.leaf[self._role])
        node.solved = bool(solved.all())
        if node.solved and self._is_certain(node, values, best):
            self.certain[node.key] = node.leaf
        return node.leaf

    def _is_certain(self, node: Node, values: Reals, best: int) -> bool:
        """Return whether the value of a solved node is the only reasonable outcome."""
        choosers = np.flatnonzero(node.counts > 1)
        if len(choosers) > 1:
            return False
        children = node.children
        assert children is not None
        equal: Flags = np.ones(len(values), dtype=bool)
        if len(choosers) == 1:
            own = values[:, choosers[0]]
            equal = own == own[best]
        if not (values[equal] == values[best]).all():
            return False
        return all(
            children.terminal[row] or self._expander.table.child(node, row).key in self.certain
            for row in range(len(values))
        )


def equilibrium(values: Reals, counts: Integers, first: int) -> int:
    """Return the row that is played if the roles choose one after the other.

    Args:
        values: per-role values of each joint move, lexicographic; float64 ``[K, R]``.
        counts: legal moves of each role; int64 ``[R]``.
        first: the role that chooses first; the others follow in role order, and break ties
            against it.

    Returns:
        A row, 0..K-1.
    """
    rows = np.arange(len(values)).reshape(tuple(counts))
    order = [first] + [role for role in range(len(counts)) if role != first]
    for role in reversed(order):
        if counts[role] > 1:
            own = values[rows, role]
            tied = own == own.max(axis=role, keepdims=True)
            choice = np.where(tied, values[rows, first], np.inf).argmin(axis=role)
            rows = np.take_along_axis(rows, np.expand_dims(choice, role), axis=role)
    return int(rows.reshape(-1)[0])
