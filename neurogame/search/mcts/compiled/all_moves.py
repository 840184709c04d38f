"""All-moves-as-first values: what a move is worth that was made at any later ply.

*Reference:* Gelly and Silver, "Combining online and offline knowledge in UCT" (2007), RAVE;
Cazenave, "Generalized rapid action value estimation" (2015), GRAVE.
"""

from __future__ import annotations

import numpy as np

from neurogame.native.bits import lowest_bit, whole
from neurogame.native.compiled import inner
from neurogame.search.mcts.compiled.search import (
    GRAVE,
    Search,
    Simulation,
    Simulations,
    simulation_of,
)
from neurogame.search.mcts.compiled.tree import (
    COUNT,
    ROLE,
    decider_of,
    deciders_of,
    edges_of,
    move_of,
    node_at,
    record_at,
)

_ONE, _HALF = np.float32(1), np.float32(0.5)
_LAST = np.uint64(1)
_MANY = np.float32(1 << 23)
"""Results from which both sums are halved, which keeps the mean: one more would soon be below their
precision."""


def learn_all_moves(search: Search) -> None:
    """Add the results of a block of simulations to all moves that were made in them.

    A node counts the moves made from it on, its own included; a move made several times once.

    Args:
        search: its results are collected and its playouts are recorded.
    """
    sims, block, grave = search.sims, search.block, search.options.kind == GRAVE
    roles, before, count = len(search.tree.best), search.totals.simulations, sims.count
    for number in range(count):
        sim, stamp, size = simulation_of(sims, number), before + number + 1, 0
        leaf = sim.leaf
        for place in range(block.played.shape[1]):
            bits = block.played[leaf, place]
            while bits:
                size = _mark(sims, 64 * place + lowest_bit(bits), stamp, size)
                bits &= bits - _LAST
        for ply in range(block.plies[leaf]):
            for role in range(roles):
                size = _mark(sims, whole(block.made[leaf, ply, role]), stamp, size)
        for ply in range(sim.length - 1, -1, -1):
            for role in range(roles):
                size = _mark(sims, whole(block.path[leaf, ply, role]), stamp, size)
            record = whole(sims.paths[ply, number, 0])
            if grave:
                _learn_table(search, sim, record, size)
            else:
                _learn_edges(search, sim, record, stamp)


@inner
def _mark(sims: Simulations, move: int, stamp: int, size: int) -> int:
    """Note that a move was made; return how many different ones are noted."""
    if move >= 0 and sims.mark[move] != stamp:
        sims.mark[move] = stamp
        sims.scratch[size] = move
        size += 1
    return size


@inner
def _learn_edges(search: Search, sim: Simulation, record: int, stamp: int) -> None:
    """Add a result to those edges of a record whose moves are marked."""
    tree, mark, seen = search.tree, search.sims.mark, search.tree.seen
    deciders = deciders_of(tree, record)
    for number in range(deciders):
        head, edges = (
            decider_of(tree, record, number).head,
            edges_of(tree, record, deciders, number),
        )
        moves, extra = edges.moves, edges.extra
        result = search.sims.results[sim.number, head >> ROLE]
        for edge in range(head & COUNT):
            if mark[move_of(moves[edge])] == stamp:
                if extra[seen, edge] >= _MANY:
                    extra[seen, edge] *= _HALF
                    extra[seen + 1, edge] *= _HALF
                extra[seen, edge] += _ONE
                extra[seen + 1, edge] += result


@inner
def _learn_table(search: Search, sim: Simulation, record: int, size: int) -> None:
    """Add a result to a node's table, which it gets at half the visits from which it is read."""
    tree, sims, header = search.tree, search.sims, record_at(search.tree.heap, record)
    node, worth = node_at(tree.heap, header.node), tree.worth
    table = node.ends
    if table == 0:
        first = sims.paths[0, sim.number, 0] == record
        if 2 * (header.visits + 1) < search.options.numbers.ref and not first:
            return
        table = tree.table_count + 1
        if table >= len(worth):
            return
        tree.table_count = node.ends = table
        for move in range(worth.shape[1]):
            worth[table, move, 0] = worth[table, move, 1] = 0
    for place in range(size):
        move = whole(sims.scratch[place])
        if worth[table, move, 0] >= _MANY:
            worth[table, move, 0] *= _HALF
            worth[table, move, 1] *= _HALF
        worth[table, move, 0] += _ONE
        worth[table, move, 1] += sims.results[sim.number, tree.owner[move]]
