"""Records, which nodes get at their second visit, and paths from record to record."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.mcts.bits import below, random_word, whole
from neurogame.kernels.mcts.flight import BACK, LENGTH
from neurogame.kernels.mcts.layout import (
    CLOSED,
    COUNT,
    DECIDERS,
    ENDS,
    HEAP,
    INDEX,
    KNOWN,
    MOVE,
    NO_LINK,
    OWN_ENDS,
    RECORD,
    ROLE,
    SLOT_LINKS,
    SLOT_MOVES,
    STATUS,
    STUB,
    SUMS,
    TABLE,
    VALUES,
    VISITS,
    slot_start,
)
from neurogame.kernels.mcts.lookup import add_move, joint_key
from neurogame.kernels.mcts.stubs import counts_at, listed_move
from neurogame.kernels.native.compiled import compiled, inner
from neurogame.kernels.native.random import mixed
from neurogame.kernels.twin.random_words import G1

_G1 = np.uint64(G1)


@inner
def padded(count: int) -> int:
    """Return the length of an array of slots."""
    return (count + 7) & ~7


first_slot = inner(slot_start)


@compiled
def open_record(
    heap: Any,
    reals: Any,
    used: Any,
    roles: int,
    node: int,
    hinted: int,
    width: int,
    wide: int,
    seed: int,
) -> Any:
    """Give a node a record; return its place in the heap, 0 where there is no room.

    Args:
        heap: of the tree, as the following.
        reals: the same memory.
        used: counts.
        roles: of the game.
        node: one without a record that is not terminal.
        hinted: whether stubs have hints.
        width: arrays of slots.
        wide: whether a stub has one move to a word.
        seed: of the order of slots.
    """
    counts = counts_at(node, roles, hinted)
    deciders, slots = 0, 0
    for role in range(roles):
        count = whole(heap[counts + role])
        if count > 1:
            deciders += 1
            slots += padded(count)
    forced = deciders == 0
    if forced:
        deciders, slots = 1, 8
    record = (used[HEAP] + 7) & ~7
    size = first_slot(roles, deciders) + width * slots
    if record + size > len(heap):
        return 0
    used[HEAP] = record + size
    heap[record : record + size] = 0
    heap[record + VISITS] = heap[record + ENDS] = heap[node + OWN_ENDS]
    heap[record + STATUS] = deciders << DECIDERS
    heap[record + STUB] = node
    for role in range(roles):
        reals[record + SUMS + role] = reals[node + VALUES + role]
    choice, slot, number = record + SUMS + roles, record + first_slot(roles, deciders), 0
    for role in range(roles):
        count = whole(heap[counts + role])
        if count > 1 or (forced and role == 0):
            heap[choice] = (role << ROLE) | count
            choice += 2
            moves = slot + SLOT_MOVES * padded(count)
            for own in range(count):
                move = listed_move(heap, counts + roles, number + own, wide)
                heap[moves + own] = move << MOVE
            _shuffle(heap, moves, count, random_word(seed, heap[node + INDEX], role))
            if deciders == 1:
                links = slot + SLOT_LINKS * padded(count)
                heap[links : links + count] = NO_LINK
            slot += width * padded(count)
        number += count
    heap[node + RECORD], heap[node + TABLE] = record, 0
    return record


@inner
def _shuffle(heap: Any, first: int, count: int, word: Any) -> None:
    """Put the words from a place in an order that depends on a random word."""
    for last in range(count - 1, 0, -1):
        word += _G1
        other = first + below(mixed(word), last + 1)
        kept = heap[first + last]
        heap[first + last] = heap[other]
        heap[other] = kept


@inner
def linked(heap: Any, place: int) -> Any:
    """Return the child to which a link leads."""
    link = whole(heap[place])
    return whole(heap[link + STUB]) if link >= 0 else CLOSED - link


@inner
def is_on_path(heap: Any, sims: Any, paths: Any, sim: int, node: int) -> bool:
    """Return whether the path of a simulation leads through the node to which it has come.

    A node is younger than those on the path by which it was made, so that a way round leads
    somewhere to an older one; only then it is worth looking.
    """
    length = whole(sims[sim, LENGTH])
    if length == 0:
        return False
    if node <= heap[paths[length - 1, sim, 0] + STUB]:
        sims[sim, BACK] = 1
    if sims[sim, BACK] == 0:
        return False
    found = False
    for ply in range(length):
        found = found or heap[paths[ply, sim, 0] + STUB] == node
    return found


@inner
def read_moves(heap: Any, paths: Any, sim: int, ply: int, roles: int, width: int, out: Any) -> None:
    """Write the moves that deciding roles have chosen at a ply of a path.

    Args:
        heap: of the tree.
        paths: of the flight.
        sim: which simulation.
        ply: of its path.
        roles: of the game.
        width: arrays of slots.
        out: entries of the deciding roles are written; int32 ``[R]``.
    """
    record = whole(paths[ply, sim, 0])
    deciders = heap[record + STATUS] >> DECIDERS
    base, choice = record + first_slot(roles, deciders), record + SUMS + roles
    for decider in range(deciders):
        head = heap[choice]
        pad = padded(head & COUNT)
        word = heap[base + SLOT_MOVES * pad + paths[ply, sim, 1 + decider]]
        out[head >> ROLE] = (word & ~KNOWN) >> MOVE
        base += width * pad
        choice += 2


@inner
def chosen_key(heap: Any, paths: Any, sim: int, ply: int, roles: int, width: int) -> Any:
    """Return the key of the child by the joint move that was chosen at a ply of a path."""
    record = whole(paths[ply, sim, 0])
    deciders = heap[record + STATUS] >> DECIDERS
    base, choice = record + first_slot(roles, deciders), record + SUMS + roles
    joint = np.uint64(0)
    for decider in range(deciders):
        pad = padded(heap[choice] & COUNT)
        word = heap[base + SLOT_MOVES * pad + paths[ply, sim, 1 + decider]]
        joint = add_move(joint, (word & ~KNOWN) >> MOVE)
        base += width * pad
        choice += 2
    return joint_key(joint, heap[record + STUB])
