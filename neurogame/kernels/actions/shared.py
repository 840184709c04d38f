"""Scoring the legal moves of one state by a formula that they share: sixteen moves side by side.

Few moves are computed as if they were states. For more of them all gates are computed once, with
none of the moves made; then for sixteen moves at a time only the gates that these change, found
from their leaves up by the bits of those that are still to be computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.actions.gates import LANES, run_gate, run_gates, write_leaves
from neurogame.kernels.actions.limits import SMALL
from neurogame.kernels.actions.marks import mark_uses
from neurogame.kernels.actions.part import PART
from neurogame.kernels.actions.rows import fill_single, legal_row, legal_word, write_chances
from neurogame.kernels.actions.shared_careful import score_moves_carefully
from neurogame.kernels.leaves.bits import lowest_bit
from neurogame.kernels.leaves.memory import array_at
from neurogame.kernels.leaves.move_scores import SCORES_REQUEST
from neurogame.kernels.native.compiled import inner
from neurogame.kernels.neural.lane_math import lane_log

_BLOCK = 64
_ONE = np.uint64(1)
_EVERY_LANE = np.uint64(0xFFFFFFFFFFFFFFFF)


def score_shared_actions(address: int) -> None:
    """Score the moves of the request at an address, whose role has a shared formula."""
    request = array_at(address, (1,), SCORES_REQUEST)[0]
    part = array_at(request.bundle, (request.role + 1,), PART)[request.role]
    rows = array_at(part.at_rows, (part.nodes, LANES), np.float32)
    truth = array_at(part.at_truth, (part.leaves, 2), np.float32)
    bits = array_at(part.at_bits, (part.leaves,), np.uint32)
    column = array_at(part.at_column, (_BLOCK * part.words + 1,), np.uint64)
    runs = array_at(part.at_runs, (part.runs, 5), np.int64)
    edges = array_at(part.at_edges, (part.edges,), np.uint32)
    weights = array_at(part.at_weights, (part.edges * part.is_weighted,), np.float32)
    for number in range(request.count):
        count = _find_moves(request, part, number)
        fill_single(request, part, column, number, _EVERY_LANE)
        write_leaves(rows, truth, bits, column, np.uint64(0))
        if part.chances > 0:
            write_chances(request, part, rows, column, number, 0, LANES, 0)
        few = count <= LANES
        if few:
            _make_moves(part, rows, truth, 0, count, 1)
        run_gates(rows, runs, edges, weights, count)
        best = np.float32(0)
        for begin in range(0, count, LANES):
            lanes = min(count - begin, LANES)
            changed = 0
            if not few:
                _make_moves(part, rows, truth, begin, lanes, 1)
                changed = _compute(part, rows, runs, edges, weights, begin, lanes)
            best = max(best, _write_scores(request, part, rows, number, begin, lanes))
            if not few:
                _make_moves(part, rows, truth, begin, lanes, 0)
                _restore(part, rows, changed)
        if part.is_careful and best < SMALL:
            score_moves_carefully(request, part, column, number, count)


@inner
def _find_moves(request: Any, part: Any, number: Any) -> Any:
    """Write the legal moves of a state, and return how many there are."""
    first, last = part.first_move, part.first_move + part.moves
    legal = legal_row(request, number)
    moves = array_at(part.at_legal_moves, (part.moves,), np.int64)
    count = 0
    for word in range(first >> 6, (last + 63) >> 6):
        left = legal_word(legal, word, first, last)
        while left != 0:
            moves[count] = _BLOCK * word + lowest_bit(left) - first
            left &= left - _ONE
            count += 1
    return count


@inner
def _make_moves(part: Any, rows: Any, truth: Any, begin: Any, lanes: Any, made: Any) -> None:
    """Write the leaves about some legal moves, a lane each: as made, 1, or as not made, 0."""
    moves = array_at(part.at_legal_moves, (part.moves,), np.int64)
    leaves = array_at(part.at_move_leaves, (part.moves, 2), np.int64)
    for lane in range(lanes):
        for side in range(2):
            leaf = leaves[moves[begin + lane], side]
            if leaf >= 0:
                rows[leaf, lane] = truth[leaf, made]


@inner
def _compute(
    part: Any, rows: Any, runs: Any, edges: Any, weights: Any, begin: Any, lanes: Any
) -> Any:
    """Compute the gates that some moves change, and return how many were computed."""
    moves = array_at(part.at_legal_moves, (part.moves,), np.int64)
    leaves = array_at(part.at_move_leaves, (part.moves, 2), np.int64)
    first_use = array_at(part.at_first_use, (part.nodes + 1,), np.int64)
    uses = array_at(part.at_uses, (part.edges,), np.uint32)
    marks = array_at(part.at_marks, (part.nodes // _BLOCK + 1,), np.uint64)
    changed = array_at(part.at_changed, (part.nodes,), np.int64)
    before = array_at(part.at_before, (part.nodes,), np.float64)
    for lane in range(lanes):
        for side in range(2):
            leaf = leaves[moves[begin + lane], side]
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
            old = rows[node, 0]
            run_gate(rows, runs[number], gate - first, edges, weights)
            changed[count], before[count] = node, old
            count += 1
            differs = False
            for lane in range(LANES):
                differs |= rows[node, lane] != old
            if differs:
                mark_uses(marks, uses, first_use[node], first_use[node + 1])
    return count


@inner
def _restore(part: Any, rows: Any, count: Any) -> None:
    """Give the gates that were computed the value again that they had in all lanes."""
    changed = array_at(part.at_changed, (part.nodes,), np.int64)
    before = array_at(part.at_before, (part.nodes,), np.float64)
    for place in range(count):
        old = np.float32(before[place])
        for lane in range(LANES):
            rows[changed[place], lane] = old


@inner
def _write_scores(request: Any, part: Any, rows: Any, number: Any, begin: Any, lanes: Any) -> Any:
    """Write the scores of some legal moves, and return the highest truth."""
    moves = array_at(part.at_legal_moves, (part.moves,), np.int64)
    outputs = array_at(part.at_outputs, (part.moves,), np.int64)
    biases = array_at(part.at_biases, (part.moves,), np.float32)
    out = array_at(request.out + number * request.out_stride, (part.moves,), np.float32)
    factor, floor = np.float32(part.factor), np.float32(part.floor)
    best = np.float32(0)
    for lane in range(lanes):
        move = moves[begin + lane]
        value = rows[outputs[move], lane]
        best = max(best, value)
        if part.is_logarithm:
            value = factor * lane_log(value + floor) + biases[move]
        out[begin + lane] = value
    return best
