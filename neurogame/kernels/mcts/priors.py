"""Priors: what a judge says of the moves of a node before they are tried.

Scores are scaled to 0..1: linear ones as asked for, logarithms relative to the best.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from neurogame.kernels.leaves.move_scores import LOGITS, score_moves
from neurogame.kernels.leaves.preference import lowest_highest, shift_factor
from neurogame.kernels.mcts.bits import random_word, whole
from neurogame.kernels.mcts.flight import Total
from neurogame.kernels.mcts.layout import (
    COUNT,
    DECIDERS,
    INDEX,
    KNOWN,
    MOVE,
    ROLE,
    SLOT_MOVES,
    STATUS,
    STUB,
    SUMS,
)
from neurogame.kernels.mcts.records import first_slot, padded
from neurogame.kernels.mcts.search import search_at
from neurogame.kernels.mcts.stubs import counts_at, listed_move
from neurogame.kernels.native.clock import nanoseconds
from neurogame.kernels.native.compiled import inner

_ONE = np.uint64(1)
_ZERO, _UNIT = np.float32(0), np.float32(1)
_BLOCKS = int(Total.BLOCKS)


def add_priors(address: int) -> None:
    """Give the records of the queue their priors, and empty the queue.

    Args:
        address: of a search.
    """
    search = search_at(address)
    tree, options, judging = search.tree, search.options, search.judging
    heap, roles, nodes = tree.heap, len(tree.best), whole(judging.queue[0])
    judging.queue[0] = 0
    for number in range(nodes):
        _copy(tree, options, judging, number, whole(heap[judging.queue[1 + number] + STUB]))
    judge = judging.scores
    for role in range(roles):
        wanted = 0
        for number in range(nodes):
            if _choice(heap, judging.queue[1 + number], roles, role) > 0:
                judging.rows[wanted] = number
                wanted += 1
        if wanted == 0:
            continue
        begun = nanoseconds()
        seed = whole(random_word(options.seed, search.flight.totals[_BLOCKS], 1))
        rows, marks = judging.rows, judging.marks
        score_moves(judging.scores, judging.states, judging.legal, rows, wanted, role, seed, marks)
        judge.nanoseconds += nanoseconds() - begun
        for row in range(wanted):
            record = whole(judging.queue[1 + rows[row]])
            _scale(marks, row, heap, record, roles, role, judge.scale, options.scaling)
            _write(tree, options, judging, row, record, role)


@inner
def _copy(tree: Any, options: Any, judging: Any, number: int, node: int) -> None:
    """Copy a node's state and legal moves, and note which of its role's moves each is."""
    heap, roles = tree.heap, len(tree.best)
    index = heap[node + INDEX]
    for word in range(tree.states.shape[1]):
        judging.states[number, word] = tree.states[index, word]
    for word in range(judging.legal.shape[1]):
        judging.legal[number, word] = 0
    counts = counts_at(node, roles, options.hinted)
    total = 0
    for role in range(roles):
        total += whole(heap[counts + role])
    for own in range(total):
        move = listed_move(heap, counts + roles, own, options.wide)
        judging.legal[number, move >> 6] |= _ONE << np.uint64(move & 63)


@inner
def _choice(heap: Any, record: int, roles: int, role: int) -> Any:
    """Return the place of a deciding role's word of role and count, 0 if it has no choice."""
    deciders = whole(heap[record + STATUS]) >> DECIDERS
    for decider in range(deciders):
        place = whole(record) + SUMS + roles + 2 * decider
        if heap[place] >> ROLE == role and heap[place] & COUNT > 1:
            return place
    return whole(0)


@inner
def _scale(
    marks: Any, row: int, heap: Any, record: int, roles: int, role: int, scale: int, scaling: int
) -> None:
    """Turn the scores of a row into numbers in 0..1, one half where all of a range are equal."""
    count = whole(heap[_choice(heap, record, roles, role)] & COUNT)
    low, high = lowest_highest(marks, row, count)
    shift, factor = shift_factor(low, high, scale, scaling)
    for place in range(count):
        value = (marks[row, place] - shift) * factor
        if scale == LOGITS:
            value = np.float32(math.exp(value))
        elif factor == _ZERO:
            value = np.float32(0.5)
        # Scores must not be negative, nor anything else than numbers.
        marks[row, place] = min(value, _UNIT) if value >= _ZERO else _ZERO


@inner
def _write(tree: Any, options: Any, judging: Any, row: int, record: int, role: int) -> None:
    """Write the priors of a role into a record, and put its untried slots in their order."""
    heap, reals, roles = tree.heap, tree.reals, len(tree.best)
    node, deciders = whole(heap[record + STUB]), whole(heap[record + STATUS]) >> DECIDERS
    counts, first = counts_at(node, roles, options.hinted), 0
    for other in range(role):
        first += whole(heap[counts + other])
    count = whole(heap[counts + role])
    for own in range(count):
        judging.places[listed_move(heap, counts + roles, first + own, options.wide)] = own
    base, choice = record + first_slot(roles, deciders), record + SUMS + roles
    while heap[choice] >> ROLE != role:
        base += options.width * padded(whole(heap[choice] & COUNT))
        choice += 2
    pad, tried = padded(count), whole(heap[choice + 1])
    priors = base + options.prior * pad
    for slot in range(count):
        move = (heap[base + SLOT_MOVES * pad + slot] & ~KNOWN) >> MOVE
        reals[priors + slot] = judging.marks[row, judging.places[move]]
    left = count - tried
    kept = _sort(reals, priors + tried, left, judging.order)
    for array in range(options.width):
        place = base + array * pad + tried
        for slot in range(left):
            judging.columns[slot] = heap[place + judging.order[kept, slot]]
        for slot in range(left):
            heap[place + slot] = judging.columns[slot]


@inner
def _sort(reals: Any, first: int, count: int, order: Any) -> Any:
    """Write the order of numbers, the greatest first, equal ones as they are; return its row.

    It merges ever longer runs from one row of the order into the other.
    """
    for slot in range(count):
        order[0, slot] = slot
    source, run = 0, 1
    while run < count:
        for begin in range(0, count, 2 * run):
            middle, end = min(begin + run, count), min(begin + 2 * run, count)
            one, other = begin, middle
            for slot in range(begin, end):
                least = other >= end or (
                    one < middle
                    and reals[first + order[source, one]] >= reals[first + order[source, other]]
                )
                if least:
                    order[1 - source, slot] = order[source, one]
                    one += 1
                else:
                    order[1 - source, slot] = order[source, other]
                    other += 1
        source, run = 1 - source, 2 * run
    return source
