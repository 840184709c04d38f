"""Scoring the legal moves of states where the role has a formula of each move."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s2
from neurogame.judges.moves import MoveScores
from neurogame.kernels.actions.careful import score_carefully
from neurogame.kernels.actions.formulas import Formulas, heuristic_of
from neurogame.kernels.actions.gates import LANES, run_gates, write_leaves
from neurogame.kernels.actions.limits import SMALL
from neurogame.kernels.actions.rows import fill_column, fill_single, write_chances
from neurogame.kernels.leaves.picking import masked
from neurogame.kernels.neural.lane_math import lane_log
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import inner

_BLOCK = 64
_ONE = np.uint64(1)


def score_actions(scores: MoveScores) -> None:
    """Score the given moves, of a role that has formulas of each move."""
    formulas = heuristic_of(scores.judge).roles[scores.role]
    rows, column, runs, edges = formulas.rows, formulas.column, formulas.runs, formulas.edges
    total = scores.count
    for begin in range(0, total, _BLOCK):
        lanes = min(total - begin, _BLOCK)
        if lanes == 1:
            fill_single(scores, formulas, column, begin, _ONE)
        else:
            fill_column(scores, formulas, column, begin, lanes)
        for first in range(0, lanes, LANES):
            write_leaves(rows, formulas.truth, formulas.bits, column, np.uint64(first))
            count = min(lanes - first, LANES)
            if len(formulas.chances) > 0:
                write_chances(scores, formulas, begin, first, count, 1)
            run_gates(rows, runs, edges, formulas.weights, count)
            for lane in range(count):
                best = _write_scores(scores, formulas, rows, begin + first + lane, lane)
                if formulas.is_careful and best < SMALL:
                    score_carefully(scores, formulas, column, begin + first + lane, first + lane)


@inner
def _write_scores(
    scores: MoveScores, formulas: Formulas, rows: Float32s2, number: int, lane: int
) -> np.float32:
    """Write the scores of one state's legal moves, and return the highest truth."""
    outputs, biases, legal, out = formulas.outputs, formulas.biases, scores.legal, scores.out
    first, last = formulas.first_move, formulas.first_move + len(outputs)
    row, is_logarithm = scores.rows[number], formulas.is_logarithm
    factor, floor = np.float32(formulas.factor), np.float32(formulas.floor)
    count, best = 0, np.float32(0)
    for word in range(first >> 6, (last + 63) >> 6):
        left = masked(legal[row, word], word, first, last)
        while left != 0:
            move = np.uint64(_BLOCK * word + lowest_bit(left) - first)
            left &= left - _ONE
            value = rows[np.uint64(outputs[move]), lane]
            best = max(best, value)
            if is_logarithm:
                value = factor * lane_log(value + floor) + biases[move]
            out[number, count] = value
            count += 1
    return best
