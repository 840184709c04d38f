"""All-moves-as-first values: what a move is worth that was made at any later ply.

*Reference:* Gelly and Silver, "Combining online and offline knowledge in UCT" (2007), RAVE;
Cazenave, "Generalized rapid action value estimation" (2015), GRAVE.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.mcts.bits import whole
from neurogame.kernels.mcts.flight import LANE, LENGTH, Total
from neurogame.kernels.mcts.layout import (
    COUNT,
    DECIDERS,
    KNOWN,
    MOVE,
    ROLE,
    SLOT_MOVES,
    STATUS,
    STUB,
    SUMS,
    TABLE,
    TABLES,
    VISITS,
)
from neurogame.kernels.mcts.records import first_slot, padded
from neurogame.kernels.mcts.search import search_at
from neurogame.kernels.mcts.tree import GRAVE
from neurogame.kernels.native.compiled import inner

_SIMULATIONS, _COUNT = int(Total.SIMULATIONS), int(Total.COUNT)


def learn_all_moves(address: int) -> None:
    """Add the results of a block of simulations to all moves that were made in them.

    A node counts the moves made from it on, its own included; a move made several times once.

    Args:
        address: of a search whose results are collected and whose playouts are recorded.
    """
    search = search_at(address)
    tree, options, flight, block = search.tree, search.options, search.flight, search.block
    roles = len(tree.best)
    for sim in range(flight.totals[_COUNT]):
        lane = whole(flight.sims[sim, LANE])
        stamp, found = flight.totals[_SIMULATIONS] + sim + 1, 0
        for ply in range(block.plies[lane]):
            for role in range(roles):
                found = _mark(flight, whole(block.made[lane, ply, role]), stamp, found)
        for ply in range(whole(flight.sims[sim, LENGTH]) - 1, -1, -1):
            for role in range(roles):
                found = _mark(flight, whole(block.path[lane, ply, role]), stamp, found)
            record = whole(flight.paths[ply, sim, 0])
            if options.kind == GRAVE:
                _learn_table(tree, options, flight, sim, record, found)
            else:
                _learn_slots(tree, options, flight, sim, record, stamp)


@inner
def _mark(flight: Any, move: int, stamp: int, found: int) -> int:
    """Note that a move was made; return how many different ones are noted."""
    if move >= 0 and flight.mark[move] != stamp:
        flight.mark[move] = stamp
        flight.scratch[found] = move
        found += 1
    return found


@inner
def _learn_slots(tree: Any, options: Any, flight: Any, sim: int, record: int, stamp: int) -> None:
    """Add a result to those slots of a record whose moves are marked."""
    heap, reals, roles = tree.heap, tree.reals, len(tree.best)
    deciders = whole(heap[record + STATUS]) >> DECIDERS
    base, choice = record + first_slot(roles, deciders), record + SUMS + roles
    for _ in range(deciders):
        role, count = heap[choice] >> ROLE, whole(heap[choice] & COUNT)
        pad = padded(count)
        for slot in range(base, base + count):
            move = (heap[slot + SLOT_MOVES * pad] & ~KNOWN) >> MOVE
            if flight.mark[move] == stamp:
                seen = slot + (options.width - 2) * pad
                reals[seen] += np.float32(1)
                reals[seen + pad] += flight.value[sim, role]
        base += options.width * pad
        choice += 2


@inner
def _learn_table(tree: Any, options: Any, flight: Any, sim: int, record: int, found: int) -> None:
    """Add a result to a node's table, which it gets at half the visits from which it is read."""
    node = whole(tree.heap[record + STUB])
    table = whole(tree.heap[node + TABLE])
    if table == 0:
        visits = whole(tree.heap[record + VISITS]) + 1
        if 2 * visits < options.ref and flight.paths[0, sim, 0] != record:
            return
        table = tree.used[TABLES] + 1
        if table >= len(tree.worth):
            return
        tree.used[TABLES] = table
        tree.heap[node + TABLE] = table
        tree.worth[table] = np.float32(0)
    for number in range(found):
        move = flight.scratch[number]
        tree.worth[table, move, 0] += np.float32(1)
        tree.worth[table, move, 1] += flight.value[sim, tree.owner[move]]
