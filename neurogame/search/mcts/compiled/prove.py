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

import numpy as np

from neurogame.native.compiled import inner
from neurogame.search.mcts.compiled.chance import prove_by_outcomes
from neurogame.search.mcts.compiled.distance import most_plies, plies_by_child, set_most_plies
from neurogame.search.mcts.compiled.lookup import find_joint
from neurogame.search.mcts.compiled.nodes import chosen_key
from neurogame.search.mcts.compiled.search import ALONE, WHOLE, Search, Simulation
from neurogame.search.mcts.compiled.tree import (
    COUNT,
    EXACT,
    KNOWN,
    PARTED,
    PROVED,
    ROLE,
    SETTLED,
    Edges,
    Tree,
    decider_of,
    deciders_of,
    edges_of,
    joint_proofs_of,
    linked,
    node_at,
    record_at,
    results_of,
)

_ONE = np.float32(1)


@inner
def prove_by_child(search: Search, record: int, edge: int, child: int) -> bool:
    """Take note that a child has proved values, where one role decides.

    Args:
        search: its tree is changed: the edge's mean becomes the child's value.
        record: of the node.
        edge: leads to the child; its visits are counted.
        child: node with proved values.

    Returns:
        Whether the node itself is proved.
    """
    tree, early = search.tree, search.options.early
    header, decider = record_at(tree.heap, record), decider_of(tree, record, 0)
    edges, role, count = edges_of(tree, record, 1, 0), decider.head >> ROLE, decider.head & COUNT
    if edges.moves[edge] & KNOWN:
        return header.status & PROVED != 0
    value = results_of(tree, child).values[role]
    edges.moves[edge] |= KNOWN
    header.status |= PARTED if role != tree.chance else 0
    # Selection and reports read the mean of an edge: from now on that is the proved value.
    edges.sums[edge] = value * np.float32(edges.visits[edge])
    if header.status & PROVED:
        return True
    if role == tree.chance:
        return prove_by_outcomes(tree, record)
    if value >= tree.best[role]:
        if early == ALONE or (early == WHOLE and value >= _ONE):
            _settle(tree, record, child, plies_by_child(tree, record, child))
            return True
        header.status |= SETTLED
    # What was not tried may be better, and so may what is not proved.
    if decider.tried < count:
        return False
    for other in range(count):
        if edges.moves[other] & KNOWN == 0:
            return False
    best = _best_child(tree, edges, count, role)
    if best > 0:
        _settle(tree, record, best, plies_by_child(tree, record, best))
    return best > 0


@inner
def _best_child(tree: Tree, edges: Edges, count: int, role: int) -> int:
    """Return the proved child that is best for a role, 0 if several differ in other values."""
    best = linked(tree, edges.links[0])
    for edge in range(1, count):
        child = linked(tree, edges.links[edge])
        if results_of(tree, child).values[role] > results_of(tree, best).values[role]:
            best = child
    for edge in range(count):
        child = linked(tree, edges.links[edge])
        if results_of(tree, child).values[role] == results_of(tree, best).values[
            role
        ] and not _are_equal(tree, child, best):
            return 0
    return best


@inner
def _are_equal(tree: Tree, one: int, other: int) -> bool:
    """Return whether two nodes have the same values."""
    same, first, second = True, results_of(tree, one).values, results_of(tree, other).values
    for role in range(len(tree.best)):
        same = same and first[role] == second[role]
    return same


@inner
def _settle(tree: Tree, record: int, child: int, plies: int) -> None:
    """Give a node the proved values of its child, and the plies to the end."""
    header = record_at(tree.heap, record)
    header.status |= PROVED
    node = node_at(tree.heap, header.node)
    node.flags |= EXACT
    set_most_plies(tree, header.node, plies)
    values, hints = results_of(tree, header.node).values, results_of(tree, header.node).hints
    child_values = results_of(tree, child).values
    for role in range(len(tree.best)):
        values[role] = child_values[role]
        if tree.hinted:
            hints[role] = child_values[role]
    tree.proofs[tree.proof_count] = node.index
    tree.proof_count += 1


@inner
def prove_by_joint(search: Search, sim: Simulation, ply: int, record: int, child: int) -> bool:
    """Take note that a child has proved values, where several roles decide.

    Args:
        search: its tree is changed.
        sim: the simulation that has led to the child.
        ply: of its path.
        record: of the node.
        child: node with proved values.

    Returns:
        Whether the node itself is proved.
    """
    tree, paths, opposed = search.tree, search.sims.paths, search.options.opposed != 0
    header = record_at(tree.heap, record)
    if header.status & PROVED:
        return True
    # The lowest bit of an entry says that its child has been counted as proved.
    entry = find_joint(tree, chosen_key(tree, search.sims, sim, ply))
    if entry < 0 or tree.joints[entry, 1] & 1:
        return False
    tree.joints[entry, 1] |= 1
    deciders, total = deciders_of(tree, record), 1.0
    proofs = joint_proofs_of(tree, record, deciders)
    proofs.count += 1
    # The farthest end of those that are known: nobody can be sure of another one.
    plies = max(most_plies(tree, header.node), most_plies(tree, child) + 1)
    set_most_plies(tree, header.node, plies)
    if proofs.count == 1:
        proofs.same = child
    elif proofs.same > 0 and not _are_equal(tree, proofs.same, child):
        proofs.same = 0
    # All joint moves. As a float: of many roles with many moves there are more than 63 bits hold.
    for number in range(deciders):
        total *= np.float64(decider_of(tree, record, number).head & COUNT)
    proved = proofs.count == total and proofs.same > 0
    for number in range(deciders):
        head = decider_of(tree, record, number).head
        role, count = head >> ROLE, head & COUNT
        if results_of(tree, child).values[role] >= tree.best[role]:
            best = edges_of(tree, record, deciders, number).links
            edge = paths[ply, sim.number, 1 + number]
            # Where several decide links are no children but count these; total / count are the
            # answers of the other, all of which have to be proved.
            best[edge] += 1
            proved = proved or (opposed and best[edge] * np.float64(count) == total)
    if proved:
        _settle(tree, record, child, plies)
    return proved
