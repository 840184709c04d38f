"""Chance in the tree: a role that chooses uniformly, whose choices are sampled and averaged.

Where it alone chooses, the outcome is taken that has been taken least often, a random one of
several: so its average is exact up to one result, and the variance of drawn outcomes is saved.
Where others choose at the same time, an outcome is drawn, as they must not foresee which is due.
A node of chance is proved once all its outcomes are: it is worth their mean to everybody,
and as far from the end as the farthest of them.
"""

from __future__ import annotations

import numpy as np

from neurogame.native.bits import whole
from neurogame.native.compiled import inner
from neurogame.native.random import below, random_word
from neurogame.search.mcts.compiled.distance import most_plies, set_most_plies
from neurogame.search.mcts.compiled.search import Options
from neurogame.search.mcts.compiled.tree import (
    COUNT,
    EXACT,
    KNOWN,
    NO_LINK,
    PENDING,
    PROVED,
    ROLE,
    Edges,
    Tree,
    decider_of,
    edges_of,
    linked,
    node_at,
    record_at,
    results_of,
)

_DRAW = 256
"""First number of the random words that outcomes are drawn by; orders of edges have those below."""


@inner
def choose_outcome(tree: Tree, options: Options, record: int, edges: Edges, deciders: int) -> int:
    """Return the edge of an outcome, which need not have been tried.

    Args:
        tree: the tree.
        options: of the search.
        record: where chance chooses; the simulation is counted there as on its way.
        edges: of chance.
        deciders: how many choose there.
    """
    header, count = record_at(tree.heap, record), 0
    for number in range(deciders):
        head = decider_of(tree, record, number).head
        if head >> ROLE == tree.chance:
            count = head & COUNT
    begun = whole(header.visits) + (whole(header.status) & PENDING)
    word = random_word(options.seed, node_at(tree.heap, header.node).index, _DRAW + begun)
    if deciders > 1:
        return below(word, count)
    least, ties = 0, 0
    for edge in range(count):
        taken = edges.visits[edge] + (edges.moves[edge] & PENDING)
        if ties == 0 or taken < least:
            least, ties = taken, 1
        elif taken == least:
            ties += 1
    left, chosen = below(word, ties), 0
    for edge in range(count):
        if edges.visits[edge] + (edges.moves[edge] & PENDING) == least:
            if left == 0:
                chosen = edge
            left -= 1
    return chosen


@inner
def prove_by_outcomes(tree: Tree, record: int) -> bool:
    """Prove a node of chance if all its outcomes are proved; return whether they are.

    Args:
        tree: changed.
        record: of the node, which is not proved yet.
    """
    decider, edges = decider_of(tree, record, 0), edges_of(tree, record, 1, 0)
    count = decider.head & COUNT
    if decider.tried < count:
        return False
    for edge in range(count):
        if edges.moves[edge] & KNOWN == 0:
            return False
    header = record_at(tree.heap, record)
    header.status |= PROVED
    node = node_at(tree.heap, header.node)
    node.flags |= EXACT
    kept, plies = results_of(tree, header.node), 0
    for edge in range(count):
        plies = max(plies, most_plies(tree, linked(tree, edges.links[edge])))
    set_most_plies(tree, header.node, plies + 1)
    for role in range(len(tree.best)):
        total = np.float64(0)
        for edge in range(count):
            total += results_of(tree, linked(tree, edges.links[edge])).values[role]
        kept.values[role] = np.float32(total / count)
        if tree.hinted:
            kept.hints[role] = kept.values[role]
    tree.proofs[tree.proof_count] = node.index
    tree.proof_count += 1
    return True


@inner
def average_hints(tree: Tree, record: int) -> None:
    """Give a node of chance the mean of the hints of the outcomes that were taken."""
    decider, edges = decider_of(tree, record, 0), edges_of(tree, record, 1, 0)
    kept = results_of(tree, record_at(tree.heap, record).node).hints
    for role in range(len(tree.best)):
        total, seen = np.float64(0), 0
        for edge in range(decider.tried):
            if edges.links[edge] != NO_LINK and edges.visits[edge] > 0:
                total += results_of(tree, linked(tree, edges.links[edge])).hints[role]
                seen += 1
        if seen > 0:
            kept[role] = np.float32(total / seen)
