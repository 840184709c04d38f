"""Playouts ply by ply, in which a policy chooses every move and all moves are recorded.

The lanes of a block advance together; a lane whose game is over is dropped. Random numbers are a
function of the seed, the lane, its ply and the role alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.leaves.bits import lowest_bit
from neurogame.kernels.leaves.context import begin_contexts, push_context
from neurogame.kernels.leaves.grams import gram_score
from neurogame.kernels.leaves.picking import (
    count_moves,
    drawn,
    masked,
    more_bits,
    nth_move,
    random_bits,
    unit,
)
from neurogame.kernels.leaves.policy import LGR, NST, SCORED, UNIFORM
from neurogame.kernels.leaves.replies import find_reply
from neurogame.kernels.leaves.rules import failed, play_uniform, step
from neurogame.kernels.leaves.scored import choose_scored
from neurogame.kernels.leaves.values import evaluate
from neurogame.kernels.native.compiled import compiled, uncounted, uncounted_inlined

_ONE = np.uint64(1)


@compiled
def play_out(rules: Any, block: Any, policy: Any, count: int, seed: int, plies: int) -> None:
    """Play the first leaves' states on; fills ``values``, and ``made`` and ``plies`` if recorded.

    Args:
        rules: the game.
        block: the leaves, as the last ``step`` or ``look`` left them.
        policy: how to choose. Uniform playouts that are not recorded run in the fused kernel.
        count: number of leaves.
        seed: any integer, different for every call.
        plies: most plies of a playout; where it is reached, the goals of that state count.
    """
    if policy.kind == UNIFORM and block.made.shape[1] == 0:
        play_uniform(rules, block, count, seed, plies)
        return
    left = _walk(block, policy, count, seed, plies)
    for row in range(left):
        copy_row(policy.block.goals, row, block.values, policy.lanes[row])


@compiled
def play_cut(
    rules: Any, block: Any, policy: Any, values: Any, count: int, seed: int, plies: int
) -> int:
    """Play the first leaves' states on for some plies, then ask the evaluator.

    Args:
        rules: the game.
        block: the leaves, as the last ``step`` or ``look`` left them.
        policy: how to choose.
        values: the evaluator.
        count: number of leaves.
        seed: any integer, different for every call.
        plies: most plies to play; 0: none.

    Returns:
        The number of states that the evaluator has valued.
    """
    if plies == 0:
        evaluate(values, block.states, block.lanes, count, policy.estimates)
        valued = 0
        for lane in range(count):
            block.plies[lane] = 0
            if block.terminal[lane]:
                copy_row(block.goals, lane, block.values, lane)
            else:
                copy_row(policy.estimates, lane, block.values, lane)
                valued += 1
        return valued
    left = _walk(block, policy, count, seed, plies)
    if left > 0 and not failed(policy.rules):
        own = policy.block
        evaluate(values, own.states, own.lanes, left, policy.estimates)
        for row in range(left):
            copy_row(policy.estimates, row, block.values, policy.lanes[row])
    return left


@uncounted
def _walk(block: Any, policy: Any, count: int, seed: int, plies: int) -> int:
    """Play; return how many lanes are still playing after that many plies.

    Those are the first lanes of the policy's own block, as its last step left them, and of
    ``policy.lanes``.
    """
    own, left = policy.block, 0
    for lane in range(count):
        block.plies[lane] = 0
        if block.terminal[lane] or _is_stuck(policy, block.legal, lane, left):
            copy_row(block.goals, lane, block.values, lane)
            continue
        policy.lanes[left] = lane
        copy_row(block.states, lane, own.parents, left)
        copy_row(block.legal, lane, policy.legal, left)
        if policy.kind != SCORED:
            begin_contexts(policy, block, lane, left)
        left += 1
    for ply in range(plies):
        if left == 0 or failed(policy.rules):
            return 0
        if policy.kind == SCORED:
            choose_scored(block, policy, left, seed, ply)
        else:
            _choose_all(block, policy, left, seed, ply)
        for row in range(left):
            block.plies[policy.lanes[row]] = ply + 1
        step(policy.rules, own, left)
        if ply + 1 < plies:
            left = _drop(block, policy, left)
    return _settle(block, policy, left)


@uncounted_inlined
def copy_row(source: Any, row: int, target: Any, place: int) -> None:
    """Copy a row; a slice would cost more than the row."""
    for column in range(source.shape[1]):
        target[place, column] = source[row, column]


@uncounted_inlined
def _is_stuck(policy: Any, legal: Any, row: int, place: int) -> bool:
    """Return whether some role has no legal move; write how many each has at a place."""
    stuck = False
    for role in range(len(policy.offsets) - 1):
        count = count_moves(legal, row, policy.offsets[role], policy.offsets[role + 1])
        policy.counts[place, role] = count
        stuck = stuck or count == 0
    return stuck


@uncounted_inlined
def _drop(block: Any, policy: Any, left: int) -> int:
    """Give ended lanes their goals and move the others up; return how many play on."""
    own, kept = policy.block, 0
    for row in range(left):
        lane = policy.lanes[row]
        if own.terminal[row] or _is_stuck(policy, own.legal, row, kept):
            copy_row(own.goals, row, block.values, lane)
            continue
        policy.lanes[kept] = lane
        copy_row(own.states, row, own.parents, kept)
        copy_row(own.legal, row, policy.legal, kept)
        copy_row(policy.contexts, row, policy.contexts, kept)
        kept += 1
    return kept


@uncounted_inlined
def _settle(block: Any, policy: Any, left: int) -> int:
    """Give ended lanes of the last ply their goals; the others' states come first then."""
    own, kept = policy.block, 0
    for row in range(left):
        lane = policy.lanes[row]
        if own.terminal[row] or _is_stuck(policy, own.legal, row, kept):
            copy_row(own.goals, row, block.values, lane)
            continue
        if kept < row:
            copy_row(own.states, row, own.states, kept)
            copy_row(own.goals, row, own.goals, kept)
            _move_lane(own.lanes, row, kept)
        policy.lanes[kept] = lane
        kept += 1
    return kept


@uncounted_inlined
def _move_lane(lanes: Any, source: int, target: int) -> None:
    """Copy a lane of all words."""
    there, here = np.int64(target >> 6), np.int64(source >> 6)
    for signal in range(len(lanes)):
        bit = lanes[signal, here] >> (source & 63) & 1
        lanes[signal, there] &= ~(np.int64(1) << (target & 63))
        lanes[signal, there] |= bit << (target & 63)


@uncounted_inlined
def _choose_all(block: Any, policy: Any, left: int, seed: int, ply: int) -> None:
    """Choose the moves of all roles in all lanes that play, one lane after the other."""
    own, roles = policy.block, block.joint.shape[1]
    for row in range(left):
        lane = policy.lanes[row]
        for role in range(roles):
            word = random_bits(seed, lane, ply, role)
            own.joint[row, role] = _choose(policy, row, role, word)
        push_context(policy, row)
        if ply < block.made.shape[1]:
            for role in range(roles):
                block.made[lane, ply, role] = policy.chosen[role]


@uncounted_inlined
def _choose(policy: Any, row: int, role: int, word: Any) -> Any:
    """Return the move number that a role chooses, and note it in ``chosen``."""
    legal = policy.legal
    begin, end = policy.offsets[role], policy.offsets[role + 1]
    count: Any = np.int64(policy.counts[row, role])
    if count == 1:
        policy.chosen[role] = -1
        return nth_move(legal, row, begin, end, 0)
    move = -1
    if policy.kind == LGR:
        move = find_reply(policy, row, role)
    elif policy.kind != UNIFORM:
        other = more_bits(word)
        if unit(other) >= policy.epsilon:
            move = _preferred(policy, row, begin, end, other)
    if move < 0:
        move = nth_move(legal, row, begin, end, drawn(word, count))
    policy.chosen[role] = move
    return move


@uncounted_inlined
def _preferred(policy: Any, row: int, begin: int, end: int, word: Any) -> int:
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
            value = gram_score(policy, row, move) if policy.kind == NST else policy.scores[move]
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
