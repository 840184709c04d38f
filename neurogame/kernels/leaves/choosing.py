"""How the lanes that play choose their moves of one ply.

Playouts call :func:`choose_learned`, which chooses lane by lane from what was learned of moves, or
:func:`choose_scored`, where a judge scores the moves of all lanes together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.judges.moves import LOGITS, score_moves
from neurogame.kernels.leaves.move_statistics import UNIFORM, Policy
from neurogame.kernels.leaves.picking import masked, more_bits, nth_move, random_bits, unit
from neurogame.kernels.leaves.preference import (
    draw,
    greatest,
    lowest_highest,
    shift_factor,
    unit_of,
)
from neurogame.native.bits import lowest_bit
from neurogame.native.clock import nanoseconds
from neurogame.native.compiled import inner
from neurogame.native.random import below

_ONE = np.uint64(1)
_LOGIT_UNIT = 10.0
"""What a mean of 1 counts for beside logarithms: with a temperature of 1 that is the MAST of the
literature, ``exp(100 mean / 10)``."""


def choose_learned(policy: Policy) -> None:
    """Choose the moves of all roles in all lanes that play, one lane after the other.

    The joint moves are written into the policy's own block, and into ``made`` of the caller's.
    """
    playout, block, seed, ply = policy.block, policy.leaves, policy.seed, policy.ply
    roles = block.joint.shape[1]
    for row in range(policy.left):
        lane = policy.lanes[row]
        for role in range(roles):
            word = random_bits(seed, lane, ply, role)
            move = playout.joint[row, role] = _choose(policy, row, role, word)
            if ply < block.made.shape[1]:
                block.made[lane, ply, role] = move if policy.counts[row, role] > 1 else -1


@inner
def _choose(policy: Policy, row: int, role: int, word: np.uint64) -> Any:
    """Return the number of the move that a role chooses."""
    legal = policy.legal
    begin, end = policy.offsets[role], policy.offsets[role + 1]
    count: Any = np.int64(policy.counts[row, role])
    if count == 1:
        return nth_move(legal, row, begin, end, 0)
    move = -1
    if policy.kind != UNIFORM and role != policy.chance:
        other = more_bits(word)
        if unit(other) >= policy.epsilon:
            move = _preferred(policy, row, begin, end, other)
    if move < 0:
        move = nth_move(legal, row, begin, end, below(word, count))
    return move


@inner
def _preferred(policy: Policy, row: int, begin: int, end: int, word: np.uint64) -> int:
    """Return a move by its score: the best, or one drawn by weight.

    Both draw with one pass: of equal scores, and of weights, a later one takes the place of the
    one held with the right probability.
    """
    best: Any = np.float32(-1.0)
    total, chosen, ties = 0.0, -1, 0
    for place in range(begin >> 6, (end + 63) >> 6):
        bits = masked(policy.legal[row, place], place, begin, end)
        while bits:
            move = 64 * place + lowest_bit(bits)
            bits &= bits - _ONE
            value = policy.scores[move]
            if policy.gibbs:
                total += value
                word = more_bits(word)
                if unit(word) * total < value:
                    chosen = move
            elif value > best:
                best, chosen, ties = value, move, 1
            elif value == best:
                ties += 1
                word = more_bits(word)
                if unit(word) * ties < 1.0:
                    chosen = move
    return chosen


def choose_scored(policy: Policy) -> None:
    """Choose the moves of all roles in all lanes that play, by the scores of a judge.

    Each role asks its judge once, for those lanes where it has a choice and does not move at
    random anyway. The joint moves are written into the policy's own block, and into ``made`` of
    the caller's.
    """
    block, left, seed, ply = policy.leaves, policy.left, policy.seed, policy.ply
    playout, gathered, judge = policy.block, policy.gathered, policy.judge
    for role in range(block.joint.shape[1]):
        begin, end = policy.offsets[role], policy.offsets[role + 1]
        wanted = 0
        for row in range(left):
            lane: Any = policy.lanes[row]
            legal: Any = np.int64(policy.counts[row, role])
            chosen, number = -1, 0
            if legal > 1:
                word = random_bits(seed, lane, ply, role)
                if role != policy.chance and unit(more_bits(word)) >= policy.epsilon:
                    gathered[wanted] = row
                    wanted += 1
                    continue
                number = below(word, legal)
            move = nth_move(policy.legal, row, begin, end, number)
            playout.joint[row, role] = move
            if legal > 1:
                chosen = move
            if ply < block.made.shape[1]:
                block.made[lane, ply, role] = chosen
        if wanted == 0:
            continue
        begun = nanoseconds()
        own_seed: Any = np.int64(random_bits(seed, 0, ply, role))
        marks = policy.marks
        score_moves(judge, playout.parents, policy.legal, gathered, wanted, role, own_seed, marks)
        judge.nanoseconds += nanoseconds() - begun
        for place in range(wanted):
            row = gathered[place]
            judge.moves += int(policy.counts[row, role])
            lane = policy.lanes[row]
            number = _chosen(policy, place, row, role, random_bits(seed, lane, ply, role))
            move = nth_move(policy.legal, row, begin, end, number)
            playout.joint[row, role] = move
            if ply < block.made.shape[1]:
                block.made[lane, ply, role] = move


@inner
def _chosen(policy: Policy, place: int, row: int, role: int, word: np.uint64) -> Any:
    """Return the number of the legal move that a row's scores choose."""
    marks, scale = policy.marks, policy.judge.scale
    count: Any = np.int64(policy.counts[row, role])
    low, high = lowest_highest(marks, place, count)
    shift, factor = shift_factor(low, high, scale, policy.scaling)
    step: Any = np.float64(factor) * unit_of(scale) / policy.tau
    if policy.blend < 1:
        begin, end = policy.offsets[role], policy.offsets[role + 1]
        _blend(policy, place, row, begin, end, shift, factor)
        low, high = lowest_highest(marks, place, count)
        step = 1.0 / policy.tau
    if policy.gibbs:
        return draw(marks, place, count, high, step, unit(word))
    return greatest(marks, place, count, high, unit(word))


@inner
def _blend(
    policy: Policy,
    place: int,
    row: int,
    begin: int,
    end: int,
    shift: np.float32,
    factor: np.float32,
) -> None:
    """Mix the scores of a row with the means of the moves; it then counts in units of ``tau``."""
    scale, share = policy.judge.scale, policy.blend
    weight = share * unit_of(scale)
    other = (1.0 - share) * (_LOGIT_UNIT if scale == LOGITS else unit_of(scale))
    number = 0
    for word in range(begin >> 6, (end + 63) >> 6):
        bits = masked(policy.legal[row, word], word, begin, end)
        while bits:
            mean = policy.scores[64 * word + lowest_bit(bits)]
            bits &= bits - _ONE
            scaled = (policy.marks[place, number] - shift) * factor
            policy.marks[place, number] = np.float32(weight * scaled + other * mean)
            number += 1
