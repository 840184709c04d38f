"""Execution plans: which rows to combine, level by level, to get the wanted outputs.

A plan has *stages*. Each stage computes the gates that its outputs need and that no earlier
stage it builds on has computed, so a caller pays only for what it asks: the legal moves without the
goals, or the next state after the legal moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from neurogame.array_types import Bools, Int64s
from neurogame.graph.graph import Graph
from neurogame.graph.levels import split_at_changes


@final
@dataclass(frozen=True, eq=False)
class Level:
    """Gates that depend on earlier levels only, written to rows ``begin .. begin + K``.

    The first ``mixed`` gates are ``left & ~right``, those up to ``ands`` are ``left & right``
    and the others are ``left | right``.

    Attributes:
        begin: first output row.
        left: row of the first input; int64 ``[K]``.
        right: row of the second input; int64 ``[K]``.
        mixed: number of gates with a complemented second input.
        ands: number of gates that are ANDs, the mixed ones included.
    """

    begin: int
    left: Int64s
    right: Int64s
    mixed: int
    ands: int


@final
@dataclass(frozen=True, eq=False)
class Stage:
    """One group of outputs and the gates to compute for it.

    Attributes:
        levels: in order of execution.
        rows: row of each output; int64 ``[O]``.
        complement: whether the output is the complement of its row; bool ``[O]``.
        row_end: one past the last row that this stage writes or reads.
    """

    levels: tuple[Level, ...]
    rows: Int64s
    complement: Bools
    row_end: int

    @property
    def gate_count(self) -> int:
        """Number of two-input gates computed by this stage."""
        return sum(len(level.left) for level in self.levels)


def make_stages(
    graph: Graph, outputs: Sequence[Int64s], after: Sequence[int | None]
) -> list[Stage]:
    """Plan the computation of several groups of outputs.

    Rows ``0..I-1`` hold the inputs (row 0 is all zeros), the gates follow. Stages that build on
    the same stage reuse the same rows: running one of them invalidates the other.

    Args:
        graph: ANDs of two inputs, as :func:`~.and_graph.with_pairs` makes them.
        outputs: per stage its output literals of ``graph``; int64 ``[O]`` each.
        after: per stage the index of the stage, earlier in the list, whose values it may use,
            or None to start from the inputs.

    Returns:
        The stages, in the order given.
    """
    phase = _phases(graph)
    stages: list[Stage] = []
    placed: list[Int64s] = []
    inputs = np.full(graph.node_count, -1, np.int64)
    inputs[: graph.input_count] = np.arange(graph.input_count)
    for literals, base in zip(outputs, after, strict=True):
        row = inputs.copy() if base is None else placed[base].copy()
        begin = graph.input_count if base is None else stages[base].row_end
        levels, end = _plan_stage(graph, phase, literals, row, begin)
        node = literals >> 1
        complement = (phase[node] ^ (literals & 1)).astype(np.bool_)
        stages.append(Stage(tuple(levels), row[node], complement, end))
        placed.append(row)
    return stages


def _phases(graph: Graph) -> Int64s:
    """Return per node 1 if its row holds the complement, which turns ~a & ~b into ``a | b``."""
    phase = np.zeros(graph.node_count, np.int64)
    pairs = graph.inputs.reshape(-1, 2)
    for begin, end in _level_ranges(graph.level):
        left, right = pairs[begin:end].T
        both = (phase[left >> 1] ^ (left & 1)) & (phase[right >> 1] ^ (right & 1))
        phase[graph.input_count + begin : graph.input_count + end] = both
    return phase


def _plan_stage(
    graph: Graph, phase: Int64s, literals: Int64s, row: Int64s, begin: int
) -> tuple[list[Level], int]:
    """Give rows to the gates that are still missing; ``row`` is updated in place."""
    first = graph.input_count
    needed = np.zeros(len(row), bool)
    needed[literals >> 1] = True
    needed &= row < 0
    ranges, pairs = _level_ranges(graph.level), graph.inputs.reshape(-1, 2)
    for low, high in reversed(ranges):
        gates = low + np.flatnonzero(needed[first + low : first + high])
        node = pairs[gates] >> 1
        needed[node[row[node] < 0]] = True
    height = np.zeros(len(row), np.int64)
    for low, high in ranges:
        gates = low + np.flatnonzero(needed[first + low : first + high])
        height[first + gates] = height[pairs[gates] >> 1].max(axis=1, initial=0) + 1
    gates = np.flatnonzero(needed[first:])
    gates = gates[np.argsort(height[first + gates], kind="stable")]
    levels = []
    for group in split_at_changes(gates, height[first + gates]):
        levels.append(_plan_level(graph, phase, group, row, begin))
        begin += len(group)
    return levels, begin


def _plan_level(graph: Graph, phase: Int64s, gates: Int64s, row: Int64s, begin: int) -> Level:
    """Sort the gates of one level by their operation and write down the rows they read."""
    left, right = graph.inputs.reshape(-1, 2)[gates].T
    flip_left = phase[left >> 1] ^ (left & 1)
    flip_right = phase[right >> 1] ^ (right & 1)
    swap = (flip_left == 1) & (flip_right == 0)
    left, right = np.where(swap, right, left) >> 1, np.where(swap, left, right) >> 1
    operation = np.where(flip_left != flip_right, 0, 1 + flip_left)
    order = np.lexsort((row[right], row[left], operation))
    row[graph.input_count + gates[order]] = begin + np.arange(len(gates))
    return Level(
        begin,
        row[left[order]],
        row[right[order]],
        int((operation == 0).sum()),
        int((operation < 2).sum()),
    )


def _level_ranges(level: Int64s) -> list[tuple[int, int]]:
    """Return the half-open ranges of gates of equal level."""
    bounds = [0, *(np.flatnonzero(np.diff(level)) + 1).tolist(), len(level)]
    return [(low, high) for low, high in pairwise(bounds) if low < high]
