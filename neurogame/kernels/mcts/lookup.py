"""Finding nodes: by their states, and children by a node and a joint move."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.mcts.bits import whole
from neurogame.kernels.native.compiled import inner
from neurogame.kernels.native.random import mixed
from neurogame.kernels.twin.random_words import G1, G2

_G1, _G2 = np.uint64(G1), np.uint64(G2)
_UPPER = np.int64(-(1 << 32))
_LOWER = np.int64((1 << 32) - 1)


@inner
def find_state(table: Any, states: Any, hash_: Any, rows: Any, row: int) -> Any:
    """Return the number of a state's node, or ``-1 - place`` with its place in the table.

    Args:
        table: of the tree.
        states: of the tree.
        hash_: of the state; uint64.
        rows: packed states; uint64 ``[*, Fw]``.
        row: which of them.
    """
    mask = len(table) - 1
    wanted = whole(hash_)
    place = wanted & mask
    while True:
        entry = table[place]
        if entry == 0:
            return -1 - place
        if (entry ^ wanted) & _UPPER == 0:
            index = (entry & _LOWER) - 1
            same = True
            for word in range(states.shape[1]):
                same = same and states[index, word] == rows[row, word]
            if same:
                return index
        place = (place + 1) & mask


@inner
def put_state(table: Any, place: int, hash_: Any, index: int) -> None:
    """Enter the number of a node at a place that :func:`find_state` has found to be free."""
    table[place] = (whole(hash_) & _UPPER) | (index + 1)


@inner
def add_move(joint: Any, move: int) -> Any:
    """Return a joint move, uint64 and 0 to begin with, with one more move, in role order."""
    return mixed(joint + np.uint64(move + 1) * _G2)


@inner
def joint_key(joint: Any, node: int) -> Any:
    """Return the key of a child by a joint move.

    Keys are 64 bits and stand for what they are made of: of a million, two would be equal once in
    ten million searches.
    """
    return whole(joint + np.uint64(node) * _G1)


@inner
def find_joint(joints: Any, key: int) -> Any:
    """Return the place of a key in the table of joint moves, or ``-1 - place`` of a free one."""
    mask = len(joints) - 1
    place = whole(mixed(np.uint64(key))) & mask
    while joints[place, 1] != 0:
        if joints[place, 0] == key:
            return place
        place = (place + 1) & mask
    return -1 - place


@inner
def put_joint(joints: Any, place: int, key: int, node: int, child: int) -> None:
    """Enter a child at a place that :func:`find_joint` has found to be free."""
    joints[place, 0] = key
    joints[place, 1] = (whole(node) << 32) | (whole(child) << 1)


@inner
def joint_child(joints: Any, place: int) -> Any:
    """Return the child at a place of the table of joint moves."""
    return (joints[place, 1] & _LOWER) >> 1
