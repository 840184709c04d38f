"""The Boolean circuit of a game: what every later part of the package computes with.

Nodes are numbered: 0 is the constant false, ``1..F`` are the fluents of the current state,
``F+1..F+M`` say which moves are made (``does``), and the gates follow in topological order.
A *literal* is ``2 * node + complement``: literal 0 is false, literal 1 is true.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neurogame.ground.atoms import AtomTable, IntArray

FALSE = 0
TRUE = 1
AND = 0
OR = 1


@dataclass(frozen=True, eq=False)
class Circuit:
    """An acyclic and/or circuit with complemented edges and shared gates.

    ``R`` roles, ``F`` fluents, ``M`` moves of all roles together, ``G`` gates, ``E`` edges.

    Attributes:
        roles: role names in the order of the role facts; ``[R]``.
        fluents: compact KIF text of each fluent, sorted by code point; ``[F]``.
        moves: per role the compact KIF texts of its moves, sorted by code point.
        initial: the initial state; bool ``[F]``.
        gate_kind: ``AND`` (0) or ``OR`` (1); uint8 ``[G]``.
        gate_start: gate ``g`` reads ``gate_inputs[gate_start[g]:gate_start[g + 1]]``;
            int64 ``[G + 1]``. A gate has at least two inputs, sorted and without repetition.
        gate_inputs: literals; each node is smaller than the gate's own node; int64 ``[E]``.
        gate_level: longest distance to an input, at least 1; int64 ``[G]``.
        gate_atom: index into ``atoms`` of the ground atom that a gate stands for, or -1 where
            it is the body of a rule; int64 ``[G]``.
        gate_rule: index of the rule (in ``Rules.rules``) whose body a gate is, or -1 for the
            disjunction of several rules of an atom; int64 ``[G]``.
        legal: literal that says whether a move is legal, moves of all roles concatenated in
            role order; int64 ``[M]``. As the rules derive it, in terminal states too.
        next: literal of each fluent in the next state; int64 ``[F]``.
        terminal: literal.
        goals: per role its ``(goal value 0..100, literal)`` pairs, highest value first.
        atoms: the ground atoms, for names.
        key: hash of the rules and of the program version that made the circuit.
    """

    roles: tuple[str, ...]
    fluents: tuple[str, ...]
    moves: tuple[tuple[str, ...], ...]
    initial: npt.NDArray[np.bool_]
    gate_kind: npt.NDArray[np.uint8]
    gate_start: IntArray
    gate_inputs: IntArray
    gate_level: IntArray
    gate_atom: IntArray
    gate_rule: IntArray
    legal: IntArray
    next: IntArray
    terminal: int
    goals: tuple[tuple[tuple[int, int], ...], ...]
    atoms: AtomTable
    key: str

    @property
    def gate_count(self) -> int:
        """Number of gates, ``G``."""
        return len(self.gate_kind)

    @property
    def move_count(self) -> int:
        """Number of moves of all roles together, ``M``."""
        return len(self.legal)

    @property
    def first_gate(self) -> int:
        """Node number of gate 0."""
        return 1 + len(self.fluents) + self.move_count

    @property
    def node_count(self) -> int:
        """Number of nodes: constant, fluents, moves and gates."""
        return self.first_gate + self.gate_count

    def inputs_of(self, node: int) -> IntArray:
        """Return the input literals of a gate's node.

        Args:
            node: a node number, at least :attr:`first_gate`.
        """
        gate = node - self.first_gate
        return self.gate_inputs[self.gate_start[gate] : self.gate_start[gate + 1]]
