"""Last good replies, with forgetting.

*Reference:* Drake, "The last-good-reply policy for Monte-Carlo Go", 2009; Baier and Drake, "The
power of forgetting", 2010.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.leaves.bits import mixed
from neurogame.kernels.native.compiled import uncounted_inlined
from neurogame.kernels.twin.random_words import G2

_G2 = np.uint64(G2)
_ONE = np.uint64(1)


@uncounted_inlined
def reply_key(policy: Any, row: int, role: int) -> Any:
    """Return the key of a role's reply to the last moves, 0 if there are none."""
    context = policy.contexts[row, 0]
    if context == 0:
        return np.uint64(0)
    return mixed(context + np.uint64(role + 1) * _G2) | _ONE


@uncounted_inlined
def find_reply(policy: Any, row: int, role: int) -> Any:
    """Return the move that last answered the last moves well, -1 if it is not legal now."""
    key = reply_key(policy, row, role)
    place = np.int64((key >> _ONE) & np.uint64(len(policy.replies) - 1))
    if key == 0 or policy.reply_keys[place] != key:
        return -1
    move = policy.replies[place]
    legal = policy.legal[row, move >> 6] >> np.uint64(move & 63) & _ONE
    return np.int64(move) if legal else -1


@uncounted_inlined
def learn_reply(policy: Any, row: int, role: int, move: int, better: float) -> None:
    """Keep a reply of a game that went better than usual, forget one that went worse.

    Args:
        policy: of the playouts.
        row: whose contexts are those before the reply.
        role: who replied.
        move: the reply.
        better: the role's value minus its mean value so far.
    """
    key = reply_key(policy, row, role)
    if key == 0:
        return
    place = np.int64((key >> _ONE) & np.uint64(len(policy.replies) - 1))
    if better > 0:
        policy.reply_keys[place], policy.replies[place] = key, move
    elif better < 0 and policy.reply_keys[place] == key and policy.replies[place] == move:
        policy.reply_keys[place] = np.uint64(0)
