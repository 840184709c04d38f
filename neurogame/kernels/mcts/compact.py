"""Dropping what cannot be reached from a new root any more.

What is kept slides down in the memory of the tree, in its old order, so that names stay ordered
by age and no second tree is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.mcts.bits import whole
from neurogame.kernels.mcts.layout import (
    COUNT,
    DECIDERS,
    EXACT,
    FLAGS,
    HEAP,
    INDEX,
    JOINTS,
    NO_LINK,
    NODES,
    OWN_ENDS,
    RECORD,
    ROOT,
    SLOT_LINKS,
    STATUS,
    SUMS,
    VISITS,
)
from neurogame.kernels.mcts.lookup import joint_child
from neurogame.kernels.mcts.records import first_slot, linked, padded
from neurogame.kernels.mcts.slide import slide
from neurogame.kernels.mcts.tree import Options, Tree
from neurogame.kernels.native.compiled import compiled, inner

_MOST_VISITS = 1 << 31


def compact(tree: Tree, options: Options) -> None:
    """Keep what can be reached from the root, and of that, if need be, what is visited most.

    Nodes with less and less visits are dropped until at most half of the tree's memory is in use.
    Moves that lead to them keep their own visits and means.

    Args:
        tree: changed; no simulation is on its way, and proofs have been read.
        options: with which it was made.
    """
    least = 1
    while least == 1 or (is_half_full(tree) and least < _MOST_VISITS):
        kept = np.zeros(int(tree.used[NODES]), np.int32)
        things = np.empty(2 * len(kept), np.int64)
        count = _mark(tree, options.width, least, kept, things)
        slide(tree, options, np.sort(things[:count]))
        least *= 2


def is_half_full(tree: Tree) -> bool:
    """Return whether more than half of the room for nodes or for the heap is in use."""
    used = tree.used
    return bool(2 * used[NODES] > len(tree.stubs) or 2 * used[HEAP] > len(tree.heap))


@compiled
def _mark(tree: Any, width: int, least: int, kept: Any, things: Any) -> int:
    """Find the nodes that can be reached from the root.

    Args:
        tree: the tree.
        width: arrays of slots of a record.
        least: visits that a node must have, unless its values are proved. If this is more than 1,
            what is below proved nodes is left out.
        kept: set to 1 for each of them; zeros, int32 ``[nodes]``.
        things: written: places of their stubs, times 2, and of their records, times 2, plus 1.

    Returns:
        Number of things.
    """
    heap, roles, count = tree.heap, len(tree.best), 0
    first, following = _joints_by_node(tree, len(kept))
    stack = np.empty(len(kept), np.int32)
    stack[0], left, root = tree.used[ROOT], 1, tree.used[ROOT]
    kept[heap[root + INDEX]] = 1
    while left > 0:
        left -= 1
        node = whole(stack[left])
        things[count] = 2 * node
        count += 1
        record = whole(heap[node + RECORD])
        if record == 0:
            continue
        things[count] = 2 * record + 1
        count += 1
        if least > 1 and node != root and heap[node + FLAGS] & EXACT:
            continue
        if heap[record + STATUS] >> DECIDERS == 1:
            own = whole(heap[record + SUMS + roles] & COUNT)
            links = record + first_slot(roles, 1) + SLOT_LINKS * padded(own)
            for place in range(links, links + own):
                if heap[place] != NO_LINK:
                    left = _visit(heap, least, kept, stack, left, linked(heap, place))
        else:
            place = whole(first[heap[node + INDEX]])
            while place >= 0:
                left = _visit(heap, least, kept, stack, left, joint_child(tree.joints, place))
                place = whole(following[place])
    return count


@inner
def _visit(heap: Any, least: int, kept: Any, stack: Any, left: int, node: int) -> int:
    """Put a node that is to be kept on the stack, once; return the height of the stack."""
    index, record = heap[node + INDEX], whole(heap[node + RECORD])
    visits = heap[record + VISITS] if record > 0 else heap[node + OWN_ENDS]
    if kept[index] == 0 and (visits >= least or heap[node + FLAGS] & EXACT):
        kept[index] = 1
        stack[left] = node
        left += 1
    return left


@compiled
def _joints_by_node(tree: Any, nodes: int) -> Any:
    """Return lists of the places of each node's joint moves: first, following; -1 at the end."""
    first = np.full(nodes, -1, np.int32)
    following = np.empty(len(tree.joints) if tree.used[JOINTS] > 0 else 0, np.int32)
    for place in range(len(following)):
        entry = tree.joints[place, 1]
        if entry != 0:
            index = tree.heap[(entry >> 32) + INDEX]
            following[place] = first[index]
            first[index] = place
    return first, following
