"""Making nodes and records, and reading the moves that they hold."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int32s1, Int64s1, UInt64s2
from neurogame.kernels.leaves.block import Block
from neurogame.native.bits import lowest_bit, whole
from neurogame.native.compiled import inner
from neurogame.native.random import below, mixed, random_word
from neurogame.search.mcts.compiled.lookup import add_move, joint_key
from neurogame.search.mcts.compiled.search import Simulation, Simulations
from neurogame.search.mcts.compiled.tree import (
    COUNT,
    DECIDERS,
    EXACT,
    MOST,
    MOVE,
    NO_LINK,
    ROLE,
    TERMINAL,
    VALUES,
    Tree,
    decider_of,
    deciders_of,
    edges_of,
    first_edges,
    move_of,
    node_at,
    padded,
    record_at,
    results_of,
    sums_of,
)
from neurogame.splitmix import G1

_ONE, _G1 = np.uint64(1), np.uint64(G1)


@inner
def counts_at(tree: Tree, node: int) -> int:
    """Return the place of a node's numbers of legal moves; the moves follow."""
    roles = len(tree.best)
    return node + VALUES + (2 * roles if tree.hinted else roles)


@inner
def listed_move(tree: Tree, node: int, number: int) -> int:
    """Return a legal move of a node.

    Args:
        tree: the tree.
        node: one that is not terminal.
        number: which of them, all roles' moves together.
    """
    heap, start = tree.heap, counts_at(tree, node) + len(tree.best)
    if tree.wide:
        return whole(heap[start + number])
    return whole(heap[start + (number >> 1)] >> ((number & 1) << 4)) & 0xFFFF


@inner
def listed_count(tree: Tree, node: int) -> int:
    """Return the number of legal moves of a node, all roles' together."""
    counts, total = counts_at(tree, node), 0
    for role in range(len(tree.best)):
        total += whole(tree.heap[counts + role])
    return total


@inner
def first_moves(tree: Tree, node: int, moves: Int32s1) -> None:
    """Write the first legal move of each role, the only one if it has no choice; ``[R]``."""
    counts, number = counts_at(tree, node), 0
    for role in range(len(tree.best)):
        moves[role] = listed_move(tree, node, number)
        number += whole(tree.heap[counts + role])


@inner
def make_node(tree: Tree, block: Block, leaf: int, scratch: Int32s1) -> int:
    """Make a node of a leaf of the block; return its place, 0 where there is no room.

    Args:
        tree: changed.
        block: leaves that the rules have looked at.
        leaf: which of them.
        scratch: to work in; ``[M + R]``.
    """
    heap, index, node, roles = tree.heap, tree.size, tree.end, len(tree.best)
    over = block.terminal[leaf]
    total = -1 if over else _read_legal(block.legal, leaf, tree.offsets, scratch)
    counts = counts_at(tree, node)
    words = 0 if total < 0 else roles + (total if tree.wide else (total + 1) >> 1)
    if index >= tree.most_nodes or counts + words > len(heap) or 2 * index >= len(tree.table):
        tree.full = 1
        return 0
    made = node_at(heap, node)
    made.index, made.record, made.ends = index, 0, 0
    made.flags = 0 if total >= 0 else TERMINAL | EXACT | (tree.far << MOST)
    values = results_of(tree, node).values
    for role in range(roles):
        values[role] = 0 if total >= 0 or role == tree.chance else block.goals[leaf, role]
    if total >= 0:
        for role in range(roles):
            heap[counts + role] = scratch[role]
        _write_moves(heap, counts + roles, scratch, roles, total, tree.wide)
    for word in range(tree.states.shape[1]):
        tree.states[index, word] = block.states[leaf, word]
    tree.nodes[index] = node
    tree.size, tree.end = index + 1, counts + words
    return node


@inner
def _read_legal(legal: UInt64s2, leaf: int, offsets: Int64s1, scratch: Int32s1) -> int:
    """Write the number of each role's moves, then the moves; return their total.

    It is -1 where some role has no move: no joint move leads on from there.
    """
    roles = len(offsets) - 1
    for role in range(roles):
        scratch[role] = 0
    total, role = 0, 0
    for word in range(legal.shape[1]):
        bits = legal[leaf, word]
        while bits != 0:
            move = (word << 6) + lowest_bit(bits)
            bits &= bits - _ONE
            while move >= offsets[role + 1]:
                role += 1
            scratch[role] += 1
            scratch[roles + total] = move
            total += 1
    for role in range(roles):
        if scratch[role] == 0:
            return -1
    return total


@inner
def _write_moves(
    heap: Int32s1, start: int, scratch: Int32s1, first: int, total: int, wide: int
) -> None:
    """Write moves into a node."""
    if wide:
        for number in range(total):
            heap[start + number] = scratch[first + number]
        return
    for pair in range(total >> 1):
        low, high = scratch[first + 2 * pair], scratch[first + 2 * pair + 1]
        heap[start + pair] = low | (high << 16)
    if total & 1:
        heap[start + (total >> 1)] = scratch[first + total - 1]


@inner
def open_record(tree: Tree, node: int, seed: int) -> int:
    """Give a node a record; return its place in the heap, 0 where there is no room.

    Args:
        tree: changed.
        node: one without a record that is not terminal.
        seed: of the order of edges.
    """
    heap, roles, counts = tree.heap, len(tree.best), counts_at(tree, node)
    deciders, edges = 0, 0
    for role in range(roles):
        count = whole(heap[counts + role])
        if count > 1:
            deciders += 1
            edges += padded(count)
    forced = deciders == 0
    if forced:
        deciders, edges = 1, 8
    record = (tree.end + 7) & ~7
    end = record + first_edges(roles, deciders) + tree.width * edges
    if end > len(heap):
        tree.full = 1
        return 0
    tree.end = end
    for place in range(record, end):
        heap[place] = 0
    header, made = node_at(heap, node), record_at(heap, record)
    made.visits = made.ends = header.ends
    made.status, made.node = deciders << DECIDERS, node
    values, sums = results_of(tree, node).values, sums_of(tree, record).sums
    for role in range(roles):
        sums[role] = values[role]
    number, first = whole(0), whole(0)
    for role in range(roles):
        count = whole(heap[counts + role])
        if count > 1 or (forced and role == 0):
            decider_of(tree, record, number).head = (role << ROLE) | count
            _list_edges(tree, record, deciders, number, first, seed)
            number += 1
        first += count
    header.record, header.ends = record, 0
    return record


@inner
def _list_edges(tree: Tree, record: int, deciders: int, number: int, first: int, seed: int) -> None:
    """Write the edges of a new record's decider, in random order.

    Args:
        tree: changed.
        record: its place.
        deciders: how many there are.
        number: which of them.
        first: number of its first move among all legal ones.
        seed: of the order.
    """
    node, head = record_at(tree.heap, record).node, decider_of(tree, record, number).head
    edges, count = edges_of(tree, record, deciders, number), head & COUNT
    moves, links = edges.moves, edges.links
    for edge in range(count):
        moves[edge] = listed_move(tree, node, first + edge) << MOVE
    word = random_word(seed, node_at(tree.heap, node).index, head >> ROLE)
    for last in range(count - 1, 0, -1):
        word += _G1
        other = below(mixed(word), last + 1)
        kept = moves[last]
        moves[last] = moves[other]
        moves[other] = kept
    if deciders == 1:
        for edge in range(count):
            links[edge] = NO_LINK


@inner
def is_on_path(tree: Tree, sims: Simulations, sim: Simulation, node: int) -> bool:
    """Return whether the path of a simulation leads through the node to which it has come.

    A node is younger than those on the path by which it was made, so that a way round leads
    somewhere to an older one; only then it is worth looking.
    """
    heap, paths, length, number = tree.heap, sims.paths, sim.length, sim.number
    if length == 0:
        return False
    if node <= record_at(heap, paths[length - 1, number, 0]).node:
        sim.back = 1
    if sim.back == 0:
        return False
    is_met = False
    for ply in range(length):
        is_met = is_met or record_at(heap, paths[ply, number, 0]).node == node
    return is_met


@inner
def chosen_moves(tree: Tree, sims: Simulations, sim: Simulation, ply: int, moves: Int32s1) -> None:
    """Write the moves that deciding roles have chosen at a ply of a path; ``[R]``."""
    record, number = whole(sims.paths[ply, sim.number, 0]), sim.number
    deciders = deciders_of(tree, record)
    for decider in range(deciders):
        edges = edges_of(tree, record, deciders, decider)
        word = edges.moves[sims.paths[ply, number, 1 + decider]]
        moves[decider_of(tree, record, decider).head >> ROLE] = move_of(word)


@inner
def chosen_key(tree: Tree, sims: Simulations, sim: Simulation, ply: int) -> int:
    """Return the key of the child by the joint move that was chosen at a ply of a path."""
    record, number = whole(sims.paths[ply, sim.number, 0]), sim.number
    deciders, joint = deciders_of(tree, record), np.uint64(0)
    for decider in range(deciders):
        edges = edges_of(tree, record, deciders, decider)
        joint = add_move(joint, move_of(edges.moves[sims.paths[ply, number, 1 + decider]]))
    return joint_key(joint, record_at(tree.heap, record).node)
