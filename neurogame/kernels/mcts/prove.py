"""Proved values: what a node is worth once enough of its children are known for sure.

A node where one role decides is proved when a proved child is the best that this role can get in
the whole game, or when all children are proved: it then has the values of the child that is best
for the role. Where several best children differ in what others get, no value is proved, as nobody
knows which one the role would take; and a single best child proves a node only where it leaves
nothing open: with one role, with two whose values sum to 1, and with more if the role takes all.

Until it is proved, simulations pass a node through children that are not. Where a proved child is
better for the deciding role than what a simulation has tried, by the mean of that move, the nodes
above are told the proved values: they are what the role can have.

A node where several roles decide at once is proved when all joint moves are and have the same
values; and, with two roles whose values sum to 1, when a role has a move that gets it the best of
the game whatever the other one does. Mixed strategies are not solved.

*Reference:* Winands, Björnsson and Saito, "Monte-Carlo tree search solver" (2008).
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
    INDEX,
    KNOWN,
    PARTED,
    PROOFS,
    PROVED,
    ROLE,
    SETTLED,
    SLOT_LINKS,
    SLOT_MOVES,
    SLOT_SUMS,
    STATUS,
    STUB,
    SUMS,
    VALUES,
)
from neurogame.kernels.mcts.lookup import find_joint
from neurogame.kernels.mcts.records import chosen_key, first_slot, linked, padded
from neurogame.kernels.mcts.tree import ALONE, WHOLE
from neurogame.kernels.native.compiled import inner

_ONE = np.float32(1)


@inner
def prove_by_child(tree: Any, options: Any, record: int, slot: int, child: int) -> Any:
    """Take note that a child has proved values, where one role decides.

    Args:
        tree: changed: the slot's mean becomes the child's value.
        options: of the search.
        record: of the node.
        slot: leads to the child; its visits are counted.
        child: node with proved values.

    Returns:
        Whether the node itself is proved.
    """
    heap, reals, roles = tree.heap, tree.reals, len(tree.best)
    head, tried = heap[record + SUMS + roles], heap[record + SUMS + roles + 1]
    role, count = head >> ROLE, whole(head & COUNT)
    base, pad = record + first_slot(roles, 1), padded(count)
    value, moves = reals[child + VALUES + role], base + SLOT_MOVES * pad
    if heap[record + STATUS] & PROVED or heap[moves + slot] & KNOWN:
        return heap[record + STATUS] & PROVED != 0
    heap[moves + slot] |= KNOWN
    heap[record + STATUS] |= PARTED
    reals[base + SLOT_SUMS * pad + slot] = value * np.float32(heap[base + slot])
    if value >= tree.best[role]:
        if options.early == ALONE or (options.early == WHOLE and value >= _ONE):
            _settle(tree, options, record, child)
            return True
        heap[record + STATUS] |= SETTLED
    if tried < count:
        return False
    for own in range(count):
        if heap[moves + own] & KNOWN == 0:
            return False
    best = _best_child(heap, reals, base + SLOT_LINKS * pad, count, role, roles)
    if best > 0:
        _settle(tree, options, record, best)
    return best > 0


@inner
def _best_child(heap: Any, reals: Any, links: int, count: int, role: int, roles: int) -> Any:
    """Return the proved child that is best for a role, 0 if several differ in other values."""
    best = linked(heap, links)
    for own in range(1, count):
        child = linked(heap, links + own)
        if reals[child + VALUES + role] > reals[best + VALUES + role]:
            best = child
    for own in range(count):
        child = linked(heap, links + own)
        if reals[child + VALUES + role] == reals[best + VALUES + role] and not _are_equal(
            reals, child, best, roles
        ):
            return 0
    return best


@inner
def _are_equal(reals: Any, one: int, other: int, roles: int) -> bool:
    """Return whether two nodes have the same values."""
    same = True
    for role in range(roles):
        same = same and reals[one + VALUES + role] == reals[other + VALUES + role]
    return same


@inner
def _settle(tree: Any, options: Any, record: int, child: int) -> None:
    """Give a node the proved values of its child."""
    node, roles = whole(tree.heap[record + STUB]), len(tree.best)
    tree.heap[record + STATUS] |= PROVED
    tree.heap[node + FLAGS] |= EXACT
    for role in range(roles):
        value = tree.reals[child + VALUES + role]
        tree.reals[node + VALUES + role] = value
        if options.hinted:
            tree.reals[node + VALUES + roles + role] = value
    tree.proofs[tree.used[PROOFS]] = tree.heap[node + INDEX]
    tree.used[PROOFS] += 1


@inner
def prove_by_joint(
    tree: Any, options: Any, paths: Any, sim: int, ply: int, record: int, child: int
) -> Any:
    """Take note that a child has proved values, where several roles decide.

    Args:
        tree: changed.
        options: of the search.
        paths: of the flight.
        sim: the simulation that has led to the child.
        ply: of its path.
        record: of the node.
        child: node with proved values.

    Returns:
        Whether the node itself is proved.
    """
    heap, reals, roles = tree.heap, tree.reals, len(tree.best)
    if heap[record + STATUS] & PROVED:
        return True
    entry = find_joint(tree.joints, chosen_key(heap, paths, sim, ply, roles, options.width))
    if entry < 0 or tree.joints[entry, 1] & 1:
        return False
    tree.joints[entry, 1] |= 1
    deciders, counts = heap[record + STATUS] >> DECIDERS, record + SUMS + roles
    seen, total = counts + 2 * deciders, 1.0
    same = seen + 1
    heap[seen] += 1
    if heap[seen] == 1:
        heap[same] = child
    elif heap[same] > 0 and not _are_equal(reals, whole(heap[same]), child, roles):
        heap[same] = 0
    for decider in range(deciders):
        total *= np.float64(heap[counts + 2 * decider] & COUNT)
    proved = heap[seen] == total and heap[same] > 0
    base = record + first_slot(roles, deciders)
    for decider in range(deciders):
        head = heap[counts + 2 * decider]
        role, count = head >> ROLE, whole(head & COUNT)
        if reals[child + VALUES + role] >= tree.best[role]:
            place = base + SLOT_LINKS * padded(count) + paths[ply, sim, 1 + decider]
            heap[place] += 1
            proved = proved or (options.opposed != 0 and heap[place] * np.float64(count) == total)
        base += options.width * padded(count)
    if proved:
        _settle(tree, options, record, child)
    return proved
