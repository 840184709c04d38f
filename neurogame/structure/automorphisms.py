"""The automorphisms of a game graph, as a chain of stabilisers.

A *base* is a list of things that, singled out one after the other, tell all things apart. For
each thing of it the search looks for automorphisms that leave the things before it where they are
and move it elsewhere. Products of one of each level are the whole group, each element once.

*Reference:* Sims (1970); McKay and Piperno, "Practical graph isomorphism, II" (2014).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.graph.lanes import Words
from neurogame.ground.atoms import IntArray
from neurogame.structure.game_graph import GameGraph
from neurogame.structure.refine import Refiner

_MOST_BASE = 64
_TRIES = 8
"""Leaves looked at for one image of a thing of the base."""


@final
@dataclass(frozen=True, eq=False)
class Chain:
    """A group of permutations of the ``T`` things of a game, and a numbering of them.

    Attributes:
        rank: place of each thing in an order that does not depend on names, except among things
            that are interchangeable or that were not told apart; int64 ``[T]``.
        levels: per thing of the base, the last one first, permutations that leave the earlier
            ones in place and move this one to different places, the identity among them;
            int64 ``[n, T]`` each.
        complete: whether the base tells all things apart and nothing was left out.
    """

    rank: IntArray
    levels: tuple[IntArray, ...]
    complete: bool

    def group(self, most: int) -> IntArray:
        """Return the elements of the group, or of a smaller one of it, the identity first.

        Args:
            most: levels are taken in, the smallest stabiliser first, as long as the group has no
                more elements than this.

        Returns:
            int64 ``[n, T]``.
        """
        found: IntArray = np.arange(len(self.rank))[None]
        for level in self.levels:
            if len(found) * len(level) > most:
                break
            found = np.concatenate([one[found] for one in level])
        return found


def find_chain(
    graph: GameGraph, accepted: Callable[[IntArray], bool] | None = None, *, work: int
) -> Chain:
    """Look for the automorphisms of a graph.

    Args:
        graph: the graph.
        accepted: whether a permutation of the things, int64 ``[T]``, is one; None if it is to be
            compared edge by edge.
        work: most edges read.
    """
    return _Search(graph, accepted, work).run()


@final
class _Search:
    """One search for automorphisms."""

    def __init__(
        self, graph: GameGraph, accepted: Callable[[IntArray], bool] | None, work: int
    ) -> None:
        self.graph, self.work = graph, work
        self.refiner = Refiner(graph)
        self.accepted = accepted or self._keeps_edges
        self.keys = graph.keys(np.arange(graph.node_count)) if accepted is None else None

    def run(self) -> Chain:
        """Find a base, then the levels from the last one up."""
        first, things = self.graph.first, self.graph.node_count - self.graph.first
        path = [self.refiner.first()]
        cells: list[IntArray] = []
        while len(cells) < _MOST_BASE and self.refiner.work < self.work:
            cell = self.refiner.open_cell(path[-1])
            if not len(cell):
                break
            cells.append(cell)
            path.append(self.refiner.singled(path[-1], int(cell[0])))
        order = np.argsort(path[-1][first:], kind="stable")
        rank = np.empty(things, np.int64)
        rank[order] = np.arange(things)
        complete = len(np.unique(path[-1][first:])) == things
        levels: list[IntArray] = []
        if complete:
            self.leaf = path[-1]
            for depth in range(len(cells) - 1, -1, -1):
                level, whole = self._level(path[depth], cells[depth], levels)
                complete &= whole
                if len(level) > 1:
                    levels.append(level)
        return Chain(rank, tuple(levels), complete)

    def _level(
        self, colours: Words, cell: IntArray, below: list[IntArray]
    ) -> tuple[IntArray, bool]:
        """Return one automorphism for each place to which the first thing of a cell can move.

        Args:
            colours: before it is singled out.
            cell: the things of its colour.
            below: the levels that leave it where it is.
        """
        first = self.graph.first
        point = int(cell[0]) - first
        generators = [one for level in below for one in level[1:]]
        found = {point: np.arange(self.graph.node_count - first)}
        whole = True
        for node in cell[1:].tolist():
            if node - first in found:
                continue
            if self.refiner.work > self.work:
                whole = False
                break
            image = self._search(self.refiner.singled(colours, node), [_TRIES])
            if image is not None:
                generators.append(image)
                _close(found, generators)
        return np.stack(list(found.values())), whole

    def _search(self, colours: Words, left: list[int]) -> IntArray | None:
        """Return an automorphism that carries the leaf to some leaf under these colours."""
        cell = self.refiner.open_cell(colours)
        if not len(cell):
            left[0] -= 1
            return self._mapped(colours)
        for node in cell.tolist():
            if left[0] <= 0 or self.refiner.work > self.work:
                return None
            found = self._search(self.refiner.singled(colours, node), left)
            if found is not None:
                return found
        return None

    def _mapped(self, colours: Words) -> IntArray | None:
        """Return the permutation of things that carries one leaf to another, if it is right."""
        mine, other = np.argsort(self.leaf, kind="stable"), np.argsort(colours, kind="stable")
        if not np.array_equal(self.leaf[mine], colours[other]):
            return None
        to = np.empty(self.graph.node_count, np.int64)
        to[mine] = other
        self.nodes = to
        image: IntArray = to[self.graph.first :] - self.graph.first
        return image if self.accepted(image) else None

    def _keeps_edges(self, image: IntArray) -> bool:
        """Return whether the permutation of all nodes found last keeps all edges."""
        same = np.array_equal(self.graph.colour[self.nodes], self.graph.colour)
        assert self.keys is not None
        return same and np.array_equal(self.graph.keys(self.nodes), self.keys)


def _close(found: dict[int, IntArray], generators: list[IntArray]) -> None:
    """Add, for each place that is reached, an automorphism that leads there."""
    open_ = list(found)
    while open_:
        place = open_.pop()
        for one in generators:
            to = int(one[place])
            if to not in found:
                found[to] = one[found[place]]
                open_.append(to)
