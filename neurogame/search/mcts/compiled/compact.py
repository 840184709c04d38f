"""Dropping what cannot be reached from the root any more, and of the rest what is visited least.

What is kept slides down in the memory of the tree, in its old order, so that places stay ordered
by age and no second tree is needed. Nodes and records lie side by side in the heap without gaps
but for alignment, so that all of them are met in the order of their places. While this goes on a
node's ``index`` is its new place, a kept node's ``record`` that of its record, and a record's
``node`` its own new place; 0 says that it is dropped.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int32s1, Int64s1, Int64s2
from neurogame.native.bits import prefetch, whole
from neurogame.native.compiled import inner
from neurogame.native.entries import entry
from neurogame.native.struct import Struct
from neurogame.search.mcts.compiled.lookup import (
    find_joint,
    joint_child,
    joint_node,
    put_joint,
)
from neurogame.search.mcts.compiled.nodes import counts_at, listed_count
from neurogame.search.mcts.compiled.tables import AHEAD, enter_states
from neurogame.search.mcts.compiled.tree import (
    CLOSED,
    COUNT,
    EXACT,
    FIRST_WORD,
    KEPT,
    NO_LINK,
    PROVED,
    TERMINAL,
    Tree,
    decider_of,
    deciders_of,
    edges_of,
    first_edges,
    joint_proofs_of,
    node_at,
    padded,
    record_at,
)
from neurogame.splitmix import G1

_G1 = np.uint64(G1)
_CLASSES = 32
"""Classes of visits: by their number of binary digits."""
_LINE = 16
"""Words of a cache line."""


class Compaction(Struct):
    """What is to be kept of a tree, and where it goes.

    ``N`` nodes.

    Attributes:
        tree: changed; no simulation is on its way, and proofs have been read.
        graph: whether equal states share a node.
        least: visits that a node must have, unless its values are proved. If this is more than 1,
            what is below proved nodes is left out.
        stack: records to look at; ``[N]``.
        nodes: how many nodes are kept.
        words: how many words of the heap they take with their records, at most.
        by_visits: of the kept nodes whose visits have so many binary digits: how many there are,
            and their words; ``[32, 2]``.
        first: of each node the first place of its joint moves, -1 if there is none; ``[N]``.
        following: of each of these places the next one; ``[J]``.
        owners: new places of the nodes of kept records, in the order of the records; ``[N]``.
        joints: key, node, child and proof of joint moves that are kept; ``[*, 4]``.
        tables: node of each of GRAVE's tables; ``[T]``.
        hashes: of states that are about to be entered in the table; ``[AHEAD]``.
    """

    tree: Tree
    graph: int
    least: int = 1
    stack: Int32s1
    nodes: int = 0
    words: int = 0
    by_visits: Int64s2
    first: Int32s1
    following: Int32s1
    owners: Int32s1
    joints: Int64s2
    tables: Int32s1
    hashes: Int64s1


def compact(tree: Tree, *, graph: bool) -> None:
    """Keep what can be reached from the root, and of that, if need be, what is visited most.

    Nodes with few visits are dropped, as many that at most half of the tree's room is in use.
    Moves that lead to them keep their own visits and means; proved children of what is kept are
    kept.

    Args:
        tree: changed; no simulation is on its way, and proofs have been read.
        graph: whether equal states share a node.
    """
    size, joints = tree.size, tree.joint_count
    made = Compaction(
        tree=tree,
        graph=int(graph),
        stack=np.empty(size, np.int32),
        by_visits=np.zeros((_CLASSES, 2), np.int64),
        first=np.full(size if joints else 0, -1, np.int32),
        following=np.empty(len(tree.joints) if joints else 0, np.int32),
        owners=np.empty(size, np.int32),
        joints=np.empty((joints, 4), np.int64),
        tables=np.zeros(tree.table_count + 1, np.int32),
        hashes=np.zeros(AHEAD, np.int64),
    )
    entry(mark)(made)
    digits = _fewest_digits(made)
    while _is_too_much(made) and digits < _CLASSES:
        made.least = 1 << (digits - 1)
        entry(unmark)(made)
        entry(mark)(made)
        digits += 1
    entry(slide)(made)
    tree.full = 0


def is_half_full(tree: Tree) -> bool:
    """Return whether more than half of the room for nodes or for the heap is in use."""
    return 2 * tree.size > tree.most_nodes or 2 * tree.end > len(tree.heap)


def _is_too_much(made: Compaction) -> bool:
    """Return whether what is to be kept takes more than half of the room."""
    return 2 * made.nodes > made.tree.most_nodes or 2 * made.words > len(made.tree.heap)


def _fewest_digits(made: Compaction) -> int:
    """Return the binary digits of visits from which on nodes take at most half of the room."""
    above = made.by_visits[::-1].cumsum(axis=0)[::-1]
    room = (made.tree.most_nodes // 2, len(made.tree.heap) // 2)
    return max(int((above > room).any(axis=1).sum()), 2)


def mark(compaction: Compaction) -> None:
    """Mark what is to be kept of what can be reached from the root, and count it."""
    tree, stack, heap = compaction.tree, compaction.stack, compaction.tree.heap
    root, least = node_at(heap, tree.root).record, compaction.least
    compaction.nodes = compaction.words = 0
    compaction.by_visits[:] = 0
    if len(compaction.first) > 0 and least == 1:
        _list_joints(compaction)
    left = 0
    if root == 0:
        _keep_node(compaction, tree.root)
    else:
        left = _keep_record(compaction, 0, root)
    while left > 0:
        left -= 1
        record = whole(stack[left])
        if least > 1 and record != root and record_at(heap, record).status & PROVED:
            continue
        if deciders_of(tree, record) == 1:
            left = _mark_linked(compaction, left, record)
        elif len(compaction.first) > 0:
            node = record_at(heap, record).node
            place = whole(compaction.first[node_at(heap, node).index])
            while place >= 0:
                left = _mark_node(compaction, left, joint_child(tree, place))
                place = whole(compaction.following[place])


@inner
def _ask_for_children(heap: Int32s1, links: Int32s1, tried: int) -> None:
    """Have what a record's links lead to fetched, as it is needed next."""
    for edge in range(tried):
        link = whole(links[edge])
        if link != NO_LINK:
            prefetch(heap, link if link >= 0 else CLOSED - link)


@inner
def _mark_linked(compaction: Compaction, left: int, record: int) -> int:
    """Mark the children that a record's edges lead to; return the height of the stack."""
    tree, heap, least = compaction.tree, compaction.tree.heap, compaction.least
    links, tried = edges_of(tree, record, 1, 0).links, decider_of(tree, record, 0).tried
    _ask_for_children(heap, links, tried)
    for edge in range(tried):
        link = whole(links[edge])
        if link >= 0:
            header = record_at(heap, link)
            if header.status & KEPT == 0 and (
                header.visits >= least or header.status & PROVED != 0
            ):
                left = _keep_record(compaction, left, link)
        elif link != NO_LINK:
            left = _mark_node(compaction, left, CLOSED - link)
    return left


@inner
def _mark_node(compaction: Compaction, left: int, node: int) -> int:
    """Mark a child that is to be kept, once; return the height of the stack."""
    heap, least = compaction.tree.heap, compaction.least
    header = node_at(heap, node)
    if header.record > 0:
        record = record_at(heap, header.record)
        if record.status & KEPT == 0 and (record.visits >= least or record.status & PROVED != 0):
            left = _keep_record(compaction, left, header.record)
    elif header.flags & KEPT == 0 and (header.ends >= least or header.flags & EXACT != 0):
        _keep_node(compaction, node)
    return left


@inner
def _keep_record(compaction: Compaction, left: int, record: int) -> int:
    """Mark a node by its record, and put that on the stack; return the height of the stack."""
    tree, heap = compaction.tree, compaction.tree.heap
    header = record_at(heap, record)
    header.status |= KEPT
    prefetch(heap, record + _LINE)
    prefetch(heap, record + 4 * padded(decider_of(tree, record, 0).head & COUNT))
    compaction.stack[left] = record
    words = _node_size(tree, header.node) + padded(_record_size(tree, record))
    _count(compaction, header.visits, words)
    return left + 1


@inner
def _keep_node(compaction: Compaction, node: int) -> None:
    """Mark a node without a record."""
    header = node_at(compaction.tree.heap, node)
    header.flags |= KEPT
    _count(compaction, header.ends, _node_size(compaction.tree, node))


@inner
def _count(compaction: Compaction, visits: int, words: int) -> None:
    """Count a node that is kept."""
    digits = 0
    while visits > 0:
        visits >>= 1
        digits += 1
    compaction.nodes += 1
    compaction.words += words
    compaction.by_visits[digits, 0] += 1
    compaction.by_visits[digits, 1] += words


def unmark(compaction: Compaction) -> None:
    """Take all marks away."""
    tree = compaction.tree
    heap = tree.heap
    for index in range(tree.size):
        if index + AHEAD < tree.size:
            prefetch(heap, node_at(heap, tree.nodes[index + AHEAD]).record)
        header = node_at(heap, tree.nodes[index])
        header.flags &= ~KEPT
        if header.record > 0:
            record_at(heap, header.record).status &= ~KEPT


@inner
def _list_joints(compaction: Compaction) -> None:
    """Write lists of the places of each node's joint moves."""
    tree, first, following = compaction.tree, compaction.first, compaction.following
    for place in range(len(following)):
        node = joint_node(tree, place)
        if node > 0:
            index = node_at(tree.heap, node).index
            following[place] = first[index]
            first[index] = place


def slide(compaction: Compaction) -> None:
    """Move what is kept down, without gaps, and put the new places wherever the old ones stand.

    Args:
        compaction: what is to be kept is marked.
    """
    tree = compaction.tree
    table = tree.table
    end = _find_places(compaction)
    tree.root = node_at(tree.heap, tree.root).index
    _move_joints(compaction)
    if len(tree.worth) > 0:
        _move_tables(compaction)
    _lead_anew(compaction)
    _move(compaction)
    tree.end = end
    for place in range(len(table)):
        table[place] = 0
    if compaction.graph:
        enter_states(tree, compaction.hashes)


@inner
def _end_of(tree: Tree, index: int) -> int:
    """Return where a node's successor begins in the heap, or the end of what is used."""
    return whole(tree.nodes[index + 1]) if index + 1 < tree.size else tree.end


@inner
def _find_places(compaction: Compaction) -> int:
    """Write the new places of nodes and records; return the heap's end."""
    tree, owners, count, end = compaction.tree, compaction.owners, 0, FIRST_WORD
    heap, size = tree.heap, tree.size
    for index in range(size):
        if index + AHEAD < size:
            prefetch(heap, node_at(heap, tree.nodes[index + AHEAD]).record)
        node = whole(tree.nodes[index])
        header = node_at(heap, node)
        record, last = node + _node_size(tree, node), _end_of(tree, index)
        kept = header.flags & KEPT
        if header.record > 0:
            kept = record_at(heap, header.record).status & KEPT
            if kept and len(tree.worth) > 0:
                compaction.tables[header.ends] = node
        header.index = end if kept else 0
        end += record - node if kept else 0
        record = padded(record)
        while record < last:
            made, words = record_at(heap, record), _record_size(tree, record)
            if made.status & KEPT:
                owner = node_at(heap, made.node)
                end = padded(end)
                owners[count] = owner.index
                count += 1
                owner.record = made.node = end
                end += words
            else:
                made.node = 0
            record = padded(record + words)
    return end


@inner
def _node_size(tree: Tree, node: int) -> int:
    """Return the words of a node."""
    counts = counts_at(tree, node)
    if node_at(tree.heap, node).flags & TERMINAL:
        return counts - node
    total = listed_count(tree, node)
    return counts + len(tree.best) + (total if tree.wide else (total + 1) >> 1) - node


@inner
def _record_size(tree: Tree, record: int) -> int:
    """Return the words of a record."""
    deciders = deciders_of(tree, record)
    size = first_edges(len(tree.best), deciders)
    for number in range(deciders):
        size += tree.width * padded(decider_of(tree, record, number).head & COUNT)
    return size


@inner
def _move_joints(compaction: Compaction) -> None:
    """Make the table of joint moves anew, with the new places, of the nodes that are kept."""
    tree, kept, count = compaction.tree, compaction.joints, 0
    if len(kept) == 0:
        return
    joints = tree.joints
    for place in range(len(joints)):
        node, child = joint_node(tree, place), joint_child(tree, place)
        if node > 0:
            new = whole(node_at(tree.heap, node).index)
            end = whole(node_at(tree.heap, child).index)
            if new > 0 and end > 0:
                kept[count, 0] = joints[place, 0] + whole(np.uint64(new - node) * _G1)
                kept[count, 1], kept[count, 2] = new, end
                kept[count, 3] = joints[place, 1] & 1
                count += 1
    for place in range(len(joints)):
        joints[place, 0] = joints[place, 1] = 0
    for number in range(count):
        place = -1 - find_joint(tree, kept[number, 0])
        put_joint(tree, place, kept[number, 0], kept[number, 1], kept[number, 2])
        joints[place, 1] |= kept[number, 3]
    tree.joint_count = count


@inner
def _move_tables(compaction: Compaction) -> None:
    """Keep GRAVE's tables of the nodes that are kept."""
    tree, owners, worth, count = compaction.tree, compaction.tables, compaction.tree.worth, 0
    for table in range(1, len(owners)):
        if owners[table] > 0:
            count += 1
            node_at(tree.heap, owners[table]).ends = count
            for move in range(worth.shape[1]):
                worth[count, move, 0] = worth[table, move, 0]
                worth[count, move, 1] = worth[table, move, 1]
    tree.table_count = count


@inner
def _lead_anew(compaction: Compaction) -> None:
    """Make the links of all records that are kept lead to the new places."""
    tree, heap = compaction.tree, compaction.tree.heap
    for index in range(tree.size):
        node = whole(tree.nodes[index])
        record, last = padded(node + _node_size(tree, node)), _end_of(tree, index)
        while record < last:
            if record_at(heap, record).node > 0:
                _lead_on(tree, record)
            record = padded(record + _record_size(tree, record))


@inner
def _lead_on(tree: Tree, record: int) -> None:
    """Make the links of a record lead to the new places."""
    heap, deciders = tree.heap, deciders_of(tree, record)
    if deciders > 1:
        proofs = joint_proofs_of(tree, record, deciders)
        if proofs.same > 0:
            proofs.same = node_at(heap, proofs.same).index
        return
    links, tried = edges_of(tree, record, 1, 0).links, decider_of(tree, record, 0).tried
    _ask_for_children(heap, links, tried)
    for edge in range(tried):
        link = whole(links[edge])
        if link >= 0:
            new = record_at(heap, link).node
            links[edge] = new if new > 0 else NO_LINK
        elif link != NO_LINK:
            header = node_at(heap, CLOSED - link)
            if header.index == 0:
                links[edge] = NO_LINK
            else:
                links[edge] = header.record if header.record > 0 else CLOSED - header.index


@inner
def _move(compaction: Compaction) -> None:
    """Move nodes, records and states, the lowest first."""
    tree, owners, nodes, records = compaction.tree, compaction.owners, 0, 0
    heap, states = tree.heap, tree.states
    for index in range(tree.size):
        node, last = whole(tree.nodes[index]), _end_of(tree, index)
        header, words = node_at(heap, node), _node_size(tree, node)
        record, end = padded(node + words), header.index
        if end > 0:
            header.index, header.flags = nodes, header.flags & ~KEPT
            for word in range(states.shape[1]):
                states[nodes, word] = states[index, word]
            tree.nodes[nodes] = end
            nodes += 1
            for word in range(words):
                heap[end + word] = heap[node + word]
        while record < last:
            made, size = record_at(heap, record), _record_size(tree, record)
            end = made.node
            if end > 0:
                made.node, made.status = owners[records], made.status & ~KEPT
                records += 1
                for word in range(size):
                    heap[end + word] = heap[record + word]
            record = padded(record + size)
    tree.size = nodes
