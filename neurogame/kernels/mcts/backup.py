"""The way up: results are added to every record of a path, and proofs are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.mcts.bits import fraction, whole
from neurogame.kernels.mcts.flight import END, LANE, LENGTH, NODE, OVER, Total
from neurogame.kernels.mcts.layout import (
    COUNT,
    DECIDERS,
    ENDS,
    EXACT,
    FLAGS,
    KNOWN,
    NO_LINK,
    OWN_ENDS,
    PARTED,
    RECORD,
    ROLE,
    SLOT_EXTRA,
    SLOT_LINKS,
    SLOT_MOVES,
    SLOT_SUMS,
    STATUS,
    STUB,
    SUMS,
    VALUES,
    VISITS,
)
from neurogame.kernels.mcts.prove import prove_by_child, prove_by_joint
from neurogame.kernels.mcts.records import first_slot, linked, padded
from neurogame.kernels.mcts.search import search_at
from neurogame.kernels.mcts.select import best_known
from neurogame.kernels.native.compiled import inner

_COUNT, _LONGEST, _PLIES = int(Total.COUNT), int(Total.LONGEST), int(Total.PLIES)
_ZERO, _ONE = np.float32(0), np.float32(1)
_MANY = 1 << 21
"""Visits from which sums are rounded at random: one more result may be below their precision."""


def collect(address: int) -> None:
    """Write what each simulation of a block brings back, into the block too.

    Args:
        address: of a search whose leaves have been played on.
    """
    search = search_at(address)
    reals, block, sims = search.tree.reals, search.block, search.flight.sims
    value, roles = search.flight.value, len(search.tree.best)
    for sim in range(search.flight.totals[_COUNT]):
        lane, node = whole(sims[sim, LANE]), whole(sims[sim, NODE])
        for role in range(roles):
            if sims[sim, END] == OVER:
                found = reals[node + VALUES + role]
            elif block.terminal[lane]:
                found = block.goals[lane, role]
            else:
                found = block.values[lane, role]
            # Scores must not be negative, nor anything else than numbers.
            value[sim, role] = min(found, _ONE) if found >= _ZERO else _ZERO
            block.values[lane, role] = value[sim, role]
        if sims[sim, END] == OVER:
            block.plies[lane] = 0


def back_up(address: int) -> None:
    """Add the results of a block of simulations to the tree.

    Args:
        address: of a search whose results are collected.
    """
    search = search_at(address)
    tree, options, flight = search.tree, search.options, search.flight
    heap, totals = tree.heap, flight.totals
    for sim in range(totals[_COUNT]):
        length, node = whole(flight.sims[sim, LENGTH]), whole(flight.sims[sim, NODE])
        totals[_LONGEST] = max(totals[_LONGEST], length)
        totals[_PLIES] += length
        known = _end(tree, flight.value, sim, node)
        for ply in range(length - 1, -1, -1):
            record = whole(flight.paths[ply, sim, 0])
            deciders = whole(heap[record + STATUS]) >> DECIDERS
            if options.blend and node > 0 and not known and deciders == 1:
                slot = record + first_slot(len(tree.best), 1) + flight.paths[ply, sim, 1]
                _blend(tree, flight.value, sim, node, whole(heap[slot]) + 1)
            _add_slots(tree, options, flight, sim, ply, record, deciders, node)
            heap[record + VISITS] += 1
            heap[record + STATUS] -= 1
            if heap[record + STATUS] & PARTED and not known:
                _prefer_known(tree, flight.value, sim, record, flight.paths[ply, sim, 1])
            _add_values(tree, flight.value, sim, record)
            if known and options.solver:
                if deciders == 1:
                    slot = whole(flight.paths[ply, sim, 1])
                    known = prove_by_child(tree, options, record, slot, node)
                else:
                    known = prove_by_joint(tree, options, flight.paths, sim, ply, record, node)
            else:
                known = False
            node = whole(heap[record + STUB])


@inner
def _end(tree: Any, value: Any, sim: int, node: int) -> bool:
    """Count a result in the node where the path ends; return whether its values are proved."""
    heap, reals = tree.heap, tree.reals
    if node == 0 or heap[node + FLAGS] & EXACT:
        return node > 0
    record = whole(heap[node + RECORD])
    if record > 0:
        heap[record + VISITS] += 1
        heap[record + ENDS] += 1
        _add_values(tree, value, sim, record)
    else:
        heap[node + OWN_ENDS] += 1
        for role in range(len(tree.best)):
            reals[node + VALUES + role] += value[sim, role]
    return False


@inner
def _add_values(tree: Any, value: Any, sim: int, record: int) -> None:
    """Add a result to the sums of a record."""
    visits = whole(tree.heap[record + VISITS])
    for role in range(len(tree.best)):
        _add(tree.reals, record + SUMS + role, value[sim, role], visits)


@inner
def _add(reals: Any, place: int, value: Any, visits: int) -> None:
    """Add a number to a sum, on average exactly."""
    total = reals[place]
    if visits < _MANY:
        reals[place] = total + value
    else:
        unit = np.float64(np.spacing(total))
        wanted = np.float64(total) + np.float64(value)
        reals[place] = np.float32(wanted + (fraction(visits) - 0.5) * unit)


@inner
def _add_slots(
    tree: Any, options: Any, flight: Any, sim: int, ply: int, record: int, deciders: int, node: int
) -> None:
    """Add a result to the slots that were chosen at a ply of a path.

    Args:
        tree: changed.
        options: of the search.
        flight: paths and values.
        sim: which simulation.
        ply: of its path.
        record: at this ply.
        deciders: number of roles that decide there.
        node: the child, 0 if it is not in the tree.
    """
    heap, reals, roles = tree.heap, tree.reals, len(tree.best)
    choice, base = record + SUMS + roles, record + first_slot(roles, deciders)
    for decider in range(deciders):
        head = whole(heap[choice])
        role, pad = head >> ROLE, padded(head & COUNT)
        slot = base + flight.paths[ply, sim, 1 + decider]
        visits = whole(heap[slot]) + 1
        heap[slot] = visits
        word = heap[slot + SLOT_MOVES * pad] - 1
        heap[slot + SLOT_MOVES * pad] = word
        if word & KNOWN:
            exact = reals[node + VALUES + role] * np.float32(visits)
            reals[slot + SLOT_SUMS * pad] = exact
        else:
            _add(reals, slot + SLOT_SUMS * pad, flight.value[sim, role], visits)
        if options.hinted and node > 0:
            hint = reals[node + VALUES + roles + role]
            extra = slot + SLOT_EXTRA * pad
            if deciders == 1:
                reals[extra] = hint
                if options.minimax > 0:
                    _best_hint(tree, record, base, pad, slot)
            else:
                reals[extra] += (hint - reals[extra]) / np.float32(visits)
        base += options.width * pad
        choice += 2


@inner
def _prefer_known(tree: Any, value: Any, sim: int, record: int, slot: int) -> None:
    """Replace a result by a proved child's values, if these are better than the move's mean."""
    heap, reals, roles = tree.heap, tree.reals, len(tree.best)
    head, tried = heap[record + SUMS + roles], whole(heap[record + SUMS + roles + 1])
    role, pad, base = head >> ROLE, padded(whole(head & COUNT)), record + first_slot(roles, 1)
    child = linked(heap, base + SLOT_LINKS * pad + best_known(heap, reals, base, pad, tried))
    mean = reals[base + SLOT_SUMS * pad + slot] / np.float32(heap[base + slot])
    if reals[child + VALUES + role] > mean:
        for own in range(roles):
            value[sim, own] = reals[child + VALUES + own]


@inner
def _blend(tree: Any, value: Any, sim: int, node: int, visits: int) -> None:
    """Mix a result with the mean of a child that other paths have visited too.

    ``v <- (v n + Q (N - n)) / N`` for ``n`` visits of the edge and ``N`` of the child.
    """
    heap, reals = tree.heap, tree.reals
    record = whole(heap[node + RECORD])
    total = whole(heap[record + VISITS] if record > 0 else heap[node + OWN_ENDS])
    sums = record + SUMS if record > 0 else node + VALUES
    if total > visits:
        share = np.float32(visits) / np.float32(total)
        for role in range(len(tree.best)):
            mean = reals[sums + role] / np.float32(total)
            value[sim, role] = mean + share * (value[sim, role] - mean)


@inner
def _best_hint(tree: Any, record: int, base: int, pad: int, slot: int) -> None:
    """Give a node the hints of the child that is best by the hints of the slots."""
    heap, reals, roles = tree.heap, tree.reals, len(tree.best)
    tried, best = whole(heap[record + SUMS + roles + 1]), slot
    for other in range(base, base + tried):
        own = reals[other + SLOT_EXTRA * pad]
        linked_ = heap[other + SLOT_LINKS * pad] != NO_LINK
        if linked_ and heap[other] > 0 and own > reals[best + SLOT_EXTRA * pad]:
            best = other
    child = linked(heap, best + SLOT_LINKS * pad) + VALUES + roles
    hints = whole(heap[record + STUB]) + VALUES + roles
    for role in range(roles):
        reals[hints + role] = reals[child + role]
