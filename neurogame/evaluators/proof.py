"""Proof graphs: what every goal value of every role says about the fluents of a state.

The paper speaks of a propositional proof *tree* per goal. Its nodes are shared here: the graph
holds every sub-formula once, and is never expanded, so memory is linear in the circuit. Of goals
that are too large even so it holds the upper part, and some of its leaves are *redirected*: they
stand for sub-formulas whose truth the reasoner computes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import AND
from neurogame.graph.formulas import Formulas
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.ground.atoms import AtomTable, IntArray

THE_END = -1
"""In place of a role: the condition that ends the game."""

FALSE_LITERAL = -2
TRUE_LITERAL = -1
"""Constant literals; like all others they are complemented by ``literal ^ 1``."""


@dataclass(frozen=True)
class GoalRoot:
    """One goal value of one role, and the literal that says whether a state earns it.

    Attributes:
        role: index of the role, or :data:`THE_END`.
        value: the goal value, 0..100; 0 for the end of the game.
        literal: ``2 * node + complement``, or a constant literal.
    """

    role: int
    value: int
    literal: int

    @property
    def valued(self) -> bool:
        """Whether the value of a state depends on it."""
        return self.value > 0 or self.role == THE_END


@dataclass(frozen=True, eq=False)
class Redirected:
    """Leaves that are no fluents: sub-formulas whose truth the reasoner computes; ``X`` of them.

    Attributes:
        node: node of the circuit that each stands for, a gate; int64 ``[X]``.
        atom: index into the atoms of the one it is, or -1 for the body of a rule; int64 ``[X]``.
        rule: index of the rule whose body it is, or -1; int64 ``[X]``.

    *Reference:* Michulke & Thielscher, section 5.
    """

    node: IntArray
    atom: IntArray
    rule: IntArray

    def __len__(self) -> int:
        """Number of redirected leaves, ``X``."""
        return len(self.node)


def _none() -> Redirected:
    empty = np.zeros(0, np.int64)
    return Redirected(empty, empty, empty)


@dataclass(frozen=True, eq=False)
class ProofGraph:
    """The proof trees of all goals as one acyclic and/or graph over fluents.

    ``F`` fluents, ``X`` redirected leaves, ``N`` inner nodes, ``E`` edges, ``V`` goals (role and
    value). Node ``f < F`` is fluent ``f``; the redirected leaves follow, then the inner nodes:
    inner node ``i`` has the number ``F + X + i``. Inner nodes stand in topological order, have
    at least two different children (one where a whole goal is a single leaf), and never a child
    that is constant.

    Attributes:
        roles: role names; ``[R]``.
        fluents: text of each fluent; ``[F]``.
        kind: ``AND`` (0) or ``OR`` (1); uint8 ``[N]``.
        start: inner node ``i`` has the children ``children[start[i]:start[i + 1]]``;
            int64 ``[N + 1]``.
        children: literals ``2 * node + complement``; int64 ``[E]``.
        level: longest distance to a leaf, at least 1; int64 ``[N]``.
        atom: index into ``atoms`` of the atom a node stands for, or -1; int64 ``[N]``.
        rule: index of the rule whose body a node is, or -1; int64 ``[N]``.
        goals: role by role, highest value first, and last, where it is wanted, the condition
            that ends the game; ``[V]``.
        atoms: the ground atoms, for names.
        redirected: the leaves that are no fluents; ``[X]``.
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
    redirected: Redirected = field(default_factory=_none)

    @property
    def size(self) -> int:
        """Number of inner nodes, ``N``."""
        return len(self.kind)

    @property
    def leaf_count(self) -> int:
        """Number of leaves, ``F + X``: the number of inner node 0."""
        return len(self.fluents) + len(self.redirected)

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
        return gather_groups(self.start, np.arange(self.edge_count), inner)

    def label(self, node: int) -> str:
        """Return the text of what a node stands for: its atom, else the rule it is the body of.

        Args:
            node: a node number, fluents first.
        """
        if node < len(self.fluents):
            return f"(true {self.fluents[node]})"
        inner = node - self.leaf_count
        if inner < 0:
            atoms, rules = self.redirected.atom, self.redirected.rule
        else:
            atoms, rules = self.atom, self.rule
        if atoms[inner] >= 0:
            return self.atoms.text(int(atoms[inner]))
        if rules[inner] >= 0:
            return f"rule {int(rules[inner])}"
        if inner < 0:
            return f"part {inner + len(self.redirected)}"
        named = "and" if self.kind[inner] == AND else "or"
        return f"{named} node {inner}"

    def goal_label(self, index: int) -> str:
        """Return the goal sentence of one goal, such as ``(goal red 100)``, or ``terminal``."""
        goal = self.goals[index]
        if goal.role == THE_END:
            return "terminal"
        return f"(goal {self.roles[goal.role]} {goal.value})"

    def cone(self, literals: list[int]) -> IntArray:
        """Return the inner nodes that some literals depend on, in topological order.

        Args:
            literals: literals of this graph, constants allowed.

        Returns:
            Indices of inner nodes, ascending; int64.
        """
        needed = self._formulas(np.array(literals, np.int64)).needed()
        return np.flatnonzero(needed[1 + self.leaf_count :])

    def holds(self, leaves: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which goals hold, by Boolean logic alone.

        Args:
            leaves: the states, and the truth of the redirected leaves; bool ``[B, F + X]``.

        Returns:
            Bool ``[B, V]``, in the order of :attr:`goals`.

        Raises:
            GameError: the states have another number of leaves.
        """
        literals = np.array([goal.literal for goal in self.goals], np.int64)
        return self._formulas(literals).holds(leaves)

    def restricted(self, kept: IntArray) -> ProofGraph:
        """Return the graph with some inner nodes only, which must be closed under children."""
        first = self.leaf_count
        node = np.arange(first + self.size)
        node[first + kept] = first + np.arange(len(kept))
        children = self.children[self.edges_of(kept)]
        return replace(
            self,
            kind=self.kind[kept],
            start=group_starts(self.fan_in[kept]),
            children=2 * node[children >> 1] + (children & 1),
            level=self.level[kept],
            atom=self.atom[kept],
            rule=self.rule[kept],
            goals=tuple(
                goal
                if goal.literal < 0
                else replace(goal, literal=2 * int(node[goal.literal >> 1]) + (goal.literal & 1))
                for goal in self.goals
            ),
        )

    def _formulas(self, literals: IntArray) -> Formulas:
        """Return literals as formulas; their node 0 is the constant, hence all move up by one."""
        return Formulas(
            input_count=1 + self.leaf_count,
            kind=self.kind,
            start=self.start,
            inputs=self.children + 2,
            level=self.level,
            literals=literals + 2,
        )
