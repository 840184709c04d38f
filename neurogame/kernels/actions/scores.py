"""Scoring the legal moves of a request's states, as a function that is called by its address."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.actions.careful import score_carefully
from neurogame.kernels.actions.gates import LANES, run_gates, write_leaves
from neurogame.kernels.actions.limits import SMALL
from neurogame.kernels.actions.part import PART
from neurogame.kernels.actions.rows import (
    fill_column,
    fill_single,
    legal_row,
    legal_word,
    write_chances,
)
from neurogame.kernels.leaves.bits import lowest_bit
from neurogame.kernels.leaves.memory import array_at
from neurogame.kernels.leaves.move_scores import SCORES_REQUEST
from neurogame.kernels.native.compiled import inner
from neurogame.kernels.neural.lane_math import lane_log

_BLOCK = 64
_ONE = np.uint64(1)


def score_actions(address: int) -> None:
    """Score the moves of the request at an address, whose role has formulas of each move."""
    request = array_at(address, (1,), SCORES_REQUEST)[0]
    part = array_at(request.bundle, (request.role + 1,), PART)[request.role]
    rows = array_at(part.at_rows, (part.nodes, LANES), np.float32)
    truth = array_at(part.at_truth, (part.leaves, 2), np.float32)
    bits = array_at(part.at_bits, (part.leaves,), np.uint32)
    column = array_at(part.at_column, (_BLOCK * part.words + 1,), np.uint64)
    runs = array_at(part.at_runs, (part.runs, 5), np.int64)
    edges = array_at(part.at_edges, (part.edges,), np.uint32)
    weights = array_at(part.at_weights, (part.edges * part.is_weighted,), np.float32)
    for begin in range(0, request.count, _BLOCK):
        lanes = min(request.count - begin, _BLOCK)
        if lanes == 1:
            fill_single(request, part, column, begin, _ONE)
        else:
            fill_column(request, part, column, begin, lanes)
        for first in range(0, lanes, LANES):
            write_leaves(rows, truth, bits, column, np.uint64(first))
            own = min(lanes - first, LANES)
            if part.chances > 0:
                write_chances(request, part, rows, column, begin, first, own, 1)
            run_gates(rows, runs, edges, weights, own)
            for lane in range(own):
                best = _write_scores(request, part, rows, begin + first + lane, lane)
                if part.is_careful and best < SMALL:
                    score_carefully(request, part, column, begin + first + lane, first + lane)


@inner
def _write_scores(request: Any, part: Any, rows: Any, number: Any, lane: Any) -> Any:
    """Write the scores of one state's legal moves, and return the highest truth."""
    first, last = part.first_move, part.first_move + part.moves
    legal = legal_row(request, number)
    out = array_at(request.out + number * request.out_stride, (part.moves,), np.float32)
    outputs = array_at(part.at_outputs, (part.moves,), np.int64)
    biases = array_at(part.at_biases, (part.moves,), np.float32)
    factor, floor = np.float32(part.factor), np.float32(part.floor)
    count, best = 0, np.float32(0)
    for word in range(first >> 6, (last + 63) >> 6):
        left = legal_word(legal, word, first, last)
        while left != 0:
            move = np.uint64(_BLOCK * word + lowest_bit(left) - first)
            left &= left - _ONE
            value = rows[np.uint64(outputs[move]), lane]
            best = max(best, value)
            if part.is_logarithm:
                value = factor * lane_log(value + floor) + biases[move]
            out[count] = value
            count += 1
    return best
