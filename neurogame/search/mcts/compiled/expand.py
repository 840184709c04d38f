"""From paths to the leaves of a block, and from its new states to nodes of the tree."""

from __future__ import annotations

from neurogame.array_types import UInt64s2
from neurogame.native.bits import prefetch, whole
from neurogame.native.compiled import inner
from neurogame.search.mcts.compiled.lookup import (
    find_joint,
    find_state,
    joint_child,
    put_joint,
    put_state,
)
from neurogame.search.mcts.compiled.nodes import (
    chosen_key,
    chosen_moves,
    first_moves,
    is_on_path,
    make_node,
    open_record,
)
from neurogame.search.mcts.compiled.search import OVER, STEP, Search, Simulation, simulation_of
from neurogame.search.mcts.compiled.tree import (
    CLOSED,
    COUNT,
    EXACT,
    NO_LINK,
    TERMINAL,
    Tree,
    decider_of,
    deciders_of,
    edges_of,
    linked,
    node_at,
    record_at,
    results_of,
)


def set_root(search: Search) -> None:
    """Make the first state of the block the root; -1 in its place if there is no room.

    Args:
        search: at whose block's first state the rules have looked.
    """
    tree, options, block = search.tree, search.options, search.block
    node, free, leaf, hash_ = 0, 0, whole(0), block.hashes[0]
    if options.numbers.graph:
        index = find_state(tree, hash_, block.states, leaf)
        node, free = (whole(tree.nodes[index]), 0) if index >= 0 else (0, -1 - index)
    else:
        node = _most_visited(tree, block.states)
    if node == 0:
        node = make_node(tree, block, leaf, search.sims.scratch)
        if node > 0 and options.numbers.graph:
            put_state(tree, free, hash_, node_at(tree.heap, node).index)
    if node > 0:
        header = node_at(tree.heap, node)
        if header.record == 0 and header.flags & TERMINAL == 0:
            node = node if open_record(tree, node, options.seed) > 0 else 0
    tree.root = node if node > 0 else -1


@inner
def _most_visited(tree: Tree, states: UInt64s2) -> int:
    """Return the node of the first state that has the most visits, 0 if there is none."""
    best, most = 0, -1
    for index in range(tree.size):
        same = True
        for word in range(states.shape[1]):
            same = same and tree.states[index, word] == states[0, word]
        if same:
            node = whole(tree.nodes[index])
            record = node_at(tree.heap, node).record
            visits = record_at(tree.heap, record).visits if record > 0 else 0
            if visits > most:
                best, most = node, visits
    return best


def gather_leaves(search: Search) -> None:
    """Give simulations that need a new state or a playout the first leaves of the block.

    Those that need nothing have the leaves that follow, for the sake of their paths.

    Args:
        search: its simulations have descended.
    """
    tree, sims, traced = search.tree, search.sims, search.options.traced
    heap, count, leaves = tree.heap, sims.count, 0
    for number in range(count):
        sim = simulation_of(sims, number)
        if sim.end != OVER:
            sim.leaf, sims.at_leaf[leaves] = leaves, number
            leaves += 1
            parent = record_at(heap, sims.paths[sim.length - 1, number, 0])
            prefetch(heap, parent.node)
    sims.leaves = others = leaves
    for leaf in range(leaves):
        sim = simulation_of(sims, sims.at_leaf[leaf])
        parent = record_at(heap, sims.paths[sim.length - 1, sim.number, 0])
        prefetch(tree.states, tree.states.shape[1] * node_at(heap, parent.node).index)
    for number in range(count):
        sim = simulation_of(sims, number)
        if sim.end == OVER:
            sim.leaf, sims.at_leaf[others] = others, number
            others += 1
        else:
            set_out(search, sim)
        if traced:
            _trace(search, sim)


@inner
def set_out(search: Search, sim: Simulation) -> None:
    """Write the parent and the joint move of a simulation's leaf."""
    tree, sims, block, leaf = search.tree, search.sims, search.block, sim.leaf
    last = sim.length - 1
    node = record_at(tree.heap, sims.paths[last, sim.number, 0]).node
    index = node_at(tree.heap, node).index
    for word in range(tree.states.shape[1]):
        block.parents[leaf, word] = tree.states[index, word]
    first_moves(tree, node, block.joint[leaf])
    chosen_moves(tree, sims, sim, last, block.joint[leaf])


@inner
def _trace(search: Search, sim: Simulation) -> None:
    """Write the moves of a path that were chosen, -1 for roles without a choice."""
    tree, sims, length = search.tree, search.sims, sim.length
    search.block.depth[sim.leaf] = length
    path = search.block.path[sim.leaf]
    for ply in range(length):
        for role in range(path.shape[1]):
            path[ply, role] = -1
        if decider_of(tree, sims.paths[ply, sim.number, 0], 0).head & COUNT > 1:
            chosen_moves(tree, sims, sim, ply, path[ply])


def insert(search: Search) -> None:
    """Link the new states to the tree, and add those that are not there as long as there is room.

    Args:
        search: its leaves have made their step.
    """
    tree, sims, block, leaves = search.tree, search.sims, search.block, search.sims.leaves
    if search.options.numbers.graph:
        mask = len(tree.table) - 1
        for leaf in range(leaves):
            prefetch(tree.table, whole(block.hashes[leaf]) & mask)
    for leaf in range(leaves):
        sim = simulation_of(sims, sims.at_leaf[leaf])
        if sim.end == STEP:
            node = _link(search, sim)
            if node > 0 and node_at(tree.heap, node).flags & EXACT:
                sim.end = OVER
            elif node > 0 and is_on_path(tree, sims, sim, node):
                node = 0
            sim.node = node


@inner
def _link(search: Search, sim: Simulation) -> int:
    """Return the node of a leaf, which is now its parent's child; 0 where there is no room."""
    tree, sims, last = search.tree, search.sims, sim.length - 1
    parent, edge = whole(sims.paths[last, sim.number, 0]), sims.paths[last, sim.number, 1]
    if deciders_of(tree, parent) == 1:
        links = edges_of(tree, parent, 1, 0).links
        if links[edge] != NO_LINK:
            return linked(tree, whole(links[edge]))
        node = _found_or_made(search, sim.leaf)
        if node > 0:
            record = node_at(tree.heap, node).record
            links[edge] = record if record > 0 else CLOSED - node
        return node
    key = chosen_key(tree, sims, sim, last)
    entry = find_joint(tree, key)
    if entry >= 0:
        return joint_child(tree, entry)
    node = _found_or_made(search, sim.leaf)
    if node > 0 and 4 * tree.joint_count < 3 * len(tree.joints):
        put_joint(tree, -1 - entry, key, record_at(tree.heap, parent).node, node)
        tree.joint_count += 1
    elif node > 0:
        tree.full = 1
    return node


@inner
def _found_or_made(search: Search, leaf: int) -> int:
    """Return the node of a leaf's state, a new one unless the state is known; 0: no room."""
    tree, graph, block = search.tree, search.options.numbers.graph, search.block
    hash_, index = block.hashes[leaf], -1
    if graph:
        index = find_state(tree, hash_, block.states, leaf)
        if index >= 0:
            return whole(tree.nodes[index])
    node = make_node(tree, block, leaf, search.sims.scratch)
    if node > 0:
        if graph:
            put_state(tree, -1 - index, hash_, node_at(tree.heap, node).index)
        if tree.hinted:
            _keep_hints(search, leaf, node)
        search.totals.created += 1
    return node


@inner
def _keep_hints(search: Search, leaf: int, node: int) -> None:
    """Give a new node the evaluator's values, or those that are known."""
    tree = search.tree
    values, hints = results_of(tree, node).values, results_of(tree, node).hints
    exact = node_at(tree.heap, node).flags & EXACT
    for role in range(len(tree.best)):
        hints[role] = values[role] if exact else search.sims.estimates[leaf, role]
