"""Joint moves of a state from its packed legal moves, and whether these are too many."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int32s1, Int64s1, UInt64s1
from neurogame.native.bits import lowest_bit, ones
from neurogame.native.compiled import inner
from neurogame.search.alphabeta.compiled.memory import Choices, Search
from neurogame.search.alphabeta.compiled.records import CLOSED

MOST = 1 << 40
"""Joint moves are counted up to this number."""

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)


@inner
def _of_role(legal: UInt64s1, word: int, begin: int, end: int) -> np.uint64:
    """Return one word of packed moves in which all but the moves ``begin .. end - 1`` are 0."""
    bits: np.uint64 = legal[word]
    base = word << 6
    if base < begin:
        bits &= _ALL << np.uint64(begin - base)
    if base + 64 > end:
        bits &= _ALL >> np.uint64(base + 64 - end)
    return bits


@inner
def joint_count(legal: UInt64s1, offsets: Int64s1) -> int:
    """Return the number of joint moves, at most :data:`MOST`.

    Args:
        legal: packed legal moves of all roles; uint64 ``[Mw]``.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
    """
    width = 1
    for role in range(len(offsets) - 1):
        begin, end, count = offsets[role], offsets[role + 1], 0
        for word in range(begin >> 6, (end + 63) >> 6):
            count += ones(_of_role(legal, word, begin, end))
        width = min(width * count, MOST) if count < MOST else MOST
    return width


@inner
def list_moves(choices: Choices, legal: UInt64s1) -> None:
    """List each role's legal moves, in ``choices.moves`` and ``choices.starts``.

    Args:
        choices: changed.
        legal: as for :func:`joint_count`.
    """
    order, offsets, starts = choices.order, choices.offsets, choices.starts
    place = 0
    for index in range(len(order)):
        starts[index] = place
        begin, end = offsets[order[index]], offsets[order[index] + 1]
        for word in range(begin >> 6, (end + 63) >> 6):
            bits = _of_role(legal, word, begin, end)
            while bits != 0:
                choices.moves[place] = (word << 6) + lowest_bit(bits)
                place += 1
                bits &= bits - _ONE
    starts[len(order)] = place


@inner
def joint_move(choices: Choices, row: int, joint: Int32s1) -> None:
    """Write a row's joint move, of the moves listed, as move numbers; int32 ``[R]``."""
    rest = row
    for index in range(len(choices.order) - 1, -1, -1):
        begin = choices.starts[index]
        count = choices.starts[index + 1] - begin
        joint[choices.order[index]] = choices.moves[begin + rest % count]
        rest //= count


@inner
def measured(search: Search, offsets: Int64s1, legal: UInt64s1) -> int:
    """Return the number of joint moves of a state, or ``CLOSED`` where that is too many."""
    width = joint_count(legal, offsets)
    return width if width <= search.widest else CLOSED


@inner
def measure(search: Search, place: int) -> None:
    """Write the width of a row of the stack that is not terminal."""
    stack = search.stack
    stack.rows[place].width = measured(search, search.choices.offsets, stack.legal[place])
