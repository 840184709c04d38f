"""Proof graphs: what every goal value of every role says about the fluents of a state.

The paper speaks of a propositional proof *tree* per goal. Its nodes are shared here: the graph
holds every sub-formula once, and is never expanded, so memory is linear in the circuit. Of goals
that are too large even so it holds the upper part, and some of its leaves are *redirected*: they
stand for sub-formulas whose truth the reasoner computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from neurogame.array_types import Int64s
from neurogame.graph.graph import AND, Graph
from neurogame.graph.prune import needed_gates
from neurogame.ground.atoms import AtomTable

THE_END = -1
"""In place of a role: the condition that ends the game."""


@dataclass(frozen=True)
class Goal:
    """One goal value of one role.

    Attributes:
        role: index of the role, or :data:`THE_END`.
        value: the goal value, 0..100; 0 for the end of the game.
    """

    role: int
    value: int

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

    node: Int64s
    atom: Int64s
    rule: Int64s

    def __len__(self) -> int:
        """Number of redirected leaves, ``X``."""
        return len(self.node)


def _none() -> Redirected:
    empty = np.zeros(0, np.int64)
    return Redirected(empty, empty, empty)


@dataclass(frozen=True, eq=False)
class ProofGraph:
    """The proof trees of all goals as one acyclic and/or graph over fluents.

    ``F`` fluents, ``X`` redirected leaves, ``G`` gates, ``V`` goals (role and value).

    Attributes:
        roles: role names; ``[R]``.
        fluents: text of each fluent; ``[F]``.
        graph: its inputs are the fluents (nodes ``1..F``) and the redirected leaves, its outputs
            say which goals a state earns. A gate has at least two different inputs (one where a
            whole goal is a single leaf), which ascend, and never one that is constant. Its
            labels are indices into ``atoms`` and ``Rules.rules``.
        goals: role by role, highest value first, and last, where it is wanted, the condition
            that ends the game; ``[V]``.
        atoms: the ground atoms, for names.
        redirected: the leaves that are no fluents; ``[X]``.
    """

    roles: tuple[str, ...]
    fluents: tuple[str, ...]
    graph: Graph
    goals: tuple[Goal, ...]
    atoms: AtomTable
    redirected: Redirected = field(default_factory=_none)

    def label(self, node: int) -> str:
        """Return the text of what a node stands for: its atom, else the rule it is the body of.

        Args:
            node: a node number of the graph, at least 1.
        """
        place = node - 1 - len(self.fluents)
        if place < 0:
            return f"(true {self.fluents[node - 1]})"
        labels: Redirected | Graph = self.redirected
        unnamed = f"part {place}"
        if node >= self.graph.input_count:
            labels, place = self.graph, node - self.graph.input_count
            unnamed = f"{'and' if self.graph.kind[place] == AND else 'or'} node {place}"
        if labels.atom[place] >= 0:
            return self.atoms.text(int(labels.atom[place]))
        return f"rule {int(labels.rule[place])}" if labels.rule[place] >= 0 else unnamed

    def goal_label(self, index: int) -> str:
        """Return the goal sentence of one goal, such as ``(goal red 100)``, or ``terminal``."""
        goal = self.goals[index]
        if goal.role == THE_END:
            return "terminal"
        return f"(goal {self.roles[goal.role]} {goal.value})"

    def cone(self, goals: Sequence[int]) -> Int64s:
        """Return the gates that some goals depend on, ascending.

        Args:
            goals: indices into :attr:`goals`.
        """
        return needed_gates(self.graph.with_outputs(self.graph.outputs[list(goals)]))
