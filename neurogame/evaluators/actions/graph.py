"""The formulas of one role's moves as a graph of small gates, in the order of evaluation.

Gates of one level, kind and fan-in lie side by side: they are a *run*, computed without any
decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from neurogame.array_types import Float64s, Int64s
from neurogame.evaluators.actions.leaf_truth import HALF
from neurogame.graph.extend import with_more_gates, with_more_inputs
from neurogame.graph.graph import AND, OR, Graph, replaced
from neurogame.graph.levels import runs
from neurogame.graph.prune import with_gates, with_sorted_inputs

FAN_IN = 4
"""Inputs of a gate at most."""


NOTHING = -1
"""Stands for the node of a formula of which nothing is known."""


class Run(NamedTuple):
    """Gates ``first`` up to ``last``, all of one kind and one number of inputs.

    Attributes:
        first: first gate.
        last: one past the last gate.
        kind: ``AND`` (0) or ``OR`` (1).
        fan_in: inputs of each, 2 to :data:`FAN_IN`.
        edge: their first edge; gate by gate the edges of all of them follow it.
    """

    first: int
    last: int
    kind: int
    fan_in: int
    edge: int


@final
@dataclass(frozen=True, eq=False)
class ActionGraph:
    """The formulas of one role's moves, shared.

    ``K`` leaves, ``G`` gates, ``E`` edges, ``M`` moves of the role. Values lie in *rows*: rows
    ``0..K-1`` are the leaves, row ``K + g`` is gate ``g``.

    Attributes:
        leaf_input: input of the circuit that each leaf reads: 0 (the constant false, also for the
            role's own moves), ``1..F`` fluents, ``F+1..`` moves of all roles; int64 ``[K]``.
        leaf_move: the move of the role that each leaf is about, or -1; int64 ``[K]``.
        leaf_truth: truth of each leaf where its input does not hold, and where it does;
            float64 ``[K, 2]``.
        graph: the gates, sorted into runs and without negation: its inputs are the leaves, its
            outputs the formula of each move; ``[M]``.
    """

    leaf_input: Int64s
    leaf_move: Int64s
    leaf_truth: Float64s
    graph: Graph

    @property
    def is_shared(self) -> bool:
        """Whether all moves share a formula, which is evaluated for one move at a time."""
        return bool((self.leaf_move >= 0).any())

    @property
    def leaf_count(self) -> int:
        """Number of leaves, ``K``."""
        return len(self.leaf_input)

    @property
    def gate_count(self) -> int:
        """Number of gates, ``G``."""
        return self.graph.gate_count

    @property
    def edge_count(self) -> int:
        """Number of edges, ``E``."""
        return self.graph.edge_count

    @cached_property
    def inputs(self) -> Int64s:
        """Row that each edge reads: its node, as the constant has no row; int64 ``[E]``."""
        return (self.graph.inputs >> 1) - 1

    @cached_property
    def outputs(self) -> Int64s:
        """Row of each move's formula; int64 ``[M]``."""
        return (self.graph.outputs >> 1) - 1

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """All gates, in order."""
        graph, fan_in = self.graph, self.graph.fan_in
        return tuple(
            Run(
                first=int(gates[0]),
                last=int(gates[-1]) + 1,
                kind=int(graph.kind[gates[0]]),
                fan_in=int(fan_in[gates[0]]),
                edge=int(graph.start[gates[0]]),
            )
            for gates in runs(graph)
        )

    def edges_of(self, run: Run) -> Int64s:
        """Return the rows that a run's gates read, ``[n, k]``."""
        size = (run.last - run.first) * run.fan_in
        return self.inputs[run.edge : run.edge + size].reshape(-1, run.fan_in)


def build_graph(
    graph: Graph,
    leaves: Int64s,
    truth: Float64s,
    outputs: tuple[Int64s, ...],
    weights: tuple[float, ...],
    role_moves: range = range(0),
) -> ActionGraph:
    """Return the graph of formulas, several of which may count for one move.

    Args:
        graph: gates of at most :data:`FAN_IN` inputs, without negation.
        leaves: its inputs, as literals of the circuit's; int64 ``[K]``.
        truth: of the leaves, as :attr:`ActionGraph.leaf_truth`.
        outputs: for each formula of a move the nodes of all moves, or :data:`NOTHING`;
            int64 ``[M]`` each, at least one.
        weights: for each formula the truth that it counts for where it is wholly true, in 0..1.
        role_moves: inputs of the circuit that are the role's own moves.

    Returns:
        The graph of ``1 - prod(1 - weight * formula)``.
    """
    # Moves with the same formulas share their outputs.
    columns, place = np.unique(np.stack(outputs), axis=1, return_inverse=True)
    constants: list[float] = []
    for nodes, weight in zip(columns, weights, strict=True):
        constants += [HALF] if (nodes == NOTHING).any() else []
        constants += [weight] if weight != 1 else []
    free = iter(range(graph.input_count, graph.input_count + len(constants)))
    moved = np.arange(graph.node_count)
    moved[graph.input_count :] += len(constants)
    graph = with_more_inputs(graph, len(constants))
    rows = []
    for nodes, weight in zip(columns, weights, strict=True):
        nothing = nodes == NOTHING
        row = moved[nodes]
        if nothing.any():
            row[nothing] = next(free)
        if weight != 1:
            factor = np.full(len(row), next(free))
            graph, row = with_more_gates(graph, AND, 2 * np.stack([factor, row], axis=1))
        rows.append(row)
    while len(rows) > 1:
        some, rows = rows[:FAN_IN], rows[FAN_IN:]
        graph, row = with_more_gates(graph, OR, 2 * np.stack(some, axis=1))
        rows.append(row)
    inputs, nothing = leaves >> 1, np.full(len(constants), -1)
    mine = (inputs >= role_moves.start) & (inputs < role_moves.stop)
    return ActionGraph(
        leaf_input=np.append(np.where(mine, 0, inputs), 0 * nothing),
        leaf_move=np.append(np.where(mine, inputs - role_moves.start, -1), nothing),
        leaf_truth=np.concatenate([truth, np.repeat(constants, 2).reshape(-1, 2)]),
        graph=_in_runs(graph.with_outputs(2 * rows[0][place.reshape(-1)])),
    )


def _in_runs(graph: Graph) -> Graph:
    """Return the same graph with its gates sorted into runs."""
    first = end = graph.input_count
    signal = 2 * np.arange(graph.node_count)
    order = [np.zeros(0, np.int64)]
    for gates in runs(graph):
        inputs, _ = graph.inputs_of(gates)
        rows = np.sort(replaced(inputs, signal).reshape(len(gates), -1))
        # Gates that read the same rows follow each other, so that these are in cache.
        order.append(gates[np.lexsort(rows.T[::-1])])
        signal[first + order[-1]] = 2 * np.arange(end, end + len(gates))
        end += len(gates)
    return with_sorted_inputs(with_gates(graph, np.concatenate(order)))
