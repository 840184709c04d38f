"""Colour refinement: nodes keep one colour as long as nothing around them tells them apart.

Colours are hashes of what lies around a node, so that they can be compared between graphs.

*Reference:* Weisfeiler and Leman (1968); McKay and Piperno, "Practical graph isomorphism, II"
(2014), sections 2 and 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.graph.lanes import Words
from neurogame.ground.atoms import IntArray
from neurogame.structure.game_graph import GameGraph

_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xD6E8FEB86659FD93)
_SINGLED = np.uint64(0x5851F42D4C957F2D)


@final
@dataclass(frozen=True, eq=False)
class Trace:
    """A refinement and how it went.

    Attributes:
        colours: uint64 ``[N]``.
        sums: the sum of all colours after each round; it does not depend on numbering.
    """

    colours: Words
    sums: tuple[int, ...]


@final
class Refiner:
    """Colours of one graph.

    Attributes:
        graph: the graph.
        work: edges read so far.
    """

    def __init__(self, graph: GameGraph) -> None:
        self.graph = graph
        self.work = 0
        self._salt = mixed((graph.label + 1).astype(np.uint64) * _FIRST)
        self._touched = np.flatnonzero(np.diff(graph.start))

    def first(self) -> Trace:
        """Return the colours that nodes have by themselves, refined."""
        return self.refined(mixed((self.graph.colour + 1).astype(np.uint64)))

    def singled(self, colours: Words, node: int) -> Trace:
        """Return the colours after one node got a colour of its own, refined."""
        return self.refined(_with_new_colour(colours, node))

    def refined(self, colours: Words) -> Trace:
        """Return the colours when nothing more can be told apart."""
        sums = []
        count = len(np.unique(colours))
        while True:
            colours = self._round(colours)
            sums.append(int(colours.sum()))
            now = len(np.unique(colours))
            if now == count:
                return Trace(colours, tuple(sums))
            count = now

    def followed(self, colours: Words, node: int, sums: tuple[int, ...]) -> Words | None:
        """Return what :meth:`singled` does if it goes the same way as before; uint64 ``[N]``.

        Args:
            colours: uint64 ``[N]``.
            node: gets a colour of its own.
            sums: of the trace that it has to follow.
        """
        colours = _with_new_colour(colours, node)
        for wanted in sums:
            colours = self._round(colours)
            if int(colours.sum()) != wanted:
                return None
        return colours

    def _round(self, colours: Words) -> Words:
        """Return the hash of each node's colour and of those around it."""
        graph = self.graph
        self.work += len(graph.target) + graph.node_count
        around = np.zeros(graph.node_count, np.uint64)
        if len(self._touched):
            seen = mixed(mixed(colours)[graph.target] ^ self._salt)
            around[self._touched] = np.add.reduceat(seen, graph.start[self._touched])
        return mixed(mixed(colours) + around * _FIRST)

    def open_cell(self, colours: Words) -> IntArray:
        """Return the things of a colour that several have; int64, empty if there is none."""
        things = colours[self.graph.first :]
        found, group, size = np.unique(things, return_inverse=True, return_counts=True)
        if len(found) == len(things):
            return np.zeros(0, np.int64)
        # The largest, then the least hash: a choice that does not depend on numbering.
        chosen = np.lexsort((found, -size))[0]
        return self.graph.first + np.flatnonzero(group.reshape(-1) == chosen)


def _with_new_colour(colours: Words, node: int) -> Words:
    changed = colours.copy()
    changed[node] = mixed(changed[node : node + 1] + _SINGLED)[0]
    return changed


def mixed(words: Words) -> Words:
    """Return a hash of each word."""
    words = (words ^ (words >> np.uint64(32))) * _FIRST
    words = (words ^ (words >> np.uint64(29))) * _SECOND
    result: Words = words ^ (words >> np.uint64(32))
    return result
