"""Simulations that the twin of the tree search makes in advance, and undoes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from tests.search.twin_nodes import Edge, Node, Real, Simulation
from tests.search.twin_random import fraction


@final
@dataclass
class Known:
    """How many results were known when they were asked for, and how many of these were draws."""

    count: int = 0
    drawn: int = 0


def add_expected(sim: Simulation, waiting: Sequence[Real] | None, draw: int, known: Known) -> None:
    """Add what a simulation brings back to its path: what is known of its leaf, or a guess."""
    parent, _ = sim.path[-1]
    values = waiting
    if sim.over:
        assert sim.node is not None
        assert sim.node.exact is not None
        values = sim.node.exact
    if values is None:
        values = _guess(parent, draw, known)
    else:
        known.count += 1
        known.drawn += bool(0 < values[0] < 1)
    for node, picks in sim.path:
        node.pending -= 1
        node.visits += 1
        node.sums = [s + v for s, v in zip(node.sums, values, strict=True)]
        for (role, edges), move in zip(node.edges.items(), picks, strict=True):
            edge = next(e for e in edges if e.move == move)
            edge.total += values[role]
            edge.visits += 1
            edge.pending -= 1


def _guess(parent: Node, draw: int, known: Known) -> list[Real]:
    """The mean as often as there were draws; else a win or a loss, as likely as the mean says.

    Of two roles one wins.
    """
    first = Real(fraction(draw))
    draws = [first, *[Real(1) - first] * (len(parent.sums) - 1)]
    means = [s / Real(parent.visits) if parent.visits else Real(0.5) for s in parent.sums]
    if fraction(~draw) * known.count < known.drawn:
        return means
    return [Real(d < mean) for d, mean in zip(draws, means, strict=True)]


def to_put_back(nodes: list[Node]) -> Callable[[], None]:
    """What undoes all simulations from now on; edges that nodes get meanwhile stay, as new ones."""
    kept = [
        (
            node,
            node.pending,
            node.visits,
            node.sums,
            dict(node.tried),
            {id(edge): (edge.pending, edge.visits, edge.total) for edge in _edges(node)},
        )
        for node in nodes
    ]

    def put_back() -> None:
        for node, pending, visits, sums, tried, counts in kept:
            node.pending, node.visits, node.sums = pending, visits, sums
            node.tried = {role: tried.get(role, 0) for role in node.edges}
            for edge in _edges(node):
                edge.pending, edge.visits, edge.total = counts.get(id(edge), (0, 0, Real(0)))

    return put_back


def _edges(node: Node) -> list[Edge]:
    """The edges of all roles."""
    return [edge for edges in node.edges.values() for edge in edges]
