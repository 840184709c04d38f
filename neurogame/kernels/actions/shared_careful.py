"""The scores of one state's moves by a shared formula in float64, where float32 loses them."""

from __future__ import annotations

import numpy as np

from neurogame.kernels.actions.careful import enlargement, exact_gate, fill_values
from neurogame.kernels.actions.formulas import Formulas
from neurogame.kernels.actions.marks import mark_uses
from neurogame.kernels.leaves.move_scores import MoveScores
from neurogame.kernels.native.bits import lowest_bit
from neurogame.kernels.native.compiled import inner
from neurogame.kernels.native.layout import Float64s1, Float64s2, Int64s2, UInt64s1

_BLOCK = 64
_ONE = np.uint64(1)


@inner
def score_moves_carefully(
    scores: MoveScores, own: Formulas, column: UInt64s1, number: int, count: int
) -> None:
    """Score the legal moves of a state once more, times a power of two where all are tiny.

    Args:
        scores: what is given.
        own: the role's; its edges have no weights, and scores are no logarithms.
        column: words of lanes, of which the first is the state's.
        number: of the state among the given ones.
        count: number of its legal moves, which the role's memory lists.
    """
    values, truth, exact_scores = own.values, own.exact_truth, own.exact_scores
    moves, leaves, outputs = own.legal_moves, own.move_leaves, own.outputs
    changed, before, out = own.changed, own.before, scores.out
    fill_values(own, column, values, 0)
    best = 0.0
    for place in range(count):
        move = moves[place]
        _write_leaves(values, truth, leaves, move, 1)
        computed = _compute(own, values, leaves, move)
        exact_scores[place] = values[outputs[move]]
        best = max(best, exact_scores[place])
        for item in range(computed):
            values[changed[item]] = before[item]
        _write_leaves(values, truth, leaves, move, 0)
    scale = enlargement(best)
    for place in range(count):
        out[number, place] = np.float32(exact_scores[place] * scale)


@inner
def _write_leaves(
    values: Float64s1, truth: Float64s2, leaves: Int64s2, move: int, made: int
) -> None:
    """Write the leaves about a move: as made, 1, or as not made, 0."""
    for side in range(2):
        leaf = leaves[move, side]
        if leaf >= 0:
            values[leaf] = truth[leaf, made]


@inner
def _compute(own: Formulas, values: Float64s1, leaves: Int64s2, move: int) -> int:
    """Compute the gates that a move changes, and return how many were changed."""
    runs, edges, first_use, uses = own.runs, own.edges, own.first_use, own.uses
    marks, changed, before = own.marks, own.changed, own.before
    leaf_count = len(own.bits)
    for side in range(2):
        leaf = leaves[move, side]
        if leaf >= 0:
            mark_uses(marks, uses, first_use[leaf], first_use[leaf + 1])
    count, number, first, last = 0, -1, 0, 0
    for word in range((len(first_use) - 1 - leaf_count + _BLOCK - 1) // _BLOCK):
        while marks[word] != 0:
            gate = _BLOCK * word + lowest_bit(marks[word])
            marks[word] &= marks[word] - _ONE
            while gate >= last:
                number += 1
                first, last = last, last + runs[number, 2]
            node = leaf_count + gate
            value = exact_gate(values, edges, runs[number], gate - first)
            if value != values[node]:
                changed[count], before[count] = node, values[node]
                count += 1
                values[node] = value
                mark_uses(marks, uses, first_use[node], first_use[node + 1])
    return count
