"""Contexts: hashes of the moves that were chosen in the last plies."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.leaves.bits import mixed
from neurogame.kernels.native.compiled import uncounted_inlined
from neurogame.kernels.twin.random_words import G1

_G1 = np.uint64(G1)


@uncounted_inlined
def joint_context(moves: Any) -> Any:
    """Return the hash of the moves of a ply, 0 if nobody had a choice.

    Args:
        moves: move numbers, -1 for a role without a choice; int32 ``[R]``.
    """
    total = np.uint64(0)
    for role in range(len(moves)):
        if moves[role] >= 0:
            total = mixed(total + np.uint64(moves[role] + 1) * _G1)
    return total


@uncounted_inlined
def push_context(policy: Any, row: int) -> None:
    """Add the moves in ``chosen`` to a lane's contexts; a ply without a choice leaves none."""
    moves = joint_context(policy.chosen)
    if moves != 0:
        policy.contexts[row, 1] = mixed(policy.contexts[row, 0] + moves * _G1)
        policy.contexts[row, 0] = moves


@uncounted_inlined
def begin_contexts(policy: Any, block: Any, lane: int, row: int) -> None:
    """Set a lane's contexts to those at the end of its path in the tree."""
    policy.contexts[row, 0] = policy.contexts[row, 1] = 0
    depth, found = block.depth[lane], 0
    last = depth
    while last > 0 and found < 3:
        last -= 1
        _read_path(policy, block, lane, last)
        found += joint_context(policy.chosen) != 0
    for ply in range(last, depth):
        _read_path(policy, block, lane, ply)
        push_context(policy, row)


@uncounted_inlined
def _read_path(policy: Any, block: Any, lane: int, ply: int) -> None:
    for role in range(len(policy.chosen)):
        policy.chosen[role] = block.path[lane, ply, role]
