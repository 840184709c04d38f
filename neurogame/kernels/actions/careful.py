"""The scores of one state in float64, where float32 has lost all of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from neurogame.circuit.circuit import AND
from neurogame.kernels.actions.gates import LANES
from neurogame.kernels.actions.limits import MOST_DOUBLINGS, SMALL
from neurogame.kernels.actions.rows import legal_row, legal_word
from neurogame.kernels.leaves.bits import lowest_bit
from neurogame.kernels.leaves.memory import array_at
from neurogame.kernels.native.compiled import inner

_BLOCK = 64
_ONE = np.uint64(1)
_ROW = 4 * LANES


@inner
def score_carefully(request: Any, part: Any, column: Any, number: int, lane: int) -> None:
    """Score the moves of one state once more, times a power of two where all are tiny.

    Args:
        request: what is asked for.
        part: the role's; its edges have no weights, and scores are no logarithms.
        column: words of lanes.
        number: of the state in the request.
        lane: of the state in the column.
    """
    values = array_at(part.at_values, (part.nodes,), np.float64)
    fill_values(part, column, values, lane)
    _write_scores(request, part, values, number)


@inner
def fill_values(part: Any, column: Any, values: Any, lane: int) -> None:
    """Compute all nodes of one state.

    Args:
        part: the role's.
        column: words of lanes.
        values: written; float64 ``[nodes]``.
        lane: of the state in the column.
    """
    _write_leaves(part, column, values, lane)
    edges = array_at(part.at_edges, (part.edges,), np.uint32)
    runs = array_at(part.at_runs, (part.runs, 5), np.int64)
    for number in range(part.runs):
        run = runs[number]
        for gate in range(run[2]):
            values[run[4] // _ROW + gate] = exact_gate(values, edges, run, gate)


@inner
def exact_gate(values: Any, edges: Any, run: Any, gate: Any) -> Any:
    """Return the value of one gate of a run."""
    edge = run[3] + gate * run[1]
    total = values[edges[edge] // _ROW]
    for k in range(1, run[1]):
        value = values[edges[edge + k] // _ROW]
        total = total * value if run[0] == AND else total + value * (1 - total)
    return total


@inner
def _write_leaves(part: Any, column: Any, values: Any, lane: int) -> None:
    """Write the truth of each leaf."""
    bits = array_at(part.at_bits, (part.leaves,), np.uint32)
    truth = array_at(part.at_exact_truth, (part.leaves, 2), np.float64)
    for leaf in range(part.leaves):
        values[leaf] = truth[leaf, (column[bits[leaf]] >> np.uint64(lane)) & _ONE]
    chances = array_at(part.at_chances, (part.chances, 4), np.int64)
    rows = array_at(part.at_rows, (part.nodes, LANES), np.float32)
    for chance in range(part.chances):
        row = chances[chance, 0]
        values[row] = rows[row, lane % LANES]


@inner
def _write_scores(request: Any, part: Any, values: Any, number: int) -> None:
    """Write the scores of the legal moves."""
    first, last = part.first_move, part.first_move + part.moves
    legal = legal_row(request, number)
    out = array_at(request.out + number * request.out_stride, (part.moves,), np.float32)
    outputs = array_at(part.at_outputs, (part.moves,), np.int64)
    best, scale = 0.0, 1.0
    for write in range(2):
        count = 0
        for word in range(first >> 6, (last + 63) >> 6):
            left = legal_word(legal, word, first, last)
            while left != 0:
                value = values[outputs[_BLOCK * word + lowest_bit(left) - first]]
                left &= left - _ONE
                best = max(best, value)
                if write == 1:
                    out[count] = np.float32(value * scale)
                count += 1
        scale = enlargement(best)


@inner
def enlargement(best: Any) -> Any:
    """Return the power of two to multiply a state's truths by, of which this is the highest."""
    if 0 < best < SMALL:
        return math.ldexp(1.0, min(-math.frexp(best)[1], MOST_DOUBLINGS))
    return 1.0
