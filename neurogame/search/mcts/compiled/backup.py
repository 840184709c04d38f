"""The way up: results are added to every record of a path, and proofs are drawn."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s1
from neurogame.kernels.leaves.block import Block
from neurogame.native.arrays import rows
from neurogame.native.bits import whole
from neurogame.native.compiled import inner
from neurogame.native.random import fraction
from neurogame.search.mcts.compiled.chance import average_hints
from neurogame.search.mcts.compiled.distance import narrow
from neurogame.search.mcts.compiled.prove import prove_by_child, prove_by_joint
from neurogame.search.mcts.compiled.search import OVER, Search, Simulation, simulation_of
from neurogame.search.mcts.compiled.select import best_known
from neurogame.search.mcts.compiled.ties import count_tied
from neurogame.search.mcts.compiled.tree import (
    DECIDERS,
    EXACT,
    HINTS,
    KNOWN,
    NO_LINK,
    PARTED,
    PROVED,
    ROLE,
    SUMS,
    VALUES,
    Edges,
    Tree,
    decider_of,
    edges_of,
    linked,
    node_at,
    record_at,
    results_of,
    sums_of,
    visits_of,
)

_ZERO, _ONE = np.float32(0), np.float32(1)
_MANY = 1 << 21
"""Visits from which sums are rounded at random: one more result may be below their precision."""


def collect(search: Search) -> None:
    """Write what each simulation of a block brings back, into the block too.

    Args:
        search: its leaves have been played on.
    """
    tree, block, sims = search.tree, search.block, search.sims
    results = sims.results
    for number in range(sims.count):
        sim = simulation_of(sims, number)
        leaf = sim.leaf
        for role in range(len(tree.best)):
            results[number, role] = result_of(tree, sim, block, leaf, role)
        # Where nobody was played on, the block still has the plies of those before.
        if sim.end == OVER or block.terminal[leaf]:
            block.plies[leaf] = 0
            for place in range(block.played.shape[1]):
                block.played[leaf, place] = 0
        for role in range(len(tree.best)):
            block.values[leaf, role] = results[number, role]


@inner
def result_of(tree: Tree, sim: Simulation, block: Block, leaf: int, role: int) -> np.float32:
    """Return what a simulation brings back to a role: of its end, or of a leaf of a block."""
    if role == tree.chance:
        value = _ZERO
    elif sim.end == OVER:
        value = results_of(tree, sim.node).values[role]
    elif block.terminal[leaf]:
        value = block.goals[leaf, role]
    else:
        value = block.values[leaf, role]
    # Scores must not be negative, nor anything else than numbers.
    return min(value, _ONE) if value >= _ZERO else _ZERO


def back_up(search: Search) -> None:
    """Add the results of a block of simulations to the tree.

    Args:
        search: its results are collected.
    """
    tree, sims, totals = search.tree, search.sims, search.totals
    heap, paths, count = tree.heap, sims.paths, sims.count
    blend, solver = search.options.blend != 0, search.options.numbers.solver != 0
    winner = search.winner
    for number in range(count):
        sim, result = simulation_of(sims, number), sims.results[number]
        length, node = sim.length, sim.node
        if search.ties:
            if length > 0:
                count_tied(search, sim, result)
            continue
        totals.longest = max(totals.longest, length)
        totals.plies += length
        known = _end(tree, result, node)
        for ply in range(length - 1, -1, -1):
            record = whole(paths[ply, number, 0])
            edge, header = whole(paths[ply, number, 1]), record_at(heap, record)
            deciders = header.status >> DECIDERS
            if blend and node > 0 and not known and deciders == 1:
                _blend(tree, result, node, edges_of(tree, record, 1, 0).visits[edge] + 1)
            add_edges(search, sim, result, ply, record, deciders, node)
            header.status -= 1
            # What a proved node was worth before its proof is kept.
            settled = winner >= 0 and header.status & PROVED != 0
            if not settled:
                header.visits += 1
                if header.status & PARTED and not known:
                    _prefer_known(tree, result, record, edge)
                add_results(tree, result, record)
            if known and solver:
                if deciders == 1:
                    known = prove_by_child(search, record, edge, node)
                else:
                    known = prove_by_joint(search, sim, ply, record, node)
            else:
                known = settled
            if winner >= 0:
                narrow(tree, record, winner)
            node = header.node


@inner
def _end(tree: Tree, result: Float32s1, node: int) -> bool:
    """Count a result in the node where the path ends; return whether its values are proved."""
    if node == 0:
        return False
    header = node_at(tree.heap, node)
    if header.flags & EXACT:
        return True
    if header.record > 0:
        record = record_at(tree.heap, header.record)
        record.visits += 1
        record.ends += 1
        add_results(tree, result, header.record)
    else:
        header.ends += 1
        values = results_of(tree, node).values
        for role in range(len(tree.best)):
            values[role] += result[role]
    return False


@inner
def add_results(tree: Tree, result: Float32s1, record: int) -> None:
    """Add a result to the sums of a record, whose visits are counted."""
    visits, sums = record_at(tree.heap, record).visits, sums_of(tree, record).sums
    for role in range(len(tree.best)):
        _add(sums, role, result[role], visits)


@inner
def _add(sums: Float32s1, place: int, value: np.float32, visits: int) -> None:
    """Add a number to a sum, on average exactly."""
    total = sums[place]
    if visits < _MANY:
        sums[place] = total + value
    else:
        unit = np.float64(np.spacing(total))
        wanted = np.float64(total) + np.float64(value)
        sums[place] = np.float32(wanted + (fraction(visits) - 0.5) * unit)


@inner
def add_edges(
    search: Search,
    sim: Simulation,
    result: Float32s1,
    ply: int,
    record: int,
    deciders: int,
    node: int,
) -> None:
    """Add a result to the edges that were chosen at a ply of a path.

    Args:
        search: its tree is changed.
        sim: the simulation.
        result: of it; ``[R]``.
        ply: of its path.
        record: at this ply.
        deciders: number of roles that decide there.
        node: the child, 0 if it is not in the tree.
    """
    tree, minimax = search.tree, search.options.numbers.minimax > 0
    for number in range(deciders):
        role = decider_of(tree, record, number).head >> ROLE
        edges = edges_of(tree, record, deciders, number)
        edge = whole(search.sims.paths[ply, sim.number, 1 + number])
        visits, word = whole(edges.visits[edge]) + 1, edges.moves[edge] - 1
        edges.visits[edge], edges.moves[edge] = visits, word
        if word & KNOWN:
            edges.sums[edge] = results_of(tree, node).values[role] * np.float32(visits)
        else:
            _add(edges.sums, edge, result[role], visits)
        if tree.hinted and node > 0:
            hint, hints = results_of(tree, node).hints[role], edges.extra
            if deciders == 1:
                hints[HINTS, edge] = hint
                if minimax and role == tree.chance:
                    average_hints(tree, record)
                elif minimax:
                    _best_hint(tree, record, edges, edge)
            else:
                hints[HINTS, edge] += (hint - hints[HINTS, edge]) / np.float32(visits)


@inner
def _prefer_known(tree: Tree, result: Float32s1, record: int, edge: int) -> None:
    """Replace a result by a proved child's values, if these are better than the move's mean."""
    decider, edges = decider_of(tree, record, 0), edges_of(tree, record, 1, 0)
    child = linked(tree, edges.links[best_known(edges, decider.tried)])
    values, role = results_of(tree, child).values, decider.head >> ROLE
    if values[role] > edges.sums[edge] / np.float32(edges.visits[edge]):
        for other in range(len(tree.best)):
            result[other] = values[other]


@inner
def _blend(tree: Tree, result: Float32s1, node: int, visits: int) -> None:
    """Mix a result with the mean of a child that other paths have visited too.

    ``v <- (v n + Q (N - n)) / N`` for ``n`` visits of the edge and ``N`` of the child.
    """
    record, total = node_at(tree.heap, node).record, visits_of(tree, node)
    place = record + SUMS if record > 0 else node + VALUES
    sums = rows(tree.reals, place, len(tree.best))
    if total > visits:
        share = np.float32(visits) / np.float32(total)
        for role in range(len(tree.best)):
            mean = sums[role] / np.float32(total)
            result[role] = mean + share * (result[role] - mean)


@inner
def _best_hint(tree: Tree, record: int, edges: Edges, edge: int) -> None:
    """Give a node the hints of the child that is best by the hints of the edges."""
    hints, best = edges.extra, edge
    for other in range(decider_of(tree, record, 0).tried):
        is_linked = edges.links[other] != NO_LINK
        if is_linked and edges.visits[other] > 0 and hints[HINTS, other] > hints[HINTS, best]:
            best = other
    child_hints = results_of(tree, linked(tree, edges.links[best])).hints
    kept = results_of(tree, record_at(tree.heap, record).node).hints
    for role in range(len(tree.best)):
        kept[role] = child_hints[role]
