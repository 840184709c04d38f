"""Which leaves the next simulations need: these are made in advance, and undone.

What comes back from a leaf that waits is known. From another one it is guessed: its parent's mean
as often as known results are draws, else a win or a loss, as likely as that mean says, so that what
follows a lucky result is prepared as well as what follows an unlucky one. Guesses decide what is
played ahead, and nothing else.
"""

from __future__ import annotations

import numpy as np

from neurogame.native.bits import whole
from neurogame.native.compiled import inner
from neurogame.native.random import fraction
from neurogame.search.mcts.compiled.ahead import row_of
from neurogame.search.mcts.compiled.backup import add_edges, add_results, result_of
from neurogame.search.mcts.compiled.expand import set_out
from neurogame.search.mcts.compiled.nodes import chosen_key
from neurogame.search.mcts.compiled.search import OVER, STEP, Search, Simulation, simulation_of
from neurogame.search.mcts.compiled.tree import (
    DECIDERS,
    PENDING,
    decider_of,
    edges_of,
    record_at,
    sums_of,
)

_ZERO, _HALF, _ONE = np.float32(0), np.float32(0.5), np.float32(1)


@inner
def gather_next(search: Search) -> None:
    """Add leaves that the next simulations may need to the block of one that needs its leaf.

    Args:
        search: whose tree has their results in it until they are taken back.
    """
    tree, sims, ahead = search.tree, search.sims, search.ahead
    waiting, leaves, number = ahead.count, 1, 1
    while leaves < ahead.leaves and number < len(sims.active):
        sims.first, sims.count = number, number + 1
        search.parts.descend(search)
        sim, row = simulation_of(sims, number), -1
        if sim.end == STEP:
            row = row_of(ahead, chosen_key(tree, sims, sim, sim.length - 1))
            if row == waiting + leaves - 1:
                sim.leaf = leaves
                set_out(search, sim)
                leaves += 1
        _expect(search, sim, row if row < waiting else -1)
        _add(search, sim)
        number += 1
    sims.count, sims.leaves = number, leaves


@inner
def _expect(search: Search, sim: Simulation, row: int) -> None:
    """Write what a simulation brings back: that of the leaf in a row, -1 for a guess."""
    tree, sims, ahead, roles = search.tree, search.sims, search.ahead, len(search.tree.best)
    result = sims.results[sim.number]
    if row >= 0 or sim.end == OVER:
        for role in range(roles):
            result[role] = result_of(tree, sim, ahead.block, row, role)
        ahead.known += 1
        ahead.drawn += _ZERO < result[0] < _ONE
        return
    record = whole(sims.paths[sim.length - 1, sim.number, 0])
    visits, sums = record_at(tree.heap, record).visits, sums_of(tree, record).sums
    # One draw for all roles, and its opposite for all but the first: of two opponents one wins.
    number = search.totals.blocks + sim.number
    draw, is_drawn = np.float32(fraction(number)), fraction(~number) * ahead.known < ahead.drawn
    for role in range(roles):
        mean = sums[role] / np.float32(visits) if visits > 0 else _HALF
        won = _ONE if (draw if role == 0 else _ONE - draw) < mean else _ZERO
        result[role] = mean if is_drawn else won


@inner
def _add(search: Search, sim: Simulation) -> None:
    """Add the result of a simulation to its path, and note the sums that were there before."""
    tree, paths, number = search.tree, search.sims.paths, sim.number
    result, roles, node = search.sims.results[number], len(tree.best), sim.node
    for ply in range(sim.length - 1, -1, -1):
        record, before = whole(paths[ply, number, 0]), search.ahead.sums[ply, number]
        header, sums = record_at(tree.heap, record), sums_of(tree, record).sums
        deciders = header.status >> DECIDERS
        for role in range(roles):
            before[role] = sums[role]
        for decider in range(deciders):
            edge = whole(paths[ply, number, 1 + decider])
            before[roles + decider] = edges_of(tree, record, deciders, decider).sums[edge]
        add_edges(search, sim, result, ply, record, deciders, node)
        header.status -= 1
        header.visits += 1
        add_results(tree, result, record)
        node = header.node


@inner
def take_back(search: Search) -> None:
    """Take back all simulations of a block but the first one.

    Records that they made stay; else the tree is as it was, but for the order of edges that were
    not tried where all-moves-as-first has chosen one: of those with equal values another one comes
    first then.
    """
    tree, sims = search.tree, search.sims
    paths, roles = sims.paths, len(tree.best)
    for number in range(sims.count - 1, 0, -1):
        for ply in range(simulation_of(sims, number).length):
            record, before = whole(paths[ply, number, 0]), search.ahead.sums[ply, number]
            header, sums = record_at(tree.heap, record), sums_of(tree, record).sums
            header.visits -= 1
            for role in range(roles):
                sums[role] = before[role]
            deciders = header.status >> DECIDERS
            for decider in range(deciders):
                edges = edges_of(tree, record, deciders, decider)
                edge = whole(paths[ply, number, 1 + decider])
                edges.visits[edge] -= 1
                edges.sums[edge] = before[roles + decider]
                if edges.visits[edge] == 0 and edges.moves[edge] & PENDING == 0:
                    decider_of(tree, record, decider).tried -= 1
