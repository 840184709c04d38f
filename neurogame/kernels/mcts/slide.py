"""Moving what is kept of a tree down in its memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.lane_rows import hash_row
from neurogame.kernels.mcts.bits import whole
from neurogame.kernels.mcts.layout import (
    CLOSED,
    COUNT,
    DECIDERS,
    FIRST_WORD,
    FLAGS,
    HEAP,
    INDEX,
    JOINTS,
    NO_LINK,
    NODES,
    RECORD,
    ROOT,
    SLOT_LINKS,
    STATUS,
    STUB,
    SUMS,
    TABLE,
    TABLES,
    TERMINAL,
)
from neurogame.kernels.mcts.lookup import find_joint, joint_child, put_joint, put_state
from neurogame.kernels.mcts.records import first_slot, linked, padded
from neurogame.kernels.mcts.stubs import counts_at
from neurogame.kernels.mcts.tree import GRAVE
from neurogame.kernels.native.compiled import compiled, inner
from neurogame.kernels.twin.random_words import G1

_G1 = np.uint64(G1)


@compiled
def slide(tree: Any, options: Any, things: Any) -> None:
    """Move stubs and records down, without gaps, and make all that names them name the new places.

    Args:
        tree: changed; see :class:`~neurogame.kernels.mcts.tree.Tree`.
        options: of the search.
        things: places of the stubs that are kept, times 2, and of the records, times 2, plus 1,
            ascending; int64.
    """
    heap, used, roles = tree.heap, tree.used, len(tree.best)
    nodes = used[NODES]
    stubs, records = np.zeros(nodes, np.int32), np.zeros(nodes, np.int32)
    used[HEAP] = _new_places(tree, options, things, stubs, records)
    used[ROOT] = stubs[heap[used[ROOT] + INDEX]]
    _move_joints(tree, stubs)
    if options.kind == GRAVE:
        _move_tables(tree, things)
    for thing in things:
        if thing & 1:
            _lead_anew(heap, thing >> 1, roles, options.width, stubs, records)
    for thing in things:
        if thing & 1:
            place = thing >> 1
            heap[place + STUB] = stubs[heap[heap[place + STUB] + INDEX]]
    _move_things(tree, options, things, records)
    tree.table[:] = 0
    if options.graph:
        for index in range(used[NODES]):
            _enter_state(tree.table, tree.states, index)


@inner
def _new_places(tree: Any, options: Any, things: Any, stubs: Any, records: Any) -> int:
    """Write the new places of stubs and records by index of the node; return the heap's end."""
    heap, roles, end = tree.heap, len(tree.best), FIRST_WORD
    for thing in things:
        place = thing >> 1
        if thing & 1:
            end = (end + 7) & ~7
            records[heap[heap[place + STUB] + INDEX]] = end
            end += _record_size(heap, place, roles, options.width)
        else:
            stubs[heap[place + INDEX]] = end
            end += _stub_size(heap, place, roles, options.hinted, options.wide)
    return end


@inner
def _stub_size(heap: Any, node: int, roles: int, hinted: int, wide: int) -> int:
    """Return the words of a stub."""
    counts = counts_at(node, roles, hinted)
    if heap[node + FLAGS] & TERMINAL:
        return counts - node
    total = 0
    for role in range(roles):
        total += whole(heap[counts + role])
    return counts + roles + (total if wide else (total + 1) >> 1) - node


@inner
def _record_size(heap: Any, record: int, roles: int, width: int) -> int:
    """Return the words of a record."""
    deciders = whole(heap[record + STATUS]) >> DECIDERS
    size = first_slot(roles, deciders)
    for decider in range(deciders):
        size += width * padded(whole(heap[record + SUMS + roles + 2 * decider] & COUNT))
    return size


@compiled
def _move_joints(tree: Any, stubs: Any) -> None:
    """Make the table of joint moves anew, with the new names, of the nodes that are kept."""
    joints, heap, count = tree.joints, tree.heap, 0
    keys = np.empty(tree.used[JOINTS], np.int64)
    ends, flags = np.empty((len(keys), 2), np.int32), np.empty(len(keys), np.int64)
    if len(keys) == 0:
        return
    for place in range(len(joints)):
        entry = joints[place, 1]
        if entry != 0:
            node, child = entry >> 32, joint_child(joints, place)
            kept = whole(stubs[heap[node + INDEX]])
            if kept > 0 and stubs[heap[child + INDEX]] > 0:
                keys[count] = joints[place, 0] + whole(np.uint64(kept - node) * _G1)
                ends[count, 0], ends[count, 1] = kept, stubs[heap[child + INDEX]]
                flags[count] = entry & 1
                count += 1
    joints[:] = 0
    for number in range(count):
        place = -1 - find_joint(joints, keys[number])
        put_joint(joints, place, keys[number], whole(ends[number, 0]), whole(ends[number, 1]))
        joints[place, 1] |= flags[number]
    tree.used[JOINTS] = count


@compiled
def _move_tables(tree: Any, things: Any) -> None:
    """Keep GRAVE's tables of the nodes that are kept."""
    heap, count = tree.heap, 0
    owners = np.zeros(tree.used[TABLES] + 1, np.int32)
    for thing in things:
        node = thing >> 1
        if thing & 1 == 0 and heap[node + RECORD] > 0:
            owners[heap[node + TABLE]] = node
    for table in range(1, len(owners)):
        if owners[table] > 0:
            count += 1
            heap[owners[table] + TABLE] = count
            tree.worth[count] = tree.worth[table]
    tree.used[TABLES] = count


@inner
def _lead_anew(heap: Any, record: int, roles: int, width: int, stubs: Any, records: Any) -> None:
    """Make the links of a record lead to the new places."""
    deciders = whole(heap[record + STATUS]) >> DECIDERS
    if deciders == 1:
        own = whole(heap[record + SUMS + roles] & COUNT)
        links = record + first_slot(roles, 1) + SLOT_LINKS * padded(own)
        for place in range(links, links + own):
            if heap[place] != NO_LINK:
                index = heap[linked(heap, place) + INDEX]
                if records[index] > 0:
                    heap[place] = records[index]
                else:
                    heap[place] = CLOSED - stubs[index] if stubs[index] > 0 else NO_LINK
    else:
        same = record + SUMS + roles + 2 * deciders + 1
        if heap[same] > 0:
            heap[same] = stubs[heap[heap[same] + INDEX]]


@inner
def _move_things(tree: Any, options: Any, things: Any, records: Any) -> None:
    """Move stubs, records and states, the lowest first."""
    heap, roles, end, nodes = tree.heap, len(tree.best), FIRST_WORD, 0
    for thing in things:
        place = thing >> 1
        if thing & 1:
            end = (end + 7) & ~7
            size = _record_size(heap, place, roles, options.width)
        else:
            size = _stub_size(heap, place, roles, options.hinted, options.wide)
            index = whole(heap[place + INDEX])
            heap[place + INDEX], heap[place + RECORD] = nodes, records[index]
            for word in range(tree.states.shape[1]):
                tree.states[nodes, word] = tree.states[index, word]
            tree.stubs[nodes] = end
            nodes += 1
        for word in range(size):
            heap[end + word] = heap[place + word]
        end += size
    tree.used[NODES] = nodes


@inner
def _enter_state(table: Any, states: Any, index: int) -> None:
    """Enter a node in the table of states, which does not know its state."""
    hash_ = hash_row(states[index])
    mask = len(table) - 1
    place = whole(hash_) & mask
    while table[place] != 0:
        place = (place + 1) & mask
    put_state(table, place, hash_, index)
