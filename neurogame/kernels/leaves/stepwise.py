"""Playouts ply by ply, in which a policy chooses every move and all moves are recorded.

The lanes of a block advance together; a lane whose game is over is dropped. Random numbers are a
function of the seed, the lane, its ply and the role alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.compiled import compiled, uncounted, uncounted_inlined
from neurogame.kernels.leaves.bits import lowest_bit, mixed, ones
from neurogame.kernels.leaves.context import begin_contexts, push_context
from neurogame.kernels.leaves.grams import gram_score
from neurogame.kernels.leaves.policy import LGR, NST, UNIFORM
from neurogame.kernels.leaves.replies import find_reply
from neurogame.kernels.leaves.rules import failed, play_uniform, step
from neurogame.kernels.leaves.values import evaluate
from neurogame.kernels.random_words import G1, G2

_ONE = np.uint64(1)
_G1, _G2 = np.uint64(G1), np.uint64(G2)
_TO_UNIT = 2.0**-53


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
    own, roles = policy.block, block.joint.shape[1]
    left = 0
    for lane in range(count):
        block.plies[lane] = 0
        if block.terminal[lane] or _is_stuck(policy.offsets, block.legal, lane):
            copy_row(block.goals, lane, block.values, lane)
            continue
        policy.lanes[left] = lane
        copy_row(block.states, lane, own.parents, left)
        copy_row(block.legal, lane, policy.legal, left)
        begin_contexts(policy, block, lane, left)
        left += 1
    for ply in range(plies):
        if left == 0 or failed(policy.rules):
            return 0
        for row in range(left):
            lane = policy.lanes[row]
            for role in range(roles):
                word = _random(seed, lane, ply, role)
                own.joint[row, role] = _choose(policy, row, role, word)
            push_context(policy, row)
            if ply < block.made.shape[1]:
                for role in range(roles):
                    block.made[lane, ply, role] = policy.chosen[role]
            block.plies[lane] = ply + 1
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
def _is_stuck(offsets: Any, legal: Any, row: int) -> bool:
    """Return whether some role has no legal move."""
    for role in range(len(offsets) - 1):
        if _count(legal, row, offsets[role], offsets[role + 1]) == 0:
            return True
    return False


@uncounted_inlined
def _drop(block: Any, policy: Any, left: int) -> int:
    """Give ended lanes their goals and move the others up; return how many play on."""
    own, kept = policy.block, 0
    for row in range(left):
        lane = policy.lanes[row]
        if own.terminal[row] or _is_stuck(policy.offsets, own.legal, row):
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
        if own.terminal[row] or _is_stuck(policy.offsets, own.legal, row):
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
def _count(legal: Any, row: int, begin: int, end: int) -> int:
    """Return the number of set bits between two places of a packed row."""
    total = 0
    for word in range(begin >> 6, (end + 63) >> 6):
        total += ones(_masked(legal[row, word], word, begin, end))
    return total


@uncounted_inlined
def _masked(bits: Any, word: int, begin: int, end: int) -> Any:
    """Return a word of a row without the bits outside ``begin..end``."""
    low, high = begin - 64 * word, end - 64 * word
    if low > 0:
        bits = bits >> np.uint64(low) << np.uint64(low)
    if high < 64:
        bits &= (_ONE << np.uint64(high)) - _ONE
    return bits


@uncounted_inlined
def _random(seed: int, lane: int, ply: int, role: int) -> Any:
    """Return 64 random bits."""
    key = np.uint64(seed) + np.uint64(lane + 1) * _G1
    key = mixed(key) + np.uint64((ply << 8) + role + 1) * _G2
    return mixed(key)


@uncounted_inlined
def _unit(word: Any) -> float:
    """Return a number in 0..1, without 1, from 64 random bits."""
    return float(word >> np.uint64(11)) * _TO_UNIT


@uncounted_inlined
def _choose(policy: Any, row: int, role: int, word: Any) -> Any:
    """Return the move number that a role chooses, and note it in ``chosen``."""
    legal = policy.legal
    begin, end = policy.offsets[role], policy.offsets[role + 1]
    count = _count(legal, row, begin, end)
    if count == 1:
        policy.chosen[role] = -1
        return _nth(legal, row, begin, end, 0)
    move = -1
    if policy.kind == LGR:
        move = find_reply(policy, row, role)
    elif policy.kind != UNIFORM:
        other = mixed(word + _G1)
        if policy.gibbs or _unit(other) >= policy.epsilon:
            move = _preferred(policy, row, begin, end, other)
    if move < 0:
        # The upper half of the word times the count: no bias worth speaking of.
        drawn: Any = np.int64((word >> np.uint64(32)) * np.uint64(count) >> np.uint64(32))
        move = _nth(legal, row, begin, end, drawn)
    policy.chosen[role] = move
    return move


@uncounted_inlined
def _nth(legal: Any, row: int, begin: int, end: int, number: int) -> Any:
    """Return the place of a set bit, counted from 0."""
    for word in range(begin >> 6, (end + 63) >> 6):
        bits = _masked(legal[row, word], word, begin, end)
        found = ones(bits)
        if number >= found:
            number -= found
            continue
        for _ in range(number):
            bits &= bits - _ONE
        return 64 * word + lowest_bit(bits)
    return -1


@uncounted_inlined
def _preferred(policy: Any, row: int, begin: int, end: int, word: Any) -> int:
    """Return a move by its score: the best, or one drawn by weight.

    Both draw with one pass: of equal scores, and of weights, a later one takes the place of the
    one held with the right probability.
    """
    best: Any = np.float32(-1.0)
    total, chosen, ties = 0.0, -1, 0
    for place in range(begin >> 6, (end + 63) >> 6):
        bits = _masked(policy.legal[row, place], place, begin, end)
        while bits:
            move = 64 * place + lowest_bit(bits)
            bits &= bits - _ONE
            value = gram_score(policy, row, move) if policy.kind == NST else policy.scores[move]
            if policy.gibbs:
                total += value
                word = mixed(word + _G1)
                if _unit(word) * total < value:
                    chosen = move
            elif value > best:
                best, chosen, ties = value, move, 1
            elif value == best:
                ties += 1
                word = mixed(word + _G1)
                if _unit(word) * ties < 1.0:
                    chosen = move
    return chosen
