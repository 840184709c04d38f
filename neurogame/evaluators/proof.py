"""Proof graphs: what every goal value of every role says about the fluents of a state.

The paper speaks of a propositional proof *tree* per goal. Its nodes are shared here: the graph
holds every sub-formula once, and is never expanded, so memory is linear in the circuit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import AND
from neurogame.errors import GameError
from neurogame.ground.atoms import AtomTable, IntArray

FALSE_LITERAL = -2
TRUE_LITERAL = -1
"""Constant literals; like all others they are complemented by ``literal ^ 1``."""


@dataclass(frozen=True)
class GoalRoot:
    """One goal value of one role, and the literal that says whether a state earns it.

    Attributes:
        role: index of the role.
        value: the goal value, 0..100.
        literal: ``2 * node + complement``, or a constant literal.
    """

    role: int
    value: int
    literal: int


@dataclass(frozen=True, eq=False)
class ProofGraph:
    """The proof trees of all goals as one acyclic and/or graph over fluents.

    ``F`` fluents, ``N`` inner nodes, ``E`` edges, ``V`` goals (role and value). Node ``f < F`` is
    fluent ``f``; inner node ``i`` has the number ``F + i``. Inner nodes stand in topological
    order, have at least two different children (one where a whole goal is a single fluent), and
    never a child that is constant.

    Attributes:
        roles: role names; ``[R]``.
        fluents: text of each fluent; ``[F]``.
        kind: ``AND`` (0) or ``OR`` (1); uint8 ``[N]``.
        start: inner node ``i`` has the children ``children[start[i]:start[i + 1]]``;
            int64 ``[N + 1]``.
        children: literals ``2 * node + complement``; int64 ``[E]``.
        level: longest distance to a fluent, at least 1; int64 ``[N]``.
        atom: index into ``atoms`` of the atom a node stands for, or -1; int64 ``[N]``.
        rule: index of the rule whose body a node is, or -1; int64 ``[N]``.
        goals: role by role, highest value first; ``[V]``.
        atoms: the ground atoms, for names.
    """

    roles: tuple[str, ...]
    fluents: tuple[str, ...]
    kind: npt.NDArray[np.uint8]
    start: IntArray
    children: IntArray
    level: IntArray
    atom: IntArray
    rule: IntArray
    goals: tuple[GoalRoot, ...]
    atoms: AtomTable

    @property
    def size(self) -> int:
        """Number of inner nodes, ``N``."""
        return len(self.kind)

    @property
    def edge_count(self) -> int:
        """Number of edges, ``E``."""
        return len(self.children)

    @property
    def fan_in(self) -> IntArray:
        """Number of children of each inner node; int64 ``[N]``."""
        return np.diff(self.start)

    def edges_of(self, inner: IntArray) -> IntArray:
        """Return the edges of some inner nodes, node by node; indices into :attr:`children`."""
        count = self.start[inner + 1] - self.start[inner]
        ends = np.cumsum(count)
        within = np.arange(count.sum()) - np.repeat(ends - count, count)
        edges: IntArray = np.repeat(self.start[inner], count) + within
        return edges

    def label(self, node: int) -> str:
        """Return the text of what a node stands for: its atom, else the rule it is the body of.

        Args:
            node: a node number, fluents first.
        """
        inner = node - len(self.fluents)
        if inner < 0:
            return f"(true {self.fluents[node]})"
        if self.atom[inner] >= 0:
            return self.atoms.text(int(self.atom[inner]))
        if self.rule[inner] >= 0:
            return f"rule {int(self.rule[inner])}"
        named = "and" if self.kind[inner] == AND else "or"
        return f"{named} node {inner}"

    def goal_label(self, index: int) -> str:
        """Return the goal sentence of one goal, such as ``(goal red 100)``."""
        goal = self.goals[index]
        return f"(goal {self.roles[goal.role]} {goal.value})"

    def cone(self, literals: list[int]) -> IntArray:
        """Return the inner nodes that some literals depend on, in topological order.

        Args:
            literals: literals of this graph, constants allowed.

        Returns:
            Indices of inner nodes, ascending; int64.
        """
        first = len(self.fluents)
        needed = np.zeros(self.size, dtype=bool)
        frontier = np.asarray([(x >> 1) - first for x in literals if x >= 2 * first], np.int64)
        while len(frontier):
            frontier = np.unique(frontier)
            needed[frontier] = True
            below = (self.children[self.edges_of(frontier)] >> 1) - first
            below = below[below >= 0]
            frontier = below[~needed[below]]
        return np.flatnonzero(needed)

    def holds(self, fluents: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which goals hold, by Boolean logic alone.

        Args:
            fluents: the states; bool ``[B, F]``.

        Returns:
            Bool ``[B, V]``, in the order of :attr:`goals`.

        Raises:
            GameError: the states have another number of fluents.
        """
        if fluents.ndim != 2 or fluents.shape[1] != len(self.fluents):
            raise GameError(
                f"states of shape {fluents.shape} do not fit: [B, {len(self.fluents)}] is needed"
            )
        first = len(self.fluents)
        truth = np.zeros((first + self.size, len(fluents)), dtype=bool)
        truth[:first] = fluents.T
        for inner in range(self.size):
            literals = self.children[self.start[inner] : self.start[inner + 1]]
            values = truth[literals >> 1] ^ (literals & 1).astype(bool)[:, None]
            conjunction = self.kind[inner] == AND
            truth[first + inner] = values.all(axis=0) if conjunction else values.any(axis=0)
        result = np.zeros((len(fluents), len(self.goals)), dtype=bool)
        for column, goal in enumerate(self.goals):
            if goal.literal in (FALSE_LITERAL, TRUE_LITERAL):
                result[:, column] = goal.literal == TRUE_LITERAL
            else:
                result[:, column] = truth[goal.literal >> 1] ^ bool(goal.literal & 1)
        return result
