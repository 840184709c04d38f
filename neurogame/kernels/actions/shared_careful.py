"""The scores of one state's moves by a shared formula in float64, where float32 loses them."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.actions.careful import enlargement, exact_gate, fill_values
from neurogame.kernels.actions.marks import mark_uses
from neurogame.kernels.leaves.bits import lowest_bit
from neurogame.kernels.leaves.memory import array_at
from neurogame.kernels.native.compiled import inner

_BLOCK = 64
_ONE = np.uint64(1)


@inner
def score_moves_carefully(request: Any, part: Any, column: Any, number: Any, count: Any) -> None:
    """Score the legal moves of a state once more, times a power of two where all are tiny.

    Args:
        request: what is asked for.
        part: the role's; its edges have no weights, and scores are no logarithms.
        column: words of lanes, of which the first is the state's.
        number: of the state in the request.
        count: number of its legal moves, which the part's memory lists.
    """
    values = array_at(part.at_values, (part.nodes,), np.float64)
    truth = array_at(part.at_exact_truth, (part.leaves, 2), np.float64)
    moves = array_at(part.at_legal_moves, (part.moves,), np.int64)
    leaves = array_at(part.at_move_leaves, (part.moves, 2), np.int64)
    outputs = array_at(part.at_outputs, (part.moves,), np.int64)
    scores = array_at(part.at_exact_scores, (part.moves,), np.float64)
    changed = array_at(part.at_changed, (part.nodes,), np.int64)
    before = array_at(part.at_before, (part.nodes,), np.float64)
    fill_values(part, column, values, 0)
    best = 0.0
    for place in range(count):
        move = moves[place]
        _write_leaves(values, truth, leaves, move, 1)
        computed = _compute(part, values, leaves, move)
        scores[place] = values[outputs[move]]
        best = max(best, scores[place])
        for item in range(computed):
            values[changed[item]] = before[item]
        _write_leaves(values, truth, leaves, move, 0)
    scale = enlargement(best)
    out = array_at(request.out + number * request.out_stride, (part.moves,), np.float32)
    for place in range(count):
        out[place] = np.float32(scores[place] * scale)


@inner
def _write_leaves(values: Any, truth: Any, leaves: Any, move: Any, made: Any) -> None:
    """Write the leaves about a move: as made, 1, or as not made, 0."""
    for side in range(2):
        leaf = leaves[move, side]
        if leaf >= 0:
            values[leaf] = truth[leaf, made]


@inner
def _compute(part: Any, values: Any, leaves: Any, move: Any) -> Any:
    """Compute the gates that a move changes, and return how many were changed."""
    runs = array_at(part.at_runs, (part.runs, 5), np.int64)
    edges = array_at(part.at_edges, (part.edges,), np.uint32)
    first_use = array_at(part.at_first_use, (part.nodes + 1,), np.int64)
    uses = array_at(part.at_uses, (part.edges,), np.uint32)
    marks = array_at(part.at_marks, (part.nodes // _BLOCK + 1,), np.uint64)
    changed = array_at(part.at_changed, (part.nodes,), np.int64)
    before = array_at(part.at_before, (part.nodes,), np.float64)
    for side in range(2):
        leaf = leaves[move, side]
        if leaf >= 0:
            mark_uses(marks, uses, first_use[leaf], first_use[leaf + 1])
    count, number, first, last = 0, -1, 0, 0
    for word in range((part.nodes - part.leaves + _BLOCK - 1) // _BLOCK):
        while marks[word] != 0:
            gate = _BLOCK * word + lowest_bit(marks[word])
            marks[word] &= marks[word] - _ONE
            while gate >= last:
                number += 1
                first, last = last, last + runs[number, 2]
            node = part.leaves + gate
            value = exact_gate(values, edges, runs[number], gate - first)
            if value != values[node]:
                changed[count], before[count] = node, values[node]
                count += 1
                values[node] = value
                mark_uses(marks, uses, first_use[node], first_use[node + 1])
    return count
