"""The scores of one state in float64, where float32 has lost all of them.

:mod:`~neurogame.kernels.actions.scores` calls :func:`score_carefully`, and
:mod:`~neurogame.kernels.actions.shared` :func:`score_moves_carefully`, for states whose scores are
all tiny.
"""

from __future__ import annotations

import math

import numpy as np

from neurogame.array_types import Float64s1, Float64s2, Int64s2, UInt64s1
from neurogame.judges.moves import MoveScores
from neurogame.kernels.actions.changes import compute_changes, exact_gate
from neurogame.kernels.actions.formulas import Formulas
from neurogame.kernels.actions.gates import LANES
from neurogame.kernels.actions.limits import MOST_DOUBLINGS, SMALL
from neurogame.kernels.leaves.picking import masked
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import inner

_BLOCK = 64
_ONE = np.uint64(1)
_ROW = 4 * LANES


@inner
def score_carefully(
    scores: MoveScores, formulas: Formulas, column: UInt64s1, number: int, lane: int
) -> None:
    """Score the moves of one state once more, times a power of two where all are tiny.

    Args:
        scores: what is given.
        formulas: the role's; its edges have no weights, and scores are no logarithms.
        column: words of lanes.
        number: of the state among the given ones.
        lane: of the state in the column.
    """
    values, outputs, legal, out = formulas.values, formulas.outputs, scores.legal, scores.out
    first, last, row = formulas.first_move, formulas.first_move + len(outputs), scores.rows[number]
    fill_values(formulas, column, values, lane)
    best, scale = 0.0, 1.0
    for write in range(2):
        count = 0
        for word in range(first >> 6, (last + 63) >> 6):
            left = masked(legal[row, word], word, first, last)
            while left != 0:
                value = values[outputs[_BLOCK * word + lowest_bit(left) - first]]
                left &= left - _ONE
                best = max(best, value)
                if write == 1:
                    out[number, count] = np.float32(value * scale)
                count += 1
        scale = enlargement(best)


@inner
def fill_values(formulas: Formulas, column: UInt64s1, values: Float64s1, lane: int) -> None:
    """Compute all nodes of one state.

    Args:
        formulas: the role's.
        column: words of lanes.
        values: written; float64 ``[nodes]``.
        lane: of the state in the column.
    """
    bits, truth = formulas.bits, formulas.exact_truth
    chances, rows = formulas.chances, formulas.rows
    for leaf in range(len(bits)):
        values[leaf] = truth[leaf, (column[bits[leaf]] >> np.uint64(lane)) & _ONE]
    for chance in range(len(chances)):
        row = chances[chance, 0]
        values[row] = rows[row, lane % LANES]
    edges, runs = formulas.edges, formulas.runs
    for number in range(len(runs)):
        run = runs[number]
        for gate in range(run[2]):
            values[run[4] // _ROW + gate] = exact_gate(values, edges, run, gate)


@inner
def enlargement(best: float) -> float:
    """Return the power of two to multiply a state's truths by, of which this is the highest."""
    if 0 < best < SMALL:
        return math.ldexp(1.0, min(-math.frexp(best)[1], MOST_DOUBLINGS))
    return 1.0


@inner
def score_moves_carefully(
    scores: MoveScores, formulas: Formulas, column: UInt64s1, number: int, count: int
) -> None:
    """Score the legal moves of a state once more, times a power of two where all are tiny.

    Args:
        scores: what is given.
        formulas: the role's; its edges have no weights, and scores are no logarithms.
        column: words of lanes, of which the first is the state's.
        number: of the state among the given ones.
        count: number of its legal moves, which the role's memory lists.
    """
    values, truth, exact_scores = formulas.values, formulas.exact_truth, formulas.exact_scores
    moves, leaves, outputs = formulas.legal_moves, formulas.move_leaves, formulas.outputs
    changed, before, out = formulas.changed, formulas.before, scores.out
    fill_values(formulas, column, values, 0)
    best = 0.0
    for place in range(count):
        move = moves[place]
        _write_move(values, truth, leaves, move, 1)
        computed = compute_changes(formulas, place, 1, True)
        exact_scores[place] = values[outputs[move]]
        best = max(best, exact_scores[place])
        for item in range(computed):
            values[changed[item]] = before[item]
        _write_move(values, truth, leaves, move, 0)
    scale = enlargement(best)
    for place in range(count):
        out[number, place] = np.float32(exact_scores[place] * scale)


@inner
def _write_move(values: Float64s1, truth: Float64s2, leaves: Int64s2, move: int, made: int) -> None:
    """Write the leaves about a move: as made, 1, or as not made, 0."""
    for side in range(2):
        leaf = leaves[move, side]
        if leaf >= 0:
            values[leaf] = truth[leaf, made]
