"""The formulas of one role's moves as a graph of small gates, in the order of evaluation.

Gates of one level, kind and fan-in lie side by side: they are a *run*, computed without any
decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import AND, OR
from neurogame.graph.formulas import Formulas
from neurogame.graph.gates import GateStore
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.graph.positive import PositiveFormulas, positive
from neurogame.graph.rewrite import rewrite
from neurogame.ground.atoms import IntArray

Doubles = npt.NDArray[np.float64]

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

    ``K`` leaves, ``G`` gates, ``E`` edges, ``M`` moves of the role. Nodes ``0..K-1`` are the
    leaves, gate ``g`` is node ``K + g``.

    Attributes:
        leaf_input: input of the circuit that each leaf reads: 0 (the constant false, also for the
            role's own moves), ``1..F`` fluents, ``F+1..`` moves of all roles; int64 ``[K]``.
        leaf_move: the move of the role that each leaf is about, or -1; int64 ``[K]``.
        leaf_truth: truth of each leaf where its input does not hold, and where it does;
            float64 ``[K, 2]``.
        runs: all gates, in order.
        inputs: nodes, each smaller than its gate's own; int64 ``[E]``.
        outputs: node of each move's formula; int64 ``[M]``.
    """

    leaf_input: IntArray
    leaf_move: IntArray
    leaf_truth: Doubles
    runs: tuple[Run, ...]
    inputs: IntArray
    outputs: IntArray

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
        return self.runs[-1].last if self.runs else 0

    @property
    def edge_count(self) -> int:
        """Number of edges, ``E``."""
        return len(self.inputs)

    def edges_of(self, run: Run) -> IntArray:
        """Return the inputs of a run's gates, ``[n, k]``."""
        size = (run.last - run.first) * run.fan_in
        return self.inputs[run.edge : run.edge + size].reshape(-1, run.fan_in)


def narrow(formulas: PositiveFormulas, input_count: int) -> PositiveFormulas:
    """Return the same formulas with gates of at most :data:`FAN_IN` inputs.

    Split gates have the same value in product logic, as its operations are associative.

    Args:
        formulas: any.
        input_count: inputs of the circuit, the constant included.
    """
    if not formulas.gate_count or np.diff(formulas.start).max() <= FAN_IN:
        return formulas
    literal = np.concatenate([formulas.leaves, 2 * (input_count + np.arange(formulas.gate_count))])
    whole = Formulas(
        input_count=input_count,
        kind=formulas.kind,
        start=formulas.start,
        inputs=literal[formulas.inputs],
        level=formulas.level,
        literals=literal[formulas.outputs],
    )
    store = GateStore(input_count)
    signal = rewrite(whole, 2 * np.arange(input_count), store, FAN_IN)
    return positive(Formulas.of_store(store, signal[whole.literals >> 1] ^ (whole.literals & 1)))


def build_graph(
    formulas: PositiveFormulas,
    truth: Doubles,
    outputs: tuple[IntArray, ...],
    weights: tuple[float, ...],
    unknown: float,
    own: range = range(0),
) -> ActionGraph:
    """Return the graph of formulas, several of which may count for one move.

    Args:
        formulas: gates of at most :data:`FAN_IN` inputs.
        truth: of their leaves, as :attr:`ActionGraph.leaf_truth`.
        outputs: for each formula of a move the nodes of all moves, or :data:`NOTHING`;
            int64 ``[M]`` each, at least one.
        weights: for each formula the truth that it counts for where it is wholly true, in 0..1.
        unknown: the truth of formulas of which nothing is known.
        own: inputs of the circuit that are the role's own moves.

    Returns:
        The graph of ``1 - prod(1 - weight * formula)``.
    """
    build = _Builder(formulas, truth, own)
    # Moves with the same formulas share their outputs.
    columns, place = np.unique(np.stack(outputs), axis=1, return_inverse=True)
    rows = []
    for nodes, weight in zip(columns, weights, strict=True):
        if (nodes == NOTHING).any():
            nodes = np.where(nodes == NOTHING, build.constant(unknown), nodes)
        if weight != 1:
            factor = np.full(len(nodes), build.constant(weight))
            nodes = build.gates(AND, np.stack([factor, nodes], axis=1))
        rows.append(nodes)
    while len(rows) > 1:
        some, rows = rows[:FAN_IN], rows[FAN_IN:]
        rows.append(build.gates(OR, np.stack(some, axis=1)))
    return build.graph(rows[0][place.reshape(-1)])


@final
class _Builder:
    """Gates and leaves in the order in which they are added; they are sorted at the end."""

    def __init__(self, formulas: PositiveFormulas, truth: Doubles, own: range) -> None:
        count = formulas.leaf_count + formulas.gate_count
        inputs = formulas.leaves >> 1
        mine = (inputs >= own.start) & (inputs < own.stop)
        self.leaf_input, self.leaf_truth = np.where(mine, 0, inputs), truth
        self.leaf_move = np.where(mine, inputs - own.start, -1)
        self.is_leaf = np.arange(count) < formulas.leaf_count
        self.kind, self.level = formulas.kind.astype(np.int64), formulas.level
        self.sizes, self.inputs = np.diff(formulas.start), formulas.inputs

    def constant(self, value: float) -> int:
        """Add a leaf that always has the same truth, and return its node."""
        self.leaf_input = np.append(self.leaf_input, 0)
        self.leaf_move = np.append(self.leaf_move, -1)
        self.leaf_truth = np.concatenate([self.leaf_truth, [[value, value]]])
        return int(self._added(1, True)[0])

    def gates(self, kind: int, inputs: IntArray) -> IntArray:
        """Add gates of inputs ``[n, k]``, and return their nodes; ``[n]``."""
        count, width = inputs.shape
        level = np.zeros(len(self.is_leaf), np.int64)
        level[~self.is_leaf] = self.level
        self.level = np.concatenate([self.level, 1 + level[inputs].max(axis=1)])
        self.kind = np.concatenate([self.kind, np.full(count, kind)])
        self.sizes = np.concatenate([self.sizes, np.full(count, width)])
        self.inputs = np.concatenate([self.inputs, inputs.reshape(-1)])
        return self._added(count, False)

    def _added(self, count: int, leaves: bool) -> IntArray:
        first = len(self.is_leaf)
        self.is_leaf = np.concatenate([self.is_leaf, np.full(count, leaves)])
        return np.arange(first, first + count)

    def graph(self, outputs: IntArray) -> ActionGraph:
        """Return the graph whose outputs are these nodes."""
        order = np.lexsort((self.sizes, self.kind, self.level))
        start = group_starts(self.sizes[order])
        edges = gather_groups(group_starts(self.sizes), self.inputs, order)
        gates = np.flatnonzero(~self.is_leaf)[order]
        runs = _runs(self.level[order], self.kind[order], start)
        leaves = len(self.leaf_input)
        place = np.zeros(len(self.is_leaf), np.int64)
        place[self.is_leaf] = np.arange(leaves)
        parts = []
        for run in runs:
            size = (run.last - run.first) * run.fan_in
            own = np.sort(place[edges[run.edge : run.edge + size]].reshape(-1, run.fan_in))
            # Gates that read the same rows follow each other, so that these are in cache.
            near = np.lexsort(own.T[::-1])
            place[gates[run.first : run.last][near]] = leaves + np.arange(run.first, run.last)
            parts.append(own[near].reshape(-1))
        return ActionGraph(
            leaf_input=self.leaf_input,
            leaf_move=self.leaf_move,
            leaf_truth=self.leaf_truth,
            runs=runs,
            inputs=np.concatenate([np.zeros(0, np.int64), *parts]),
            outputs=place[outputs],
        )


def _runs(level: IntArray, kind: IntArray, start: IntArray) -> tuple[Run, ...]:
    """Return the runs of sorted gates."""
    sizes = np.diff(start)
    new = (np.diff(level, prepend=-1) != 0) | (np.diff(kind, prepend=-1) != 0)
    first = np.flatnonzero(new | (np.diff(sizes, prepend=-1) != 0))
    last = np.append(first[1:], len(level)).astype(np.int64)
    table = zip(first, last, kind[first], sizes[first], start[first], strict=False)
    return tuple(Run(*(int(x) for x in row)) for row in table)
