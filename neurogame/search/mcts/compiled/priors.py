"""Priors: what a judge says of the moves of a node before they are tried.

Scores are scaled to 0..1: linear ones as asked for, logarithms relative to the best.
"""

from __future__ import annotations

import math

import numpy as np

from neurogame.array_types import Float32s1, Int32s2
from neurogame.judges.moves import LOGITS, score_moves
from neurogame.kernels.leaves.preference import lowest_highest, shift_factor
from neurogame.native.bits import whole
from neurogame.native.clock import nanoseconds
from neurogame.native.compiled import inner
from neurogame.native.random import random_word
from neurogame.search.mcts.compiled.nodes import counts_at, listed_count, listed_move
from neurogame.search.mcts.compiled.search import Search
from neurogame.search.mcts.compiled.tree import (
    COUNT,
    ROLE,
    decider_of,
    deciders_of,
    edges_of,
    move_of,
    node_at,
    record_at,
)

_BIT = np.uint64(1)
_ZERO, _HALF, _ONE = np.float32(0), np.float32(0.5), np.float32(1)


def add_priors(search: Search) -> None:
    """Give the records of the queue their priors, and empty the queue.

    Args:
        search: with a judge.
    """
    tree, judging = search.tree, search.judging
    scores, queue, nodes = judging.scores, judging.queue, judging.count
    judging.count = 0
    for number in range(nodes):
        _copy(search, number, record_at(tree.heap, queue[number]).node)
    seed = whole(random_word(search.options.seed, search.totals.blocks, 1))
    for role in range(len(tree.best)):
        wanted = 0
        for number in range(nodes):
            if _decider(search, whole(queue[number]), role) >= 0:
                judging.rows[wanted] = number
                wanted += 1
        if wanted == 0:
            continue
        begun = nanoseconds()
        score_moves(
            scores,
            judging.states,
            judging.legal,
            judging.rows,
            wanted,
            role,
            seed,
            judging.marks,
        )
        scores.nanoseconds += nanoseconds() - begun
        for row in range(wanted):
            record = whole(queue[judging.rows[row]])
            number = _decider(search, record, role)
            count = decider_of(tree, record, number).head & COUNT
            scores.moves += count
            _scale(search, row, count)
            _write(search, row, record, number)


@inner
def _copy(search: Search, number: int, node: int) -> None:
    """Copy a node's state and legal moves."""
    tree, judging, index = search.tree, search.judging, node_at(search.tree.heap, node).index
    for word in range(tree.states.shape[1]):
        judging.states[number, word] = tree.states[index, word]
    for word in range(judging.legal.shape[1]):
        judging.legal[number, word] = 0
    for place in range(listed_count(tree, node)):
        move = listed_move(tree, node, place)
        judging.legal[number, move >> 6] |= _BIT << np.uint64(move & 63)


@inner
def _decider(search: Search, record: int, role: int) -> int:
    """Return which of a record's deciders a role is, -1 if it has no choice or is chance."""
    if role == search.tree.chance:
        return -1
    for number in range(deciders_of(search.tree, record)):
        head = decider_of(search.tree, record, number).head
        if head >> ROLE == role and head & COUNT > 1:
            return number
    return -1


@inner
def _scale(search: Search, row: int, count: int) -> None:
    """Turn the scores of a row into numbers in 0..1, one half where all of a range are equal."""
    marks, scale = search.judging.marks, search.judging.scores.scale
    low, high = lowest_highest(marks, row, count)
    shift, factor = shift_factor(low, high, scale, search.options.scaling)
    for place in range(count):
        value = (marks[row, place] - shift) * factor
        if scale == LOGITS:
            value = np.float32(math.exp(value))
        elif factor == _ZERO:
            value = _HALF
        # Scores must not be negative, nor anything else than numbers.
        marks[row, place] = min(value, _ONE) if value >= _ZERO else _ZERO


@inner
def _write(search: Search, row: int, record: int, number: int) -> None:
    """Write the priors of a decider into a record, and put its untried edges in their order."""
    tree, judging = search.tree, search.judging
    decider, node = decider_of(tree, record, number), record_at(tree.heap, record).node
    edges = edges_of(tree, record, deciders_of(tree, record), number)
    counts, first, count = counts_at(tree, node), 0, decider.head & COUNT
    for other in range(decider.head >> ROLE):
        first += whole(tree.heap[counts + other])
    for place in range(count):
        judging.places[listed_move(tree, node, first + place)] = place
    priors, tried = edges.extra[tree.priors], decider.tried
    for edge in range(count):
        place = whole(judging.places[move_of(edges.moves[edge])])
        priors[edge] = judging.marks[row, place]
    kept = _sort(priors, tried, count - tried, judging.order)
    for place in range(count - tried):
        judging.column[place] = edges.moves[tried + judging.order[kept, place]]
    # Nothing else is known of untried edges.
    for place in range(count - tried):
        word = judging.column[place]
        edges.moves[tried + place] = word
        priors[tried + place] = judging.marks[row, judging.places[move_of(word)]]


@inner
def _sort(priors: Float32s1, first: int, count: int, order: Int32s2) -> int:
    """Write the order of the priors from one on, the greatest first; return its row.

    Equal ones stay as they are. It merges ever longer runs from one row into the other.
    """
    for place in range(count):
        order[0, place] = place
    source, run = 0, 1
    while run < count:
        for begin in range(0, count, 2 * run):
            middle, end = min(begin + run, count), min(begin + 2 * run, count)
            one, other = begin, middle
            for place in range(begin, end):
                least = other >= end or (
                    one < middle
                    and priors[first + order[source, one]] >= priors[first + order[source, other]]
                )
                if least:
                    order[1 - source, place] = order[source, one]
                    one += 1
                else:
                    order[1 - source, place] = order[source, other]
                    other += 1
        source, run = 1 - source, 2 * run
    return source
