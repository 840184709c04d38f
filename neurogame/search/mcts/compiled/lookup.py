"""Finding nodes: by their states, and children by a node and a joint move."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import UInt64s2
from neurogame.native.bits import whole
from neurogame.native.compiled import inner
from neurogame.native.random import mixed
from neurogame.search.mcts.compiled.tree import Tree
from neurogame.splitmix import G1, G2

_G1, _G2 = np.uint64(G1), np.uint64(G2)
_UPPER, _LOWER = -(1 << 32), (1 << 32) - 1


@inner
def find_state(tree: Tree, hash_: np.uint64, states: UInt64s2, row: int) -> int:
    """Return the number of a state's node, or ``-1 - place`` with its place in the table.

    Args:
        tree: the tree.
        hash_: of the state.
        states: packed; ``[*, Fw]``.
        row: which of them.
    """
    table, known = tree.table, tree.states
    mask = len(table) - 1
    wanted = whole(hash_)
    place = wanted & mask
    while True:
        entry = whole(table[place])
        if entry == 0:
            return -1 - place
        if (entry ^ wanted) & _UPPER == 0:
            index = (entry & _LOWER) - 1
            same = True
            for word in range(known.shape[1]):
                same = same and known[index, word] == states[row, word]
            if same:
                return index
        place = (place + 1) & mask


@inner
def put_state(tree: Tree, place: int, hash_: np.uint64, index: int) -> None:
    """Enter the number of a node at a place that :func:`find_state` has found to be free."""
    tree.table[place] = (whole(hash_) & _UPPER) | (index + 1)


@inner
def add_move(joint: np.uint64, move: int) -> np.uint64:
    """Return a joint move, 0 to begin with, with one more move, in role order."""
    return mixed(joint + np.uint64(move + 1) * _G2)


@inner
def joint_key(joint: np.uint64, node: int) -> int:
    """Return the key of a child by a joint move.

    Keys are 64 bits and stand for what they are made of: of a million, two would be equal once in
    ten million searches.
    """
    return whole(joint + np.uint64(node) * _G1)


@inner
def find_joint(tree: Tree, key: int) -> int:
    """Return the place of a key in the table of joint moves, or ``-1 - place`` of a free one."""
    joints = tree.joints
    mask = len(joints) - 1
    place = whole(mixed(np.uint64(key))) & mask
    while joints[place, 1] != 0:
        if joints[place, 0] == key:
            return place
        place = (place + 1) & mask
    return -1 - place


@inner
def put_joint(tree: Tree, place: int, key: int, node: int, child: int) -> None:
    """Enter a child at a place that :func:`find_joint` has found to be free."""
    tree.joints[place, 0] = key
    tree.joints[place, 1] = (whole(node) << 32) | (whole(child) << 1)


@inner
def joint_node(tree: Tree, place: int) -> int:
    """Return the node at a place of the table of joint moves, 0 where that is free."""
    return whole(tree.joints[place, 1] >> 32)


@inner
def joint_child(tree: Tree, place: int) -> int:
    """Return its child."""
    return whole((tree.joints[place, 1] & _LOWER) >> 1)
