"""The automorphisms of a game graph, as a chain of stabilisers.

A *base* is a list of things that, singled out one after the other, tell all roles and all fluents
with any influence apart. For each thing of it the search looks for automorphisms that leave the
things before it where they are and move it elsewhere. Products of one of each level are the whole
group, each element once. What remains alike after that (moves that do the same, fluents that nobody
reads) is interchangeable, and keeps its order.

*Reference:* Sims (1970); McKay and Piperno, "Practical graph isomorphism, II" (2014).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Int64s, UInt64s
from neurogame.gdl.automorphism import Automorphism, is_automorphism
from neurogame.structure.game_graph import GameGraph
from neurogame.structure.refine import Colouring, Refiner

_MOST_BASE = 64
_TRIES = 8
"""Leaves looked at for one image of a thing of the base."""
_REFUSED = 100
"""Permutations that fit the graph but are no automorphisms, after which no more are tried."""


@final
@dataclass(frozen=True, eq=False)
class Chain:
    """A group of permutations of the ``T`` things of a game.

    Attributes:
        things: ``T``.
        levels: per thing of the base, the last one first, permutations that leave the earlier
            ones in place and move this one to different places, the identity among them;
            int64 ``[n, T]`` each.
        complete: whether the base tells all things apart and nothing was left out.
        refused: permutations that fitted the colours and were no automorphisms.
    """

    things: int
    levels: tuple[Int64s, ...]
    complete: bool
    refused: int

    def group(self, most: int) -> tuple[Int64s, bool]:
        """Return the elements of the group, or of a smaller one of it, the identity first.

        Args:
            most: levels are taken in, the smallest stabiliser first, as long as the group has no
                more elements than this.

        Returns:
            int64 ``[n, T]``, and whether this is certainly the whole group.
        """
        members: Int64s = np.arange(self.things)[None]
        for level in self.levels:
            if len(members) * len(level) > most:
                return members, False
            members = np.concatenate([one[members] for one in level])
        return members, self.complete


def canonical_order(drawn: GameGraph, *, work: int) -> Int64s:
    """Return the place of each thing in an order that does not depend on names.

    Except among things that are interchangeable, or that were not told apart within the limits.

    Args:
        drawn: the game.
        work: most edges read.

    Returns:
        int64 ``[T]``.
    """
    refiner = Refiner(drawn.graph)
    among = np.arange(drawn.first, len(drawn.graph.kinds))
    colouring = refiner.first()
    for _ in range(_MOST_BASE):
        cell = refiner.open_cell(colouring, among)
        if not len(cell) or refiner.work > work:
            break
        # Not all of a cell need be interchangeable: what follows when one is singled out decides.
        best = refiner.refined_at(colouring, int(cell[0]))
        if len(cell) * refiner.last < work - refiner.work:
            for node in cell[1:].tolist():
                after = refiner.refined_at(colouring, node)
                best = after if after.trace < best.trace else best
        colouring = best
    order = np.argsort(colouring.colours[drawn.first :], kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank


def find_chain(
    drawn: GameGraph, accepted: Callable[[Int64s], bool] | None = None, *, work: int
) -> Chain:
    """Look for the automorphisms of a graph.

    Args:
        drawn: the graph.
        accepted: whether a permutation of the things, int64 ``[T]``, is one; None if it is to be
            compared edge by edge.
        work: most edges read.
    """
    return _Search(drawn, accepted, work).run()


def _find_base(refiner: Refiner, among: Int64s, work: int) -> tuple[list[Colouring], list[Int64s]]:
    """Return the refinements along a base, and the nodes of which each one was singled out."""
    path = [refiner.first()]
    cells: list[Int64s] = []
    while len(cells) < _MOST_BASE and refiner.work < work:
        cell = refiner.open_cell(path[-1], among)
        if not len(cell):
            break
        cells.append(cell)
        path.append(refiner.refined_at(path[-1], int(cell[0])))
    return path, cells


@final
class _Search:
    """One search for automorphisms."""

    def __init__(
        self, drawn: GameGraph, accepted: Callable[[Int64s], bool] | None, work: int
    ) -> None:
        self.graph, self.start, self.work = drawn.graph, drawn.first, work
        self.refiner = Refiner(drawn.graph)
        self.accepted = accepted
        self.edges = drawn.graph.all_edge_keys() if accepted is None else None
        self.things = len(drawn.graph.kinds) - drawn.first
        self.refused = 0
        self.among = drawn.first + np.flatnonzero(drawn.telling)

    def run(self) -> Chain:
        """Find a base, then the levels from the last one up."""
        self.path, cells = _find_base(self.refiner, self.among, self.work)
        self.leaf = np.argsort(self.path[-1].colours, kind="stable")
        complete = not len(self.refiner.open_cell(self.path[-1], self.among))
        levels: list[Int64s] = []
        if complete:
            for depth in range(len(cells) - 1, -1, -1):
                level, whole = self._level(depth, cells[depth], levels)
                complete &= whole
                if len(level) > 1:
                    levels.append(level)
        return Chain(self.things, tuple(levels), complete, self.refused)

    def _level(self, depth: int, cell: Int64s, below: list[Int64s]) -> tuple[Int64s, bool]:
        """Return one automorphism for each place to which a thing of the base can move.

        Args:
            depth: its place in the base.
            cell: the things of its colour; it is the first.
            below: the levels that leave it where it is.
        """
        first = self.start
        generators = [one for level in below for one in level[1:]]
        representatives = {int(cell[0]) - first: np.arange(self.things)}
        hopeless: dict[int, Int64s] = {}
        for thing in (cell[1:] - first).tolist():
            if thing in representatives or thing in hopeless:
                continue
            if self.refused > _REFUSED or self.refiner.work > self.work:
                return np.stack(list(representatives.values())), False
            image = self._search(depth, self.path[depth], [first + thing], [_TRIES])
            if image is None:
                hopeless[thing] = image = np.arange(self.things)
            else:
                generators.append(image)
                _close(representatives, generators)
            _close(hopeless, generators)
        return np.stack(list(representatives.values())), True

    def _search(
        self, depth: int, colouring: Colouring, nodes: list[int], left: list[int]
    ) -> Int64s | None:
        """Return an automorphism that carries the base to itself up to a depth, and on to a node.

        Args:
            depth: things of the base before this one.
            colouring: after their images were singled out.
            nodes: what this one's image may be.
            left: leaves that may still be looked at; counted down.
        """
        for node in nodes:
            if left[0] <= 0 or self.refused > _REFUSED or self.refiner.work > self.work:
                return None
            after = self.refiner.singled(colouring, node, self.path[depth + 1].trace)
            if after is None:
                continue
            if depth + 2 == len(self.path):
                left[0] -= 1
                automorphism = self._mapped(after.colours)
            else:
                cell = self.refiner.open_cell(after, self.among)
                automorphism = self._search(depth + 1, after, cell.tolist(), left)
            if automorphism is not None:
                return automorphism
        return None

    def _mapped(self, colours: UInt64s) -> Int64s | None:
        """Return the permutation of things that carries one leaf to another, if it is right."""
        other = np.argsort(colours, kind="stable")
        if not np.array_equal(self.path[-1].colours[self.leaf], colours[other]):
            return None
        to = np.empty(len(self.graph.kinds), np.int64)
        to[self.leaf] = other
        image: Int64s = to[self.start :] - self.start
        if self.accepted(image) if self.accepted else self._keeps_edges(to):
            return image
        self.refused += 1
        return None

    def _keeps_edges(self, to: Int64s) -> bool:
        assert self.edges is not None
        moved = np.flatnonzero(to != np.arange(len(to)))
        return is_automorphism(self.graph, self.edges, Automorphism(moved, to[moved]))


def _close(automorphisms: dict[int, Int64s], generators: list[Int64s]) -> None:
    """Add, for each place that is reached, an automorphism that leads there."""
    open_ = list(automorphisms)
    while open_:
        place = open_.pop()
        for one in generators:
            to = int(one[place])
            if to not in automorphisms:
                automorphisms[to] = one[automorphisms[place]]
                open_.append(to)
