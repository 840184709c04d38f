"""The graph of gates that everything fixed per game is: circuits, formulas, proofs, networks.

Nodes are numbered: 0 is the constant false, then come the inputs, then the gates in topological
order. A *literal* is ``2 * node + complement``: literal 0 is false, literal 1 is true. What the
inputs, the outputs and the labels of gates mean is said by whoever owns a graph.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from neurogame.array_types import Int64s, UInt8s
from neurogame.graph.groups import gather_groups, group_starts

FALSE = 0
TRUE = 1
AND = 0
OR = 1


@final
@dataclass(frozen=True, eq=False)
class Graph:
    """An acyclic graph of and/or gates with complemented edges.

    ``I`` inputs with the constant, ``G`` gates, ``E`` edges, ``N`` outputs. Gate ``g`` is node
    ``I + g``.

    Attributes:
        input_count: ``I``, the constant included: the number of the first gate's node.
        kind: ``AND`` (0) or ``OR`` (1); uint8 ``[G]``.
        start: gate ``g`` reads ``inputs[start[g]:start[g + 1]]``; int64 ``[G + 1]``.
        inputs: literals; each node is smaller than the gate's own node; int64 ``[E]``.
        level: longest distance to an input, at least 1; int64 ``[G]``.
        outputs: literals; int64 ``[N]``.
        atom: label: index of the ground atom that a gate stands for, or -1; int64 ``[G]``.
        rule: label: index of the rule whose body a gate is, or -1; int64 ``[G]``.
    """

    input_count: int
    kind: UInt8s
    start: Int64s
    inputs: Int64s
    level: Int64s
    outputs: Int64s
    atom: Int64s
    rule: Int64s

    @property
    def gate_count(self) -> int:
        """Number of gates, ``G``."""
        return len(self.kind)

    @property
    def node_count(self) -> int:
        """Number of nodes, ``I + G``."""
        return self.input_count + len(self.kind)

    @property
    def edge_count(self) -> int:
        """Number of edges, ``E``."""
        return len(self.inputs)

    @property
    def fan_in(self) -> Int64s:
        """Number of inputs of each gate; int64 ``[G]``."""
        return np.diff(self.start)

    @property
    def digest(self) -> str:
        """Hash of the gates and outputs; 64 hexadecimal digits."""
        parts = (self.kind, self.start, self.inputs, self.outputs)
        return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()

    def inputs_of(self, gates: Int64s) -> tuple[Int64s, Int64s]:
        """Return what some gates read, one gate after the other, and where each one's begins.

        Args:
            gates: gate numbers, counted from the first gate; int64 ``[n]``.

        Returns:
            Literals, and starts as in :attr:`start`; int64 ``[n + 1]``.
        """
        sizes = self.start[gates + 1] - self.start[gates]
        return gather_groups(self.start, self.inputs, gates), group_starts(sizes)

    def with_outputs(self, outputs: Int64s) -> Graph:
        """Return the same gates with other outputs; int64 ``[N]``."""
        return replace(self, outputs=np.asarray(outputs, np.int64))


def replaced(literals: Int64s, literal_of: Int64s) -> Int64s:
    """Return literals with another literal in place of each node.

    Args:
        literals: of one graph.
        literal_of: for each node of it a literal of another; int64 ``[I + G]``.
    """
    result: Int64s = literal_of[literals >> 1] ^ (literals & 1)
    return result


def unnamed(gates: int) -> Int64s:
    """Return the labels of gates that stand for nothing; int64 ``[G]``."""
    return np.full(gates, -1, np.int64)
