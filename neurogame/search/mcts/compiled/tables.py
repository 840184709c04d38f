"""The tables by which a tree finds its nodes: made anew, or longer than before.

They begin short, as they are written all over from the first node on, and grow with the tree.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s1, Int64s2
from neurogame.kernels.lane_rows import hash_row
from neurogame.native.bits import prefetch, whole
from neurogame.native.compiled import inner
from neurogame.native.entries import entry
from neurogame.native.struct import Struct
from neurogame.search.mcts.compiled.lookup import find_joint, put_state
from neurogame.search.mcts.compiled.tree import Tree

AHEAD = 16
"""Nodes after which what is asked for now is needed; a power of 2."""


class Widening(Struct):
    """A tree with new tables that are empty yet.

    Attributes:
        tree: changed.
        graph: whether equal states share a node.
        joints: the former table of joint moves; ``[J, 2]``.
        hashes: of states that are about to be entered in the table; ``[AHEAD]``.
    """

    tree: Tree
    graph: int
    joints: Int64s2
    hashes: Int64s1


def are_short(tree: Tree, more: int) -> bool:
    """Return whether a tree's tables have to be longer before it gets some more nodes."""
    places = len(tree.table)
    return 2 * (tree.size + more) > places or 2 * (tree.joint_count + more) > places


def widen(tree: Tree, *, graph: bool) -> None:
    """Give a tree longer tables.

    Args:
        tree: changed; no simulation is on its way.
        graph: whether equal states share a node.

    Raises:
        MemoryError: there is no memory for them; the tree is as before.
    """
    places, joints = 2 * len(tree.table), tree.joints
    table, wider = np.zeros(places, np.int64), np.zeros((places, 2), np.int64)
    tree.table, tree.joints = table, wider
    made = Widening(tree=tree, graph=int(graph), joints=joints, hashes=np.zeros(AHEAD, np.int64))
    entry(enter_anew)(made)


def enter_anew(widening: Widening) -> None:
    """Enter all nodes, and all children by joint moves."""
    tree, joints = widening.tree, widening.joints
    if widening.graph:
        enter_states(tree, widening.hashes)
    for old in range(len(joints) if tree.joint_count > 0 else 0):
        if joints[old, 1] != 0:
            place = -1 - find_joint(tree, joints[old, 0])
            tree.joints[place, 0], tree.joints[place, 1] = joints[old, 0], joints[old, 1]


@inner
def enter_states(tree: Tree, hashes: Int64s1) -> None:
    """Enter all nodes in the table of states, which is empty.

    Args:
        tree: changed.
        hashes: to work in; ``[AHEAD]``.
    """
    mask = len(tree.table) - 1
    for index in range(tree.size + AHEAD):
        number = index - AHEAD
        if number >= 0:
            hash_ = np.uint64(hashes[number & (AHEAD - 1)])
            place = whole(hash_) & mask
            while tree.table[place] != 0:
                place = (place + 1) & mask
            put_state(tree, place, hash_, number)
        if index < tree.size:
            hash_ = hash_row(tree.states[index])
            hashes[index & (AHEAD - 1)] = whole(hash_)
            prefetch(tree.table, whole(hash_) & mask)
