"""What compiled action heuristics work with: the numbers of each role, and memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from neurogame.array_types import (
    Float32s,
    Float32s1,
    Float32s2,
    Float64s1,
    Float64s2,
    Int64s1,
    Int64s2,
    UInt32s1,
    UInt64s1,
)
from neurogame.judges.moves import MoveScores
from neurogame.kernels.actions.gates import LANES
from neurogame.kernels.codegen.call import aligned
from neurogame.native.arrays import cast
from neurogame.native.struct import Struct


class Formulas(Struct):
    """The heuristic of one role: a graph of gates over its leaves, and memory to compute in.

    ``K`` leaves, ``N`` nodes (leaves, then gates), ``E`` edges, ``A`` moves of the role, ``R``
    roles, ``Q`` words of a column. Arrays of what a heuristic does without have no entries.

    Attributes:
        score: what scores the role's moves.
        first_move: where the role's own begin among the legal moves.
        is_logarithm: whether scores are logarithms: ``factor * log(truth + floor) + bias``.
        is_careful: whether values may be too small for float32, so that they are computed once
            more where all scores are.
        factor: see ``is_logarithm``.
        floor: see ``is_logarithm``.
        words: which words of a packed state, or behind those of its legal moves, the column is
            made from; int64 ``[Q]``.
        bits: word of the column that each leaf reads, its last one if it is constant; uint32
            ``[K]``.
        truth: of each leaf, where its bit is not set and where it is; float32 ``[K, 2]``.
        exact_truth: the same in float64.
        chances: leaves that are probabilities of moves: row, word of the column, role, and 1 if
            negated; int64 ``[_, 4]``.
        runs: kind, fan-in, number of gates, first edge, and offset of the first row of gates that
            follow each other; int64 ``[_, 5]``.
        edges: row that each edge reads, in bytes from the first; uint32 ``[E]``.
        weights: of the edges; float32 ``[E]``, none if all are 1.
        outputs: row of each move's formula; int64 ``[A]``.
        biases: float32 ``[A]``.
        move_bits: where each role's legal moves begin, and the end; int64 ``[R + 1]``.
        move_leaves: if the formula is shared: leaves about each move, itself and negated, or -1;
            int64 ``[A, 2]``.
        first_use: if it is shared: ``uses[first_use[n]:first_use[n + 1]]`` are the gates that read
            node ``n``; int64 ``[N + 1]``.
        uses: uint32 ``[E]``.
        rows: values of the nodes in sixteen states; float32 ``[N, 16]``, aligned.
        column: what leaves read of 64 states; uint64 ``[64 Q + 1]``, the last of which is 0.
        square: 64 by 64 bits, to transpose in; uint64 ``[64]``.
        shares: one in the number of legal moves of each role; float32 ``[R, 16]``.
        values: of the nodes in one state; float64 ``[N]``.
        marks: gates to compute again, a bit each; uint64 ``[N / 64 + 1]``, 0 between calls.
        changed: gates that were; int64 ``[N]``.
        before: their values before; float64 ``[N]``.
        legal_moves: of a state; int64 ``[A]``.
        exact_scores: of these; float64 ``[A]``.
    """

    score: Callable[[MoveScores], None]
    first_move: int
    is_logarithm: int
    is_careful: int
    factor: float
    floor: float
    words: Int64s1
    bits: UInt32s1
    truth: Float32s2
    exact_truth: Float64s2
    chances: Int64s2
    runs: Int64s2
    edges: UInt32s1
    weights: Float32s1
    outputs: Int64s1
    biases: Float32s1
    move_bits: Int64s1
    move_leaves: Int64s2
    first_use: Int64s1
    uses: UInt32s1
    rows: Float32s2
    column: UInt64s1
    square: UInt64s1
    shares: Float32s2
    values: Float64s1
    marks: UInt64s1
    changed: Int64s1
    before: Float64s1
    legal_moves: Int64s1
    exact_scores: Float64s1


class Heuristic(Struct):
    """The heuristics of all roles of a game.

    Attributes:
        roles: in their order.
    """

    roles: Sequence[Formulas]


heuristic_of = cast(Heuristic)
"""In compiled code: what :attr:`~.MoveScores.judge` is where the judge is an action heuristic."""


def memory_of(rows: int) -> Float32s:
    """Return rows of lanes that begin where vectors may begin; ``[rows, 16]``."""
    memory: Float32s = aligned(max(rows, 1) * LANES // 2).view(np.float32)
    return memory.reshape(-1, LANES)


def score_by_role(scores: MoveScores) -> None:
    """Score the given moves by the function of their role, where roles differ in it."""
    heuristic_of(scores.judge).roles[scores.role].score(scores)
