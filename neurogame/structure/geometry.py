"""Geometry: which variables the rules read together, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Float64s, Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import Graph
from neurogame.graph.groups import group_starts
from neurogame.graph.levels import levels
from neurogame.graph.prune import needed_gates

MOST_READ = 6
"""Gates that depend on more variables than this say nothing about neighbours."""

_MOST_CALLS = 64
"""Gates that depend on more recursive conditions than this say nothing about neighbours."""

_AT_ONCE = 500_000
"""Inputs of gates worked on at once: a bound on memory."""


@final
@dataclass(frozen=True, eq=False)
class Geometry:
    """Weighted pairs of variables: neighbours, from both sides.

    ``V`` variables, ``P`` ordered pairs.

    Attributes:
        start: variable ``v`` has the neighbours ``other[start[v]:start[v + 1]]``;
            int64 ``[V + 1]``.
        other: the neighbours, ascending per variable; int64 ``[P]``.
        weight: of each pair, > 0, the same in both directions: the sum of ``1 / (n - 1)`` over
            all gates that depend on ``n`` variables, 2 to 6, these two among them;
            float64 ``[P]``.
    """

    start: Int64s
    other: Int64s
    weight: Float64s

    def neighbours(self, variable: int) -> tuple[Int64s, Float64s]:
        """Return the neighbours of a variable and the weights."""
        span = slice(int(self.start[variable]), int(self.start[variable + 1]))
        return self.other[span], self.weight[span]


def find_geometry(rows: Int64s, count: int) -> Geometry:
    """Return the neighbours of each variable.

    Args:
        rows: what gates depend on, see :func:`small_supports`; int64 ``[n, 6]``.
        count: number of variables.
    """
    pairs, weights = [np.zeros(0, np.int64)], [np.zeros(0)]
    size = (rows >= 0).sum(axis=1)
    for wide in range(2, MOST_READ + 1):
        supports = rows[size == wide][:, -wide:]
        for i in range(wide):
            for j in range(wide):
                if i != j:
                    edges, times = np.unique(
                        supports[:, i] * count + supports[:, j], return_counts=True
                    )
                    pairs.append(edges)
                    weights.append(times / (wide - 1))
    edges, place = np.unique(np.concatenate(pairs), return_inverse=True)
    total = np.bincount(place.reshape(-1), np.concatenate(weights), len(edges))
    first = np.bincount(edges // max(count, 1), minlength=count)
    return Geometry(group_starts(first), edges % max(count, 1), total.astype(np.float64))


def small_supports(circuit: Circuit, variable_of: Int64s) -> Int64s:
    """Return the variables that each gate depends on, if they are few.

    A recursive condition counts as the variables that its own definition reads beside recursion,
    and it and each one that it calls are like one more gate.

    Args:
        circuit: the game; of its inputs only fluents count, and recursive conditions.
        variable_of: variable of each fluent, or -1; int64 ``[F]``.

    Returns:
        int64 ``[n, 6]``, one row for each gate that depends on at most six, ascending behind -1.
    """
    graph = circuit.graph
    first = 1 + len(variable_of) + circuit.move_count
    supports = _Supports(graph, len(variable_of))
    supports.rows[1 : 1 + len(variable_of), 0] = variable_of
    gates = supports.spread()
    conditions = graph.input_count - first
    if conditions:
        defined = graph.outputs[-conditions:] >> 1
        supports.rows[first : graph.input_count] = supports.rows[defined]
        supports.large[first : graph.input_count] = supports.large[defined]
        gates = np.concatenate([supports.spread(), supports.joined(first + _calls(graph, first))])
    return np.sort(gates, axis=1)


def _calls(graph: Graph, first: int) -> Int64s:
    """Return which recursive conditions call which others directly; int64 ``[n, 2]``.

    Args:
        graph: with recursive conditions as its last inputs, and their definitions as its last
            outputs.
        first: number of the first one's node.
    """
    count = graph.input_count - first
    outputs = graph.outputs[-count:]
    calls: dict[int, frozenset[int]] = {first + k: frozenset([k]) for k in range(count)}
    none: frozenset[int] = frozenset()
    for gate in needed_gates(graph.with_outputs(outputs)).tolist():
        below = graph.inputs[graph.start[gate] : graph.start[gate + 1]] >> 1
        fluents = none.union(*(calls.get(node, none) for node in below.tolist()))
        if 0 < len(fluents) <= _MOST_CALLS:
            calls[graph.input_count + gate] = fluents
    pairs = [
        (caller, called)
        for caller, node in enumerate((outputs >> 1).tolist())
        for called in sorted(calls.get(node, none))
        if called != caller
    ]
    return np.array(pairs, np.int64).reshape(-1, 2)


@final
class _Supports:
    """The variables that the nodes of a graph depend on.

    Attributes:
        rows: filled up with -1; int64 ``[N, 6]``.
        large: nodes that depend on more; bool ``[N]``.
    """

    def __init__(self, graph: Graph, variables: int) -> None:
        self.graph = graph
        self.base = variables + 1
        self.rows = np.full((graph.node_count, MOST_READ), -1, np.int64)
        self.large = np.zeros(graph.node_count, np.bool_)

    def spread(self) -> Int64s:
        """Set the rows of all gates from those of the inputs; return those that are not large."""
        first = self.graph.input_count
        self.large[first:] = False
        small_parts = [np.zeros((0, MOST_READ), np.int64)]
        for gates in levels(self.graph):
            inputs, start = self.graph.inputs_of(gates)
            wide = np.logical_or.reduceat(self.large[inputs >> 1], start[:-1])
            self.large[first + gates[wide]] = True
            small = gates[~wide]
            parts = len(inputs) // _AT_ONCE + 1
            small_parts += [self._level(part) for part in np.array_split(small, parts) if len(part)]
        return np.concatenate(small_parts)

    def joined(self, pairs: Int64s) -> Int64s:
        """Return what each two nodes, int64 ``[n, 2]``, depend on together, if it is little."""
        pairs = pairs[~self.large[pairs].any(axis=1)]
        both = np.sort(self.rows[pairs].reshape(len(pairs), 2 * MOST_READ), axis=1)
        both[:, 1:][both[:, 1:] == both[:, :-1]] = -1
        both = np.sort(both, axis=1)
        few = (both >= 0).sum(axis=1) <= MOST_READ
        rows: Int64s = both[few][:, MOST_READ:]
        return rows

    def _level(self, gates: Int64s) -> Int64s:
        """Set the rows of gates whose inputs all have rows; return those that are not large."""
        inputs, start = self.graph.inputs_of(gates)
        owner = np.repeat(np.arange(len(gates)), np.diff(start))
        read = self.rows[inputs >> 1]
        gate = np.broadcast_to(owner[:, None], read.shape)[read >= 0]
        gate, variable = np.divmod(np.unique(gate * self.base + read[read >= 0]), self.base)
        size = np.bincount(gate, minlength=len(gates))
        fits = size <= MOST_READ
        self.large[self.graph.input_count + gates[~fits]] = True
        rows = np.full((len(gates), MOST_READ), -1, np.int64)
        place = np.arange(len(gate)) - np.repeat(np.cumsum(size) - size, size)
        kept = fits[gate]
        rows[gate[kept], place[kept]] = variable[kept]
        self.rows[self.graph.input_count + gates] = rows
        return rows[fits]
