"""Playouts ply by ply, in which a policy chooses every move and all moves are recorded.

Searches call :func:`play_out` and :func:`play_cut`. The lanes of a block advance together; a lane
whose game is over is dropped. Random numbers are a function of the seed, the lane, its ply and the
role alone.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s2, UInt64s2
from neurogame.judges.states import Values, evaluate
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.machine import step
from neurogame.kernels.leaves.move_statistics import Policy
from neurogame.kernels.leaves.picking import count_moves
from neurogame.native.arrays import copy_row
from neurogame.native.compiled import compiled, inner


@compiled
def play_out(block: Block, policy: Policy, count: int, seed: int, plies: int) -> None:
    """Play the first leaves' states on; fills ``values``, and ``made`` and ``plies`` if recorded.

    Args:
        block: the leaves, as the last ``step`` or ``look`` left them.
        policy: how to choose, and the game.
        count: number of leaves.
        seed: any integer, different for every call.
        plies: most plies of a playout; where it is reached, the goals of that state count.
    """
    _play(block, policy, count, seed, plies)
    for row in range(policy.left):
        copy_row(policy.block.goals, row, block.values, policy.lanes[row])


@compiled
def play_cut(
    block: Block,
    policy: Policy,
    values: Values,
    count: int,
    seed: int,
    plies: int,
) -> int:
    """Play the first leaves' states on for some plies, then ask the evaluator.

    Args:
        block: the leaves, as the last ``step`` or ``look`` left them.
        policy: how to choose, and the game.
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
    _play(block, policy, count, seed, plies)
    left = policy.left
    if left > 0 and policy.rules.failed == 0:
        playout = policy.block
        evaluate(values, playout.states, playout.lanes, left, policy.estimates)
        for row in range(left):
            copy_row(policy.estimates, row, block.values, policy.lanes[row])
    return left


@inner
def _play(block: Block, policy: Policy, count: int, seed: int, plies: int) -> None:
    """Play on."""
    policy.leaves, policy.count, policy.seed, policy.plies = block, count, seed, plies
    policy.walk(policy)


def walk(policy: Policy) -> None:
    """Play the given leaves on; writes how many lanes are left after that many plies.

    Those are the first lanes of the policy's own block, as its last step left them, and of
    ``policy.lanes``.
    """
    block, plies = policy.leaves, policy.plies
    left = _begin(policy)
    for ply in range(plies):
        policy.left, policy.ply = left, ply
        if left == 0 or policy.rules.failed != 0:
            policy.left = 0
            return
        policy.choose(policy)
        for row in range(left):
            block.plies[policy.lanes[row]] = ply + 1
        step(policy.rules, left)
        left = _keep(block, policy, left, ply + 1 == plies)
    policy.left = left


@inner
def _begin(policy: Policy) -> int:
    """Give the leaves that can be played on the first lanes; return how many those are."""
    playout, block, left = policy.block, policy.leaves, 0
    for lane in range(policy.count):
        block.plies[lane] = 0
        if block.terminal[lane] or _is_stuck(policy, block.legal, lane, left):
            copy_row(block.goals, lane, block.values, lane)
            continue
        policy.lanes[left] = lane
        copy_row(block.states, lane, playout.parents, left)
        copy_row(block.legal, lane, policy.legal, left)
        left += 1
    return left


@inner
def _is_stuck(policy: Policy, legal: UInt64s2, row: int, place: int) -> bool:
    """Return whether some role has no legal move; write how many each has at a place."""
    stuck = False
    for role in range(len(policy.offsets) - 1):
        count = count_moves(legal, row, policy.offsets[role], policy.offsets[role + 1])
        policy.counts[place, role] = count
        stuck = stuck or count == 0
    return stuck


@inner
def _keep(block: Block, policy: Policy, left: int, at_end: bool) -> int:
    """Give ended lanes their goals and move the others up; return how many those are.

    To play on, their states become parents; at the end they come first in the policy's block.
    """
    playout, kept = policy.block, 0
    for row in range(left):
        lane = policy.lanes[row]
        if playout.terminal[row] or _is_stuck(policy, playout.legal, row, kept):
            copy_row(playout.goals, row, block.values, lane)
            continue
        policy.lanes[kept] = lane
        if not at_end:
            copy_row(playout.states, row, playout.parents, kept)
            copy_row(playout.legal, row, policy.legal, kept)
        elif kept < row:
            copy_row(playout.states, row, playout.states, kept)
            copy_row(playout.goals, row, playout.goals, kept)
            _move_lane(playout.lanes, row, kept)
        kept += 1
    return kept


@inner
def _move_lane(lanes: Int64s2, source: int, target: int) -> None:
    """Copy a lane of all words."""
    there, here = np.int64(target >> 6), np.int64(source >> 6)
    for signal in range(len(lanes)):
        bit = lanes[signal, here] >> (source & 63) & 1
        lanes[signal, there] &= ~(np.int64(1) << (target & 63))
        lanes[signal, there] |= bit << (target & 63)
