"""Goals that are too large for a network: their deeper parts become inputs.

*Reference:* Michulke & Thielscher, section 5: clauses with too many instances "are redirected to
the automated theorem proving system [...] we do not transform the clause, but add it as an input
node".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from neurogame.errors import LimitError
from neurogame.evaluators.proof import ProofGraph, Redirected
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.ground.atoms import IntArray


def redirect(graph: ProofGraph, circuit_node: IntArray, budget: int) -> ProofGraph:
    """Return a proof graph of at most so many inner nodes that says the same.

    The nodes nearest to the goals are kept, atom by atom with the bodies of its rules. What they
    read below becomes a leaf, whose truth :class:`~.reasoner.Reasoner` computes.

    Args:
        graph: a proof graph without redirected leaves.
        circuit_node: node of the circuit that each inner node stands for; int64 ``[N]``.
        budget: inner nodes at most.

    Raises:
        LimitError: there are more goals than the budget has nodes.
    """
    if graph.size <= budget:
        return graph
    first = graph.leaf_count
    roots = np.unique([(goal.literal >> 1) - first for goal in graph.goals if goal.literal >= 0])
    if len(roots) > budget:
        raise LimitError(
            f"the goals need {len(roots):,} neurons at least, one for each goal value of each "
            f"role, but only {budget:,} are allowed; raise the limit"
        )
    kept = _nearest(graph, roots, budget)
    inside = np.zeros(first + graph.size, np.bool_)
    inside[:first] = inside[first + kept] = True
    read = np.unique(graph.children[graph.edges_of(kept)] >> 1)
    cut = read[~inside[read]] - first
    node = np.arange(first + graph.size)
    node[first + cut] = first + np.arange(len(cut))
    node[first + kept] = first + len(cut) + np.arange(len(kept))
    children = graph.children[graph.edges_of(kept)]
    children = 2 * node[children >> 1] + (children & 1)
    start = group_starts(graph.fan_in[kept])
    owner = np.repeat(np.arange(len(kept)), np.diff(start))
    return replace(
        graph,
        kind=graph.kind[kept],
        start=start,
        children=children[np.lexsort((children, owner))],
        level=_levels(graph.level[kept], start, children >> 1, first + len(cut)),
        atom=graph.atom[kept],
        rule=graph.rule[kept],
        goals=tuple(
            goal
            if goal.literal < 0
            else replace(goal, literal=2 * int(node[goal.literal >> 1]) + (goal.literal & 1))
            for goal in graph.goals
        ),
        redirected=Redirected(circuit_node[cut], graph.atom[cut], graph.rule[cut]),
    )


def _nearest(graph: ProofGraph, roots: IntArray, budget: int) -> IntArray:
    """Return the inner nodes to keep, ascending: the roots, then whole atoms, nearest first."""
    size, first = graph.size, graph.leaf_count
    auxiliary = np.array([name.startswith("*") for name in graph.atoms.predicates], np.bool_)
    named = graph.atom >= 0
    named[named] = ~auxiliary[graph.atoms.predicate[graph.atom[named]]]
    named[roots] = True
    # Key of a node: how many atoms lie above the one that it belongs to, and which one that is.
    key = np.full(size, np.iinfo(np.int64).max)
    key[roots] = roots
    for nodes in _by_level(graph.level)[::-1]:
        child = (graph.children[graph.edges_of(nodes)] >> 1) - first
        above = np.repeat(key[nodes], graph.fan_in[nodes])[child >= 0]
        child = child[child >= 0]
        offered = np.where(named[child], (above // size + 1) * size + child, above)
        np.minimum.at(key, child, offered)
    is_root = np.zeros(size, np.bool_)
    is_root[roots] = True
    order = np.lexsort((-graph.level, key, ~is_root))
    kept, following = order[:budget], key[order[budget]]
    if not is_root[following % size]:
        kept = kept[key[kept] != following]
    return np.sort(kept)


def _levels(old: IntArray, start: IntArray, child: IntArray, first: int) -> IntArray:
    """Return the longest distance of inner nodes to a leaf.

    Args:
        old: their levels in a graph with more nodes, which order them rightly; int64 ``[N]``.
        start: node ``i`` reads ``child[start[i]:start[i + 1]]``; int64 ``[N + 1]``.
        child: node numbers, leaves first.
        first: number of leaves.
    """
    level = np.zeros(first + len(old), np.int64)
    for nodes in _by_level(old):
        below = level[gather_groups(start, child, nodes)]
        level[first + nodes] = 1 + np.maximum.reduceat(
            below, group_starts(np.diff(start)[nodes])[:-1]
        )
    return level[first:]


def _by_level(level: IntArray) -> list[npt.NDArray[np.int64]]:
    """Return the nodes of each level, lowest first."""
    order = np.argsort(level, kind="stable")
    bounds = np.flatnonzero(np.diff(level[order])) + 1
    return np.split(order, bounds) if len(order) else []
