"""Scoring the legal moves of one state by a formula that they share: sixteen moves side by side.

Few moves are computed as if they were states. For more of them all gates are computed once, with
none of the moves made; then for sixteen moves at a time only the gates that these change.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s2
from neurogame.judges.moves import MoveScores
from neurogame.kernels.actions.careful import score_moves_carefully
from neurogame.kernels.actions.changes import compute_changes
from neurogame.kernels.actions.formulas import Formulas, heuristic_of
from neurogame.kernels.actions.gates import LANES, run_gates, write_leaves
from neurogame.kernels.actions.limits import SMALL
from neurogame.kernels.actions.rows import fill_single, write_chances
from neurogame.kernels.leaves.picking import masked
from neurogame.kernels.neural.lane_math import lane_log
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import inner

_BLOCK = 64
_ONE = np.uint64(1)
_EVERY_LANE = np.uint64(0xFFFFFFFFFFFFFFFF)


def score_shared_actions(scores: MoveScores) -> None:
    """Score the given moves, of a role that has a shared formula."""
    formulas = heuristic_of(scores.judge).roles[scores.role]
    rows, truth, column = formulas.rows, formulas.truth, formulas.column
    runs, edges = formulas.runs, formulas.edges
    weights = formulas.weights
    for number in range(scores.count):
        count = _find_moves(scores, formulas, number)
        fill_single(scores, formulas, column, number, _EVERY_LANE)
        write_leaves(rows, truth, formulas.bits, column, np.uint64(0))
        if len(formulas.chances) > 0:
            write_chances(scores, formulas, number, 0, LANES, 0)
        few = count <= LANES
        if few:
            _make_moves(formulas, rows, 0, count, 1)
        run_gates(rows, runs, edges, weights, count)
        best = np.float32(0)
        for begin in range(0, count, LANES):
            lanes = min(count - begin, LANES)
            changed = 0
            if not few:
                _make_moves(formulas, rows, begin, lanes, 1)
                changed = compute_changes(formulas, begin, lanes, False)
            best = max(best, _write_scores(scores, formulas, rows, number, begin, lanes))
            if not few:
                _make_moves(formulas, rows, begin, lanes, 0)
                _restore(formulas, rows, changed)
        if formulas.is_careful and best < SMALL:
            score_moves_carefully(scores, formulas, column, number, count)


@inner
def _find_moves(scores: MoveScores, formulas: Formulas, number: int) -> int:
    """Write the legal moves of a state, and return how many there are."""
    first, last = formulas.first_move, formulas.first_move + len(formulas.outputs)
    legal, moves, row = scores.legal, formulas.legal_moves, scores.rows[number]
    count = 0
    for word in range(first >> 6, (last + 63) >> 6):
        left = masked(legal[row, word], word, first, last)
        while left != 0:
            moves[count] = _BLOCK * word + lowest_bit(left) - first
            left &= left - _ONE
            count += 1
    return count


@inner
def _make_moves(formulas: Formulas, rows: Float32s2, begin: int, lanes: int, made: int) -> None:
    """Write the leaves about some legal moves, a lane each: as made, 1, or as not made, 0."""
    moves, leaves, truth = formulas.legal_moves, formulas.move_leaves, formulas.truth
    for lane in range(lanes):
        for side in range(2):
            leaf = leaves[moves[begin + lane], side]
            if leaf >= 0:
                rows[leaf, lane] = truth[leaf, made]


@inner
def _restore(formulas: Formulas, rows: Float32s2, count: int) -> None:
    """Give the gates that were computed the value again that they had in all lanes."""
    changed, before = formulas.changed, formulas.before
    for place in range(count):
        old = np.float32(before[place])
        for lane in range(LANES):
            rows[changed[place], lane] = old


@inner
def _write_scores(
    scores: MoveScores, formulas: Formulas, rows: Float32s2, number: int, begin: int, lanes: int
) -> np.float32:
    """Write the scores of some legal moves, and return the highest truth."""
    moves, outputs = formulas.legal_moves, formulas.outputs
    biases, out = formulas.biases, scores.out
    is_logarithm = formulas.is_logarithm
    factor, floor = np.float32(formulas.factor), np.float32(formulas.floor)
    best = np.float32(0)
    for lane in range(lanes):
        move = moves[begin + lane]
        value = rows[outputs[move], lane]
        best = max(best, value)
        if is_logarithm:
            value = factor * lane_log(value + floor) + biases[move]
        out[number, begin + lane] = value
    return best
