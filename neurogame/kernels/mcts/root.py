"""Finding or making the node from which to search."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.mcts.bits import whole
from neurogame.kernels.mcts.layout import FLAGS, INDEX, NODES, RECORD, ROOT, TERMINAL, VISITS
from neurogame.kernels.mcts.lookup import (
    add_move,
    find_joint,
    find_state,
    joint_child,
    joint_key,
    put_state,
)
from neurogame.kernels.mcts.records import open_record
from neurogame.kernels.mcts.search import search_at
from neurogame.kernels.mcts.stubs import make_node
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.compiled import compiled, inner


@compiled
def call(function: int, address: int) -> None:
    """Call a part of a search that takes the search's address."""
    call_address(function, address)


def set_root(address: int) -> None:
    """Make the first state of the block the root; -1 in its place if there is no room.

    Args:
        address: of a search, at whose block's first state the rules have looked.
    """
    search = search_at(address)
    tree, options, block = search.tree, search.options, search.block
    node, free, hash_ = 0, 0, block.hashes[0]
    if options.graph:
        found = find_state(tree.table, tree.states, hash_, block.states, 0)
        node, free = (whole(tree.stubs[found]), 0) if found >= 0 else (0, -1 - found)
    else:
        node = _most_visited(tree, block.states)
    if node == 0:
        node = make_node(tree, block, 0, search.flight.scratch, options.hinted, options.wide)
        if node > 0 and options.graph:
            put_state(tree.table, free, hash_, tree.heap[node + INDEX])
    if node > 0 and tree.heap[node + RECORD] == 0 and tree.heap[node + FLAGS] & TERMINAL == 0:
        record = open_record(
            tree.heap,
            tree.reals,
            tree.used,
            len(tree.best),
            node,
            options.hinted,
            options.width,
            options.wide,
            options.seed,
        )
        node = node if record > 0 else 0
    tree.used[ROOT] = node if node > 0 else -1


@inner
def _most_visited(tree: Any, states: Any) -> int:
    """Return the node of the first state that has the most visits, 0 if there is none."""
    best, most = 0, -1
    for index in range(tree.used[NODES]):
        same = True
        for word in range(states.shape[1]):
            same = same and tree.states[index, word] == states[0, word]
        if same:
            node = whole(tree.stubs[index])
            record = whole(tree.heap[node + RECORD])
            visits = whole(tree.heap[record + VISITS]) if record > 0 else 0
            if visits > most:
                best, most = node, visits
    return best


@compiled
def child_by_joint(joints: Any, node: int, moves: Any) -> int:
    """Return a node's child by the moves of the deciding roles, 0 if it is not in the tree.

    Args:
        joints: of the tree.
        node: where several roles decide.
        moves: in role order; int64.
    """
    joint = np.uint64(0)
    for move in moves:
        joint = add_move(joint, move)
    entry = find_joint(joints, joint_key(joint, node))
    return joint_child(joints, entry) if entry >= 0 else 0
