"""Dropping what cannot be reached from a new root any more.

What is kept slides down in the memory of the tree, in its old order, so that places stay ordered
by age and no second tree is needed.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int32s1, Int64s1, Int64s2
from neurogame.kernels.lane_rows import hash_row
from neurogame.kernels.mcts.lookup import (
    find_joint,
    joint_child,
    joint_node,
    put_joint,
    put_state,
)
from neurogame.kernels.mcts.nodes import counts_at, listed_count
from neurogame.kernels.mcts.tree import (
    CLOSED,
    COUNT,
    EXACT,
    FIRST_WORD,
    NO_LINK,
    TERMINAL,
    Tree,
    decider_of,
    deciders_of,
    edges_of,
    first_edges,
    joint_proofs_of,
    linked,
    node_at,
    padded,
    record_at,
    visits_of,
)
from neurogame.kernels.native.bits import whole
from neurogame.kernels.native.compiled import inner
from neurogame.kernels.native.entries import entry
from neurogame.kernels.native.struct import Struct
from neurogame.kernels.twin.random_words import G1

_G1 = np.uint64(G1)
_MOST_VISITS = 1 << 31


class Compaction(Struct):
    """What is to be kept of a tree, and where it goes.

    ``N`` nodes. A *thing* is the place of a node, times 2, or of a record, times 2, plus 1.

    Attributes:
        tree: changed; no simulation is on its way, and proofs have been read.
        graph: whether equal states share a node.
        least: visits that a node must have, unless its values are proved. If this is more than 1,
            what is below proved nodes is left out.
        kept: whether a node is kept, by index; ``[N]``.
        stack: nodes to look at; ``[N]``.
        things: that are kept; ``[2 N]``.
        count: number of things.
        first: of each node the first place of its joint moves, -1 if there is none; ``[N]``.
        following: of each of these places the next one; ``[J]``.
        nodes: new places of nodes, by index, 0 for those that are dropped; ``[N]``.
        records: new places of records; ``[N]``.
        joints: key, node, child and proof of joint moves that are kept; ``[*, 4]``.
        owners: node of each of GRAVE's tables; ``[T]``.
    """

    tree: Tree
    graph: int
    least: int
    kept: Int32s1
    stack: Int32s1
    things: Int64s1
    count: int
    first: Int32s1
    following: Int32s1
    nodes: Int32s1
    records: Int32s1
    joints: Int64s2
    owners: Int32s1


def compact(tree: Tree, *, graph: bool) -> None:
    """Keep what can be reached from the root, and of that, if need be, what is visited most.

    Nodes with less and less visits are dropped until at most half of the tree's memory is in use.
    Moves that lead to them keep their own visits and means.

    Args:
        tree: changed; no simulation is on its way, and proofs have been read.
        graph: whether equal states share a node.
    """
    least = 1
    while least == 1 or (is_half_full(tree) and least < _MOST_VISITS):
        size, joints = tree.size, tree.joint_count
        made = Compaction(
            tree=tree,
            graph=int(graph),
            least=least,
            kept=np.zeros(size, np.int32),
            stack=np.empty(size, np.int32),
            things=np.empty(2 * size, np.int64),
            count=0,
            first=np.full(size, -1, np.int32),
            following=np.empty(len(tree.joints) if joints else 0, np.int32),
            nodes=np.zeros(size, np.int32),
            records=np.zeros(size, np.int32),
            joints=np.empty((joints, 4), np.int64),
            owners=np.zeros(tree.table_count + 1, np.int32),
        )
        entry(mark)(made)
        made.things[: made.count].sort()
        entry(slide)(made)
        least *= 2


def is_half_full(tree: Tree) -> bool:
    """Return whether more than half of the room for nodes or for the heap is in use."""
    return 2 * tree.size > len(tree.nodes) or 2 * tree.end > len(tree.heap)


def mark(compaction: Compaction) -> None:
    """Find the nodes that can be reached from the root, and write what is to be kept."""
    tree, least, stack = compaction.tree, compaction.least, compaction.stack
    things, heap, root, count = compaction.things, tree.heap, tree.root, 0
    _list_joints(compaction)
    stack[0], left = root, 1
    compaction.kept[node_at(heap, root).index] = 1
    while left > 0:
        left -= 1
        node = whole(stack[left])
        own = node_at(heap, node)
        record = own.record
        things[count] = 2 * node
        count += 1
        if record == 0:
            continue
        things[count] = 2 * record + 1
        count += 1
        if least > 1 and node != root and own.flags & EXACT:
            continue
        if deciders_of(tree, record) == 1:
            links = edges_of(tree, record, 1, 0).links
            for edge in range(decider_of(tree, record, 0).head & COUNT):
                if links[edge] != NO_LINK:
                    left = _visit(compaction, left, linked(tree, whole(links[edge])))
        else:
            place = whole(compaction.first[own.index])
            while place >= 0:
                left = _visit(compaction, left, joint_child(tree, place))
                place = whole(compaction.following[place])
    compaction.count = count


@inner
def _visit(compaction: Compaction, left: int, node: int) -> int:
    """Put a node that is to be kept on the stack, once; return the height of the stack."""
    tree, own = compaction.tree, node_at(compaction.tree.heap, node)
    enough = visits_of(tree, node) >= compaction.least or own.flags & EXACT != 0
    if compaction.kept[own.index] == 0 and enough:
        compaction.kept[own.index] = 1
        compaction.stack[left] = node
        left += 1
    return left


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
        compaction: its things are in ascending order.
    """
    tree, things, nodes = compaction.tree, compaction.things, compaction.nodes
    heap, count = tree.heap, compaction.count
    tree.end = _find_places(compaction)
    tree.root = nodes[node_at(heap, tree.root).index]
    _move_joints(compaction)
    if len(tree.worth) > 0:
        _move_tables(compaction)
    for number in range(count):
        if things[number] & 1:
            _lead_anew(compaction, things[number] >> 1)
    for number in range(count):
        if things[number] & 1:
            own = record_at(heap, things[number] >> 1)
            own.node = nodes[node_at(heap, own.node).index]
    _move_things(compaction)
    table = tree.table
    for place in range(len(table)):
        table[place] = 0
    if compaction.graph:
        for index in range(tree.size):
            _enter_state(tree, index)


@inner
def _find_places(compaction: Compaction) -> int:
    """Write the new places of nodes and records; return the heap's end."""
    tree, things, end = compaction.tree, compaction.things, FIRST_WORD
    for number in range(compaction.count):
        place = things[number] >> 1
        if things[number] & 1:
            end = (end + 7) & ~7
            node = record_at(tree.heap, place).node
            compaction.records[node_at(tree.heap, node).index] = end
            end += _record_size(tree, place)
        else:
            compaction.nodes[node_at(tree.heap, place).index] = end
            end += _node_size(tree, place)
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
            new = whole(compaction.nodes[node_at(tree.heap, node).index])
            end = whole(compaction.nodes[node_at(tree.heap, child).index])
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
    tree, owners, worth, count = compaction.tree, compaction.owners, compaction.tree.worth, 0
    for number in range(compaction.count):
        thing = compaction.things[number]
        own = node_at(tree.heap, thing >> 1)
        if thing & 1 == 0 and own.record > 0:
            owners[own.ends] = thing >> 1
    for table in range(1, len(owners)):
        if owners[table] > 0:
            count += 1
            node_at(tree.heap, owners[table]).ends = count
            for move in range(worth.shape[1]):
                worth[count, move, 0] = worth[table, move, 0]
                worth[count, move, 1] = worth[table, move, 1]
    tree.table_count = count


@inner
def _lead_anew(compaction: Compaction, record: int) -> None:
    """Make the links of a record lead to the new places."""
    tree, nodes, records = compaction.tree, compaction.nodes, compaction.records
    deciders = deciders_of(tree, record)
    if deciders > 1:
        proofs = joint_proofs_of(tree, record, deciders)
        if proofs.same > 0:
            proofs.same = nodes[node_at(tree.heap, proofs.same).index]
        return
    links = edges_of(tree, record, 1, 0).links
    for edge in range(decider_of(tree, record, 0).head & COUNT):
        if links[edge] != NO_LINK:
            index = node_at(tree.heap, linked(tree, whole(links[edge]))).index
            if records[index] > 0:
                links[edge] = records[index]
            else:
                links[edge] = CLOSED - nodes[index] if nodes[index] > 0 else NO_LINK


@inner
def _move_things(compaction: Compaction) -> None:
    """Move nodes, records and states, the lowest first."""
    tree, things, end, nodes = compaction.tree, compaction.things, FIRST_WORD, 0
    heap, states = tree.heap, tree.states
    for number in range(compaction.count):
        place = things[number] >> 1
        if things[number] & 1:
            end = (end + 7) & ~7
            size = _record_size(tree, place)
        else:
            size, own = _node_size(tree, place), node_at(heap, place)
            index = own.index
            own.index, own.record = nodes, compaction.records[index]
            for word in range(states.shape[1]):
                states[nodes, word] = states[index, word]
            tree.nodes[nodes] = end
            nodes += 1
        for word in range(size):
            heap[end + word] = heap[place + word]
        end += size
    tree.size = nodes


@inner
def _enter_state(tree: Tree, index: int) -> None:
    """Enter a node in the table of states, which does not know its state."""
    hash_ = hash_row(tree.states[index])
    mask = len(tree.table) - 1
    place = whole(hash_) & mask
    while tree.table[place] != 0:
        place = (place + 1) & mask
    put_state(tree, place, hash_, index)
