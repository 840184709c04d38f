"""From paths to the leaves of a block, and from its new states to nodes of the tree."""

from __future__ import annotations

from typing import Any

from neurogame.kernels.mcts.bits import prefetch, whole
from neurogame.kernels.mcts.flight import (
    END,
    LANE,
    LENGTH,
    NODE,
    OVER,
    PLACE,
    RIDER,
    STEP,
    Total,
)
from neurogame.kernels.mcts.layout import (
    CLOSED,
    COUNT,
    EXACT,
    FLAGS,
    INDEX,
    JOINTS,
    NO_LINK,
    RECORD,
    STUB,
    SUMS,
    VALUES,
)
from neurogame.kernels.mcts.lookup import (
    find_joint,
    find_state,
    joint_child,
    put_joint,
    put_state,
)
from neurogame.kernels.mcts.records import chosen_key, is_on_path, read_moves
from neurogame.kernels.mcts.search import search_at
from neurogame.kernels.mcts.stubs import counts_at, first_moves, make_node
from neurogame.kernels.native.compiled import inner

_COUNT, _LEAVES, _CREATED = int(Total.COUNT), int(Total.LEAVES), int(Total.CREATED)


def board(address: int) -> None:
    """Give simulations that need a new state or a playout the first leaves of the block.

    Those that need nothing have the leaves that follow, for the sake of their paths.

    Args:
        address: of a search whose simulations have descended.
    """
    search = search_at(address)
    tree, options, block = search.tree, search.options, search.block
    sims, paths, totals = search.flight.sims, search.flight.paths, search.flight.totals
    heap, roles = tree.heap, len(tree.best)
    count, leaves = totals[_COUNT], 0
    for sim in range(count):
        if sims[sim, END] != OVER:
            sims[sim, LANE], sims[leaves, RIDER] = leaves, sim
            leaves += 1
            record = paths[sims[sim, LENGTH] - 1, sim, 0]
            prefetch(heap.ctypes.data + 4 * whole(heap[record + STUB]))
    totals[_LEAVES] = others = leaves
    for lane in range(leaves):
        sim = sims[lane, RIDER]
        record = paths[sims[sim, LENGTH] - 1, sim, 0]
        index = whole(heap[heap[record + STUB] + INDEX])
        prefetch(tree.states.ctypes.data + 8 * tree.states.shape[1] * index)
    for sim in range(count):
        if sims[sim, END] == OVER:
            sims[sim, LANE], sims[others, RIDER] = others, sim
            others += 1
        else:
            _set_out(tree, options, sims, paths, block, sim)
        if options.traced:
            _trace(heap, roles, options.width, sims, paths, block, sim)


@inner
def _set_out(tree: Any, options: Any, sims: Any, paths: Any, block: Any, sim: int) -> None:
    """Write the parent and the joint move of a simulation's leaf."""
    heap, roles, lane = tree.heap, len(tree.best), whole(sims[sim, LANE])
    last = whole(sims[sim, LENGTH]) - 1
    node = whole(heap[paths[last, sim, 0] + STUB])
    index = whole(heap[node + INDEX])
    for word in range(tree.states.shape[1]):
        block.parents[lane, word] = tree.states[index, word]
    counts = counts_at(node, roles, options.hinted)
    first_moves(heap, counts, roles, options.wide, block.joint[lane])
    read_moves(heap, paths, sim, last, roles, options.width, block.joint[lane])


@inner
def _trace(heap: Any, roles: int, width: int, sims: Any, paths: Any, block: Any, sim: int) -> None:
    """Write the moves of a path that were chosen, -1 for roles without a choice."""
    lane, length = whole(sims[sim, LANE]), whole(sims[sim, LENGTH])
    block.depth[lane] = length
    for ply in range(length):
        block.path[lane, ply, :] = -1
        if heap[paths[ply, sim, 0] + SUMS + roles] & COUNT > 1:
            read_moves(heap, paths, sim, ply, roles, width, block.path[lane, ply])


def insert(address: int) -> None:
    """Link the new states to the tree, and add those that are not there as long as there is room.

    Args:
        address: of a search whose leaves have made their step.
    """
    search = search_at(address)
    tree, options, block = search.tree, search.options, search.block
    sims, paths, totals = search.flight.sims, search.flight.paths, search.flight.totals
    heap, leaves = tree.heap, totals[_LEAVES]
    if options.graph:
        mask = len(tree.table) - 1
        for lane in range(leaves):
            prefetch(tree.table.ctypes.data + 8 * (whole(block.hashes[lane]) & mask))
    for lane in range(leaves):
        sim = whole(sims[lane, RIDER])
        if sims[sim, END] == STEP:
            node = _link(search, sim, lane)
            if node > 0 and heap[node + FLAGS] & EXACT:
                sims[sim, END] = OVER
            elif node > 0 and is_on_path(heap, sims, paths, sim, node):
                node = 0
            sims[sim, NODE] = node


@inner
def _link(search: Any, sim: int, lane: int) -> Any:
    """Return the node of a leaf, which is now its parent's child; 0 where there is no room."""
    tree, options, sims = search.tree, search.options, search.flight.sims
    heap, place = tree.heap, whole(sims[sim, PLACE])
    key, entry = 0, 0
    if place > 0:
        link = whole(heap[place])
        if link != NO_LINK:
            return whole(heap[link + STUB]) if link >= 0 else CLOSED - link
    else:
        last = whole(sims[sim, LENGTH]) - 1
        key = chosen_key(heap, search.flight.paths, sim, last, len(tree.best), options.width)
        entry = find_joint(tree.joints, key)
        if entry >= 0:
            return joint_child(tree.joints, entry)
    node = _found_or_made(search, lane)
    if node > 0 and place > 0:
        record = whole(heap[node + RECORD])
        heap[place] = record if record > 0 else CLOSED - node
    elif node > 0 and 4 * tree.used[JOINTS] < 3 * len(tree.joints):
        record = search.flight.paths[sims[sim, LENGTH] - 1, sim, 0]
        put_joint(tree.joints, -1 - entry, key, heap[record + STUB], node)
        tree.used[JOINTS] += 1
    return node


@inner
def _found_or_made(search: Any, lane: int) -> Any:
    """Return the node of a leaf's state, a new one unless the state is known; 0: no room."""
    tree, options, block = search.tree, search.options, search.block
    hash_, found = block.hashes[lane], -1
    if options.graph:
        found = find_state(tree.table, tree.states, hash_, block.states, lane)
        if found >= 0:
            return whole(tree.stubs[found])
    node = make_node(tree, block, lane, search.flight.scratch, options.hinted, options.wide)
    if node > 0:
        if options.graph:
            put_state(tree.table, -1 - found, hash_, tree.heap[node + INDEX])
        if options.hinted:
            _keep_hints(search, lane, node)
        search.flight.totals[_CREATED] += 1
    return node


@inner
def _keep_hints(search: Any, lane: int, node: int) -> None:
    """Give a new node the evaluator's values, or those that are known."""
    reals, roles = search.tree.reals, len(search.tree.best)
    for role in range(roles):
        exact = search.tree.heap[node + FLAGS] & EXACT
        value = reals[node + VALUES + role] if exact else search.flight.estimate[lane, role]
        reals[node + VALUES + roles + role] = value
