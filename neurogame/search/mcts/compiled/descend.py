"""The way down: every simulation of a block chooses joint moves until its path ends."""

from __future__ import annotations

import numpy as np

from neurogame.native.bits import prefetch, whole
from neurogame.native.compiled import inner
from neurogame.search.mcts.compiled.distance import close, is_open, pursue
from neurogame.search.mcts.compiled.lookup import add_move, find_joint, joint_child, joint_key
from neurogame.search.mcts.compiled.nodes import is_on_path, open_record
from neurogame.search.mcts.compiled.search import (
    AGAIN,
    BETA,
    GRAVE,
    LOGARITHMS,
    OVER,
    STEP,
    UCT,
    Search,
    Simulation,
    Simulations,
    simulation_of,
)
from neurogame.search.mcts.compiled.select import choose, trust_at
from neurogame.search.mcts.compiled.ties import next_tied
from neurogame.search.mcts.compiled.tree import (
    CLOSED,
    DECIDERS,
    EXACT,
    JUDGED,
    NO_LINK,
    PENDING,
    PROVED,
    Record,
    Tree,
    deciders_of,
    edges_of,
    linked,
    move_of,
    node_at,
    record_at,
)

_LINE = 16
"""Words of a cache line."""
_AHEAD = 4
"""Cache lines of a record that are asked for."""


def descend(search: Search) -> None:
    """Lead the simulations of a block from the root to the ends of their paths.

    Args:
        search: its root has a record and no proved values.
    """
    tree, options, sims, judging = search.tree, search.options, search.sims, search.judging
    active, left, judged = sims.active, sims.count - sims.first, options.judged != 0
    root = node_at(tree.heap, tree.root)
    table = root.ends if options.kind == GRAVE else 0
    for number in range(sims.first, sims.count):
        sim = simulation_of(sims, number)
        active[number - sims.first] = number
        sim.link, sim.length, sim.table, sim.back = root.record, 0, table, 0
    while left > 0:
        going, left = left, 0
        for order in range(going):
            sim = simulation_of(sims, active[order])
            sim.record = _enter(search, sim)
            if judged and sim.record > 0:
                _ask(search, sim)
        if judged and judging.count > 0:
            search.parts.add_priors(search)
        for order in range(going):
            sim = simulation_of(sims, active[order])
            if sim.record > 0 and _leave(search, sim):
                active[left] = sim.number
                left += 1


@inner
def _enter(search: Search, sim: Simulation) -> int:
    """Return the record of the node that a simulation has come to, 0 if its path ends there."""
    tree, heap, link = search.tree, search.tree.heap, sim.link
    node = linked(tree, link)
    if link >= 0:
        record, over = link, record_at(heap, link).status & PROVED
    else:
        record, over = node_at(heap, node).record, node_at(heap, node).flags & EXACT
    sim.node = node
    if over and not _leads_on(search, sim, node, record):
        sim.end = OVER
        return 0
    if sim.length == search.options.depth or is_on_path(tree, search.sims, sim, node):
        sim.end, sim.node = AGAIN, 0
        return 0
    if record == 0:
        record = open_record(tree, node, search.options.seed)
    if record == 0:
        sim.end = AGAIN
    elif link < 0 and sim.length > 0:
        _link_record(tree, search.sims, sim, record)
    return record


@inner
def _leads_on(search: Search, sim: Simulation, node: int, record: int) -> bool:
    """Return whether a simulation goes on from a proved node: it pursues a win, or compares."""
    if search.winner < 0:
        return search.ties != 0 and sim.length == 0
    if record == 0 or sim.length == search.options.depth:
        return False
    tree = search.tree
    return is_open(tree, node, search.winner) and not is_on_path(tree, search.sims, sim, node)


@inner
def _link_record(tree: Tree, sims: Simulations, sim: Simulation, record: int) -> None:
    """Have the edge by which a simulation has come lead to a node's new record."""
    parent = whole(sims.paths[sim.length - 1, sim.number, 0])
    if deciders_of(tree, parent) == 1:
        edges_of(tree, parent, 1, 0).links[sims.paths[sim.length - 1, sim.number, 1]] = record


@inner
def _ask(search: Search, sim: Simulation) -> None:
    """Have a judge asked for a record's priors, once it is ripe; a root always is."""
    judging, header = search.judging, record_at(search.tree.heap, sim.record)
    status = header.status
    begun = header.visits + (status & PENDING)
    if status & JUDGED == 0 and (begun >= search.options.ripe or sim.length == 0):
        header.status = status | JUDGED
        judging.queue[judging.count] = sim.record
        judging.count += 1


@inner
def _leave(search: Search, sim: Simulation) -> bool:
    """Choose a joint move; return whether it leads to a node, which is asked for.

    Where a win is pursued and no way leads on, the path ends before.
    """
    tree, options, sims = search.tree, search.options, search.sims
    heap, paths, record, number = tree.heap, sims.paths, sim.record, sim.number
    header, length, kind = record_at(heap, record), sim.length, options.kind
    status, way = header.status, -1
    if search.ties:
        way = next_tied(tree, record)
        if way < 0:
            sim.end = OVER
            return False
    if search.winner >= 0:
        way = pursue(tree, record, search.winner)
        if way < 0:
            close(tree, record, search.winner)
            sim.end, sim.node = (OVER, header.node) if status & PROVED else (AGAIN, 0)
            return False
    below, deciders = header.visits - header.ends + (status & PENDING), status >> DECIDERS
    header.status = status + 1
    paths[length, number, 0] = record
    sim.length = length + 1
    spread, trust = np.float32(options.exploration) * _logarithm(sims, below), np.float32(0)
    table = 0
    if kind != UCT or (options.judged and options.mixing == BETA):
        trust = trust_at(below, options.k)
    if kind == GRAVE:
        table = _reference(tree, options.numbers.ref, sim, header)
    joint, link = np.uint64(0), NO_LINK
    for decider in range(deciders):
        edge = way
        if way < 0:
            edge = choose(tree, options, record, deciders, decider, spread, trust, table)
        paths[length, number, 1 + decider] = edge
        edges = edges_of(tree, record, deciders, decider)
        word = edges.moves[edge]
        edges.moves[edge] = word + 1
        joint = add_move(joint, move_of(word))
        link = whole(edges.links[edge])
    if deciders > 1:
        entry = find_joint(tree, joint_key(joint, header.node))
        link = CLOSED - joint_child(tree, entry) if entry >= 0 else NO_LINK
    sim.link = link
    if link == NO_LINK or search.ties:
        sim.end, sim.node = AGAIN if search.ties else STEP, 0
        return False
    following = link if link >= 0 else CLOSED - link
    for line in range(_AHEAD):
        prefetch(heap, following + _LINE * line)
    return True


@inner
def _logarithm(sims: Simulations, count: int) -> np.float32:
    """Return ``sqrt(ln n)``."""
    factor: np.float32 = (
        sims.logarithm[count] if count < LOGARITHMS else np.sqrt(np.log(np.float32(count)))
    )
    return factor


@inner
def _reference(tree: Tree, ref: int, sim: Simulation, header: Record) -> int:
    """Return the table that GRAVE reads here: that of the nearest node with enough visits."""
    table = node_at(tree.heap, header.node).ends
    if header.visits >= ref and table > 0:
        sim.table = table
    return sim.table
