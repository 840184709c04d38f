"""From gates with many inputs to two-input ANDs with complemented edges.

An OR is an AND with all edges complemented, so one kind of gate suffices. A wide gate becomes
a tree that joins its early inputs first, which keeps the whole graph shallow, and equal pairs
of inputs are joined once, whichever gates they belong to.

*Reference:* Kuehlmann et al., "Robust Boolean Reasoning for Equivalence Checking and
Functional Property Verification" (2002), section III (and-inverter graphs with hashing).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import AND, FALSE, OR, TRUE, Graph, replaced, unnamed
from neurogame.graph.groups import places_in_groups
from neurogame.kernels.twin.one_hot import complement_wide_move_sets

_UNKNOWN = -1


def with_pairs(circuit: Circuit, *, one_move_each: bool = True) -> Circuit:
    """Return a circuit with ANDs of two inputs as its only gates, their levels never decreasing.

    Args:
        circuit: the game.
        one_move_each: allow rewriting that holds only where every role makes exactly one
            move, as in every step of a game. With False the result equals the circuit on
            every assignment of the moves.
    """
    graph = complement_wide_move_sets(circuit) if one_move_each else circuit.graph
    builder = _Builder(graph)
    builder.run()
    literal = np.concatenate([2 * np.arange(graph.input_count), builder.output])
    empty = np.zeros(0, np.int64)
    level = np.concatenate([empty, *builder.depth])
    pairs = Graph(
        input_count=graph.input_count,
        kind=np.full(len(level), AND, np.uint8),
        start=2 * np.arange(len(level) + 1),
        inputs=np.concatenate([empty, *builder.pairs]),
        level=level,
        outputs=replaced(graph.outputs, literal),
        atom=unnamed(len(level)),
        rule=unnamed(len(level)),
    )
    return replace(circuit, graph=pairs)


class _Builder:
    """Joins, depth by depth, what each gate has available, two at a time."""

    def __init__(self, graph: Graph) -> None:
        fan_in = graph.fan_in
        owner = np.repeat(np.arange(graph.gate_count), fan_in)
        # An OR reads complemented inputs and gives a complemented output.
        self.invert = (graph.kind == OR).astype(np.int64)
        self.missing = fan_in.copy()
        self.output = np.full(graph.gate_count, _UNKNOWN, np.int64)
        self.next_node = graph.input_count
        self.pairs: list[Int64s] = []
        self.depth: list[Int64s] = []
        edges = graph.inputs ^ self.invert[owner]
        node = edges >> 1
        direct = node < graph.input_count
        self.new_gate, self.new_literal = owner[direct], edges[direct]
        # The edges that wait for a gate, sorted by that gate.
        order = np.argsort(node[~direct], kind="stable")
        self.source = node[~direct][order] - graph.input_count
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

    def _announce(self, known: Int64s) -> None:
        """Hand the outputs of newly known gates to the gates that read them."""
        first = np.searchsorted(self.source, known, "left")
        length = np.searchsorted(self.source, known, "right") - first
        edge = np.repeat(first, length) + places_in_groups(length)
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
        self.pairs.append(np.stack([keys // base, keys % base], axis=1).reshape(-1))
        self.depth.append(np.full(len(keys), depth, np.int64))
        alone = last & (rank % 2 == 0)
        self.pool_gate, self.pool_literal = gates[alone], literals[alone]
        self.new_gate = gates[at]
        self.new_literal = 2 * (self.next_node + index.reshape(-1))
        # The pair is gone and its AND arrives: _settle will count it as an input.
        np.add.at(self.missing, self.new_gate, 1)
        self.next_node += len(keys)
