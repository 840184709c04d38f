"""The way down: a block of simulations, level by level.

All simulations of a block take one step before any takes its next one, so that the memory of the
next nodes can be asked for long before it is read, and a judge asked for the priors of many nodes
at once. A node sees its visitors in the same order as if they came one after the other, with those
before them still on their way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.mcts.bits import prefetch, whole
from neurogame.kernels.mcts.flight import (
    ACTIVE,
    AGAIN,
    BACK,
    END,
    HERE,
    LENGTH,
    LINK,
    LOGARITHMS,
    NODE,
    OVER,
    PLACE,
    REFERENCE,
    STEP,
    Total,
)
from neurogame.kernels.mcts.layout import (
    CLOSED,
    COUNT,
    DECIDERS,
    ENDS,
    EXACT,
    FLAGS,
    JUDGED,
    KNOWN,
    MOVE,
    NO_LINK,
    PENDING,
    PROVED,
    RECORD,
    ROLE,
    ROOT,
    SETTLED,
    SLOT_MOVES,
    STATUS,
    STUB,
    SUMS,
    TABLE,
    VISITS,
)
from neurogame.kernels.mcts.lookup import add_move, find_joint, joint_child, joint_key
from neurogame.kernels.mcts.records import first_slot, is_on_path, open_record, padded
from neurogame.kernels.mcts.search import search_at
from neurogame.kernels.mcts.select import (
    best_judged,
    best_known,
    best_mixed,
    best_tried,
    exchange_slots,
    first_value,
    is_better,
    slot_of,
    trust_at,
)
from neurogame.kernels.mcts.tree import FIRST, GRAVE, NUMBER, UCT
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.compiled import inner

_COUNT = int(Total.COUNT)
_HALF = np.float32(0.5)
_LINE = 64
"""Bytes of a cache line."""
_AHEAD = 4
"""Cache lines of a record that are asked for."""


def descend(address: int) -> None:
    """Lead the simulations of a block from the root to the ends of their paths.

    Args:
        address: of a search; its root has a record and no proved values.
    """
    search = search_at(address)
    tree, options, sims = search.tree, search.options, search.flight.sims
    paths, logarithm = search.flight.paths, search.flight.logarithm
    judging, left = search.judging, search.flight.totals[_COUNT]
    root = whole(tree.heap[tree.used[ROOT] + RECORD])
    table = tree.heap[tree.used[ROOT] + TABLE] if options.kind == GRAVE else 0
    for sim in range(left):
        sims[sim, ACTIVE], sims[sim, LINK], sims[sim, PLACE] = sim, root, 0
        sims[sim, LENGTH], sims[sim, REFERENCE], sims[sim, BACK] = 0, table, 0
    while left > 0:
        going, left = left, 0
        for order in range(going):
            sim = whole(sims[order, ACTIVE])
            record = _enter(tree, options, sims, paths, sim)
            sims[sim, HERE] = record
            if record > 0 and options.prior:
                _ask(tree.heap, options, judging.queue, record, whole(sims[sim, LENGTH]))
        if judging.queue[0] > 0:
            call_address(judging.function[0], address)
        for order in range(going):
            sim = whole(sims[order, ACTIVE])
            record = whole(sims[sim, HERE])
            if record > 0 and _leave(tree, options, sims, paths, logarithm, sim, record):
                sims[left, ACTIVE] = sim
                left += 1


@inner
def _enter(tree: Any, options: Any, sims: Any, paths: Any, sim: int) -> Any:
    """Return the record of the node that a simulation has come to, 0 if its path ends there."""
    heap, roles = tree.heap, len(tree.best)
    link, length = whole(sims[sim, LINK]), whole(sims[sim, LENGTH])
    if link >= 0:
        record, node = link, whole(heap[link + STUB])
        over = heap[record + STATUS] & PROVED
    else:
        node = CLOSED - link
        record, over = whole(heap[node + RECORD]), heap[node + FLAGS] & EXACT
    sims[sim, NODE] = node
    if over:
        sims[sim, END] = OVER
        return 0
    if length == options.depth or is_on_path(heap, sims, paths, sim, node):
        sims[sim, END], sims[sim, NODE] = AGAIN, 0
        return 0
    if record == 0:
        record = open_record(
            heap,
            tree.reals,
            tree.used,
            roles,
            node,
            options.hinted,
            options.width,
            options.wide,
            options.seed,
        )
    if record == 0:
        sims[sim, END] = AGAIN
    elif link < 0 and sims[sim, PLACE] > 0:
        heap[sims[sim, PLACE]] = record
    return record


@inner
def _ask(heap: Any, options: Any, queue: Any, record: int, length: int) -> None:
    """Have a judge asked for a record's priors, once it is ripe; a root always is."""
    status = whole(heap[record + STATUS])
    begun = heap[record + VISITS] + (status & PENDING)
    if status & JUDGED == 0 and (begun >= options.ripe or length == 0):
        heap[record + STATUS] = status | JUDGED
        queue[0] += 1
        queue[queue[0]] = record


@inner
def _leave(
    tree: Any, options: Any, sims: Any, paths: Any, logarithm: Any, sim: int, record: int
) -> bool:
    """Choose a joint move; return whether it leads to a node, which is asked for."""
    heap, roles = tree.heap, len(tree.best)
    status, visits = whole(heap[record + STATUS]), whole(heap[record + VISITS])
    below = visits - heap[record + ENDS] + (status & PENDING)
    heap[record + STATUS] = status + 1
    length, deciders = whole(sims[sim, LENGTH]), status >> DECIDERS
    paths[length, sim, 0] = record
    sims[sim, LENGTH] = length + 1
    log = logarithm[below] if below < LOGARITHMS else np.sqrt(np.log(np.float32(below)))
    spread, trust = np.float32(options.exploration) * log, np.float32(0)
    table = 0
    if options.kind != UCT or options.prior:
        trust = trust_at(below, options.k)
    if options.kind != UCT:
        table = _reference(heap, options, sims, sim, record, visits)
    base, choice = record + first_slot(roles, deciders), record + SUMS + roles
    joint, place = np.uint64(0), 0
    for decider in range(deciders):
        slot = _choose(tree, options, record, choice, base, spread, trust, table)
        paths[length, sim, 1 + decider] = slot
        pad = padded(whole(heap[choice] & COUNT))
        place = base + SLOT_MOVES * pad + slot
        joint = add_move(joint, (heap[place] & ~KNOWN) >> MOVE)
        heap[place] += 1
        place += pad
        choice += 2
        base += options.width * pad
    if deciders > 1:
        place, entry = 0, find_joint(tree.joints, joint_key(joint, heap[record + STUB]))
        link = CLOSED - joint_child(tree.joints, entry) if entry >= 0 else NO_LINK
    else:
        link = whole(heap[place])
    sims[sim, LINK], sims[sim, PLACE] = link, place
    if link == NO_LINK:
        sims[sim, END], sims[sim, NODE] = STEP, 0
        return False
    next_one = link if link >= 0 else CLOSED - link
    for line in range(_AHEAD):
        prefetch(heap.ctypes.data + 4 * next_one + _LINE * line)
    return True


@inner
def _reference(heap: Any, options: Any, sims: Any, sim: int, record: int, visits: int) -> Any:
    """Return the table that GRAVE reads here: that of the nearest node with enough visits."""
    if options.kind != GRAVE:
        return 0
    table = heap[heap[record + STUB] + TABLE]
    if visits >= options.ref and table > 0:
        sims[sim, REFERENCE] = table
    return whole(sims[sim, REFERENCE])


@inner
def _choose(
    tree: Any,
    options: Any,
    record: int,
    choice: int,
    base: int,
    spread: Any,
    trust: Any,
    table: int,
) -> Any:
    """Return the slot that a deciding role chooses; its first choice puts it behind the tried."""
    heap, reals = tree.heap, tree.reals
    own, tried = whole(heap[choice] & COUNT), whole(heap[choice + 1])
    pad, plain = padded(own), options.kind == UCT and options.hinted == 0
    judged = heap[record + STATUS] & JUDGED != 0
    if heap[record + STATUS] & SETTLED:
        return best_known(heap, reals, base, pad, tried)
    if plain and options.urgency == FIRST and tried < own and not judged:
        heap[choice + 1] = tried + 1
        return tried
    visits, role = heap[record + VISITS], heap[choice] >> ROLE
    mean = reals[record + SUMS + role] / np.float32(visits) if visits > 0 else _HALF
    urgent = np.float32(options.urgent) if options.urgency == NUMBER else mean
    if plain:
        if judged:
            key = best_judged(heap, base, pad, tried, spread, mean, options, trust)
            if tried < own:
                urgent = first_value(reals, base, pad, tried, urgent, options, trust)
        else:
            key = best_tried(heap, base, pad, tried, spread, mean, options.loss)
        slot = slot_of(key) if key >= 0 else -1
        if tried < own and not is_better(key, urgent + spread):
            slot = tried
    else:
        slot = best_mixed(
            heap,
            reals,
            base,
            pad,
            own,
            tried,
            spread,
            mean,
            urgent,
            options,
            trust,
            tree.worth,
            table,
            judged,
        )
    if slot < 0:
        return best_known(heap, reals, base, pad, tried)
    if slot >= tried:
        exchange_slots(heap, base, pad, options.width, slot, tried)
        heap[choice + 1] = tried + 1
        slot = tried
    return slot
