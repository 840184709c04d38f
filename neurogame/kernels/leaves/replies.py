"""Replies: what other roles do where a judge looks at what a move leads to."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s1, UInt64s2
from neurogame.kernels.lane_rows import hash_row
from neurogame.kernels.leaves.picking import count_moves, nth_move
from neurogame.kernels.native.compiled import inner
from neurogame.kernels.native.random import below, mixed
from neurogame.kernels.twin.random_words import G1, G2

_G1, _G2 = np.uint64(G1), np.uint64(G2)


@inner
def others_choose(legal: UInt64s2, row: int, role: int, offsets: Int64s1) -> bool:
    """Return whether another role has a choice."""
    for other in range(len(offsets) - 1):
        if other != role and count_moves(legal, row, offsets[other], offsets[other + 1]) > 1:
            return True
    return False


@inner
def write_reply(
    states: UInt64s2,
    legal: UInt64s2,
    row: int,
    role: int,
    offsets: Int64s1,
    number: int,
    reply: Int64s1,
) -> None:
    """Write moves of the other roles: their only one, or one that follows from the state."""
    key = np.uint64(0)
    for other in range(len(offsets) - 1):
        if other == role:
            continue
        begin, end = offsets[other], offsets[other + 1]
        count = count_moves(legal, row, begin, end)
        chosen = 0
        if count > 1:
            if key == 0:
                key = hash_row(states[row])
            added = np.uint64(number + 1) * _G1 + np.uint64(other + 1) * _G2
            chosen = below(mixed(key + added), count)
        reply[other] = nth_move(legal, row, begin, end, chosen)
