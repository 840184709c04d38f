"""From gates with many inputs to two-input ANDs with complemented edges.

An OR is an AND with all edges complemented, so one kind of gate suffices. A wide gate becomes
a tree that joins its early inputs first, which keeps the whole graph shallow, and equal pairs
of inputs are joined once, whichever gates they belong to.

*Reference:* Kuehlmann et al., "Robust Boolean Reasoning for Equivalence Checking and
Functional Property Verification" (2002), section III (and-inverter graphs with hashing).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import FALSE, OR, TRUE, Circuit
from neurogame.ground.atoms import IntArray
from neurogame.kernels.twin.one_hot import complement_wide_move_sets

_UNKNOWN = -1


@final
@dataclass(frozen=True, eq=False)
class AndGraph:
    """Two-input ANDs over the inputs of a circuit; ``A`` ANDs over ``I`` inputs.

    Nodes ``0..I-1`` are the constant false, the fluents and the moves, numbered as in the
    circuit; the ANDs follow in topological order. Literals are ``2 * node + complement``.

    Attributes:
        input_count: ``I``, the constant included.
        left: first input literal of each AND; int64 ``[A]``.
        right: second input literal of each AND; int64 ``[A]``.
        depth: longest distance to an input, at least 1, never decreasing; int64 ``[A]``.
        literal: literal in this graph of each node of the circuit; int64 ``[nodes]``.
    """

    input_count: int
    left: IntArray
    right: IntArray
    depth: IntArray
    literal: IntArray

    def translate(self, literals: IntArray) -> IntArray:
        """Return the literals of this graph for literals of the circuit."""
        translated: IntArray = self.literal[literals >> 1] ^ (literals & 1)
        return translated


def build_and_graph(circuit: Circuit, *, one_move_each: bool = True) -> AndGraph:
    """Decompose a circuit into two-input ANDs.

    Args:
        circuit: the game.
        one_move_each: allow rewriting that holds only where every role makes exactly one
            move, as in every step of a game. With False the graph equals the circuit on
            every assignment of the moves.

    Returns:
        The graph; its literals are those of the circuit under :meth:`AndGraph.translate`.
    """
    kind, start, inputs = circuit.gate_kind, circuit.gate_start, circuit.gate_inputs
    if one_move_each:
        kind, start, inputs = complement_wide_move_sets(circuit)
    builder = _Builder(kind, start, inputs, circuit.first_gate)
    builder.run()
    literal = np.concatenate([2 * np.arange(circuit.first_gate), builder.output])
    return AndGraph(
        circuit.first_gate,
        np.concatenate(builder.left) if builder.left else np.zeros(0, np.int64),
        np.concatenate(builder.right) if builder.right else np.zeros(0, np.int64),
        np.concatenate(builder.depth) if builder.depth else np.zeros(0, np.int64),
        literal[: circuit.node_count],
    )


class _Builder:
    """Joins, depth by depth, what each gate has available, two at a time."""

    def __init__(
        self,
        kind: npt.NDArray[np.uint8],
        start: IntArray,
        inputs: IntArray,
        first_gate: int,
    ) -> None:
        fan_in = np.diff(start)
        owner = np.repeat(np.arange(len(kind)), fan_in)
        # An OR reads complemented inputs and gives a complemented output.
        self.invert = (kind == OR).astype(np.int64)
        self.missing = fan_in.copy()
        self.output = np.full(len(kind), _UNKNOWN, np.int64)
        self.next_node = first_gate
        self.left: list[IntArray] = []
        self.right: list[IntArray] = []
        self.depth: list[IntArray] = []
        edges = inputs ^ self.invert[owner]
        node = edges >> 1
        direct = node < first_gate
        self.new_gate, self.new_literal = owner[direct], edges[direct]
        # The edges that wait for a gate, sorted by that gate.
        order = np.argsort(node[~direct], kind="stable")
        self.source = node[~direct][order] - first_gate
        self.target, self.polarity = owner[~direct][order], (edges[~direct] & 1)[order]
        self.pool_gate = np.zeros(0, np.int64)
        self.pool_literal = np.zeros(0, np.int64)

    def run(self) -> None:
        """Resolve every gate."""
        depth = 1
        while True:
            while len(self.new_gate):
                self._settle()
            if not len(self.pool_gate):
                break
            self._join(depth)
            depth += 1

    def _settle(self) -> None:
        """Take new inputs into the pool, simplify, and find the gates that are now known."""
        gates, literals = self.new_gate, self.new_literal
        np.subtract.at(self.missing, gates, 1)
        touched = np.zeros(len(self.output), bool)
        touched[gates] = True
        mine = touched[self.pool_gate]
        gates = np.concatenate([gates, self.pool_gate[mine]])
        literals = np.concatenate([literals, self.pool_literal[mine]])
        open_ = self.output[gates] == _UNKNOWN
        gates, literals = gates[open_ & (literals != TRUE)], literals[open_ & (literals != TRUE)]
        order = np.lexsort((literals, gates))
        gates, literals = gates[order], literals[order]
        same_gate = gates[1:] == gates[:-1]
        fresh = np.ones(len(gates), bool)
        fresh[1:] = ~(same_gate & (literals[1:] == literals[:-1]))
        clash = same_gate & (literals[1:] == literals[:-1] ^ 1) & (literals[1:] & 1 == 1)
        false = np.zeros(len(self.output), bool)
        false[gates[literals == FALSE]] = True
        false[gates[1:][clash]] = True
        gates, literals = gates[fresh], literals[fresh]
        count = np.bincount(gates, minlength=len(self.output))
        last = np.zeros(len(self.output), np.int64)
        last[gates] = literals
        known = touched & (self.output == _UNKNOWN) & (self.missing == 0) & (count <= 1)
        value = np.where(count == 1, last, TRUE)
        known |= false & (self.output == _UNKNOWN)
        value[false] = FALSE
        self.output[known] = value[known] ^ self.invert[known]
        keep = self.output[gates] == _UNKNOWN
        self.pool_gate = np.concatenate([self.pool_gate[~mine], gates[keep]])
        self.pool_literal = np.concatenate([self.pool_literal[~mine], literals[keep]])
        self._announce(np.flatnonzero(known))

    def _announce(self, known: IntArray) -> None:
        """Hand the outputs of newly known gates to the gates that read them."""
        first = np.searchsorted(self.source, known, "left")
        length = np.searchsorted(self.source, known, "right") - first
        edge = np.arange(length.sum()) + np.repeat(first - np.cumsum(length) + length, length)
        self.new_gate = self.target[edge]
        self.new_literal = np.repeat(self.output[known], length) ^ self.polarity[edge]

    def _join(self, depth: int) -> None:
        """Replace pairs of available inputs of each gate by their AND."""
        order = np.lexsort((self.pool_literal, self.pool_gate))
        gates, literals = self.pool_gate[order], self.pool_literal[order]
        begin = np.flatnonzero(np.diff(gates, prepend=-1))
        rank = np.arange(len(gates)) - np.repeat(begin, np.diff(begin, append=len(gates)))
        last = np.append(gates[1:] != gates[:-1], True)
        first = (rank % 2 == 0) & ~last
        at = np.flatnonzero(first)
        base = 2 * (self.next_node + 1)
        keys, index = np.unique(literals[at] * base + literals[at + 1], return_inverse=True)
        self.left.append(keys // base)
        self.right.append(keys % base)
        self.depth.append(np.full(len(keys), depth, np.int64))
        alone = last & (rank % 2 == 0)
        self.pool_gate, self.pool_literal = gates[alone], literals[alone]
        self.new_gate = gates[at]
        self.new_literal = 2 * (self.next_node + index.reshape(-1))
        # The pair is gone and its AND arrives: _settle will count it as an input.
        np.add.at(self.missing, self.new_gate, 1)
        self.next_node += len(keys)
