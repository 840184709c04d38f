"""States that the moves of a role lead to, block by block: what judges of moves look at.

:func:`fill_next` makes as many as there is room for, after which the block of the rules holds each
state, and :class:`NextStates` which move of which given state leads to it.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s1, Int64s1, UInt64s2
from neurogame.circuit.circuit import Circuit
from neurogame.judges.moves import MoveScores
from neurogame.kernels.lane_rows import hash_row
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.machine import StateMachine, step
from neurogame.kernels.leaves.picking import count_moves, masked, nth_move
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import inner
from neurogame.native.random import below, mixed
from neurogame.native.struct import Struct
from neurogame.splitmix import G1, G2

_ONE = np.uint64(1)
_G1, _G2 = np.uint64(G1), np.uint64(G2)


class NextStates(Struct):
    """The states of a block, and where to go on; one per thread.

    ``R`` roles, ``N`` states at once.

    Attributes:
        rules: with a block of their own.
        most: replies that are drawn where other roles have a choice, at least 1.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        place: the given state that is gone on with.
        number: of the reply that is gone on with.
        replies: to that state.
        places: which given state each follows; int64 ``[N]``.
        slots: which legal move leads to it; int64 ``[N]``.
        parts: replies to that state, over which its values are averaged; float32 ``[N]``.
        reply: a joint move; int64 ``[R]``.
    """

    rules: StateMachine
    most: int
    offsets: Int64s1
    place: int = 0
    number: int = 0
    replies: int = 1
    places: Int64s1
    slots: Int64s1
    parts: Float32s1
    reply: Int64s1


def make_next_states(circuit: Circuit, replies: int, count: int) -> tuple[NextStates, Leaves]:
    """Reserve memory.

    Args:
        circuit: the game.
        replies: that are drawn where other roles have a choice, at least 1.
        count: states at once; more if a role has more moves.

    Returns:
        What :func:`fill_next` works with, and what must live as long.
    """
    offsets = circuit.move_offsets
    size = max(count, int(np.diff(offsets).max()))
    leaves = Leaves(circuit, size, depth=1, playouts=0)
    return (
        NextStates(
            rules=leaves.rules,
            most=replies,
            offsets=offsets,
            places=np.zeros(size, np.int64),
            slots=np.zeros(size, np.int64),
            parts=np.zeros(size, np.float32),
            reply=np.zeros(len(circuit.roles), np.int64),
        ),
        leaves,
    )


@inner
def begin_next(following: NextStates) -> None:
    """Begin with the first given state."""
    following.place, following.number = 0, 0


@inner
def fill_next(following: NextStates, scores: MoveScores) -> int:
    """Make the next states, as many as there is room for; all moves of a state side by side.

    Args:
        following: where to go on.
        scores: the given states and the role.

    Returns:
        How many there are in the block; 0 if there are no more.
    """
    role, rows, states, legal = scores.role, scores.rows, scores.states, scores.legal
    offsets, reply = following.offsets, following.reply
    places, slots = following.places, following.slots
    parents, joint = following.rules.block.parents, following.rules.block.joint
    words = states.shape[1]
    roles, begin, end = len(offsets) - 1, offsets[role], offsets[role + 1]
    filled, place, number = 0, following.place, following.number
    while place < scores.count:
        row = rows[place]
        if filled + count_moves(legal, row, begin, end) > len(places):
            break
        if number == 0:
            following.replies = following.most if _others_choose(legal, row, role, offsets) else 1
        _write_reply(following, scores, row, number)
        slot = 0
        for word in range(begin >> 6, (end + 63) >> 6):
            bits = masked(legal[row, word], word, begin, end)
            while bits:
                for part in range(words):
                    parents[filled, part] = states[row, part]
                for other in range(roles):
                    joint[filled, other] = reply[other]
                joint[filled, role] = 64 * word + lowest_bit(bits)
                bits &= bits - _ONE
                places[filled], slots[filled] = place, slot
                following.parts[filled] = np.float32(following.replies)
                filled, slot = filled + 1, slot + 1
        number += 1
        if number == following.replies:
            place, number = place + 1, 0
    following.place, following.number = place, number
    if filled > 0:
        step(following.rules, filled)
    return filled


@inner
def _others_choose(legal: UInt64s2, row: int, role: int, offsets: Int64s1) -> bool:
    """Return whether another role has a choice."""
    for other in range(len(offsets) - 1):
        if other != role and count_moves(legal, row, offsets[other], offsets[other + 1]) > 1:
            return True
    return False


@inner
def _write_reply(following: NextStates, scores: MoveScores, row: int, number: int) -> None:
    """Write moves of the other roles: their only one, or one that follows from the state."""
    key, offsets, legal = np.uint64(0), following.offsets, scores.legal
    for other in range(len(offsets) - 1):
        if other == scores.role:
            continue
        begin, end = offsets[other], offsets[other + 1]
        count = count_moves(legal, row, begin, end)
        chosen = 0
        if count > 1:
            if key == 0:
                key = hash_row(scores.states[row])
            added = np.uint64(number + 1) * _G1 + np.uint64(other + 1) * _G2
            chosen = below(mixed(key + added), count)
        following.reply[other] = nth_move(legal, row, begin, end, chosen)
