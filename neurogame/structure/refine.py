"""Colour refinement: nodes keep one colour as long as nothing around them tells them apart.

Colours are hashes of what lies around a node, so that they can be compared between graphs.

*Reference:* Weisfeiler and Leman (1968); McKay and Piperno, "Practical graph isomorphism, II"
(2014), sections 2 and 3.
"""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.graph.lanes import Words
from neurogame.ground.atoms import IntArray
from neurogame.structure.game_graph import GameGraph

_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xD6E8FEB86659FD93)
_SINGLED = np.uint64(0x5851F42D4C957F2D)


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

    def first(self) -> Words:
        """Return the colours that nodes have by themselves, refined; uint64 ``[N]``."""
        return self.refined(mixed((self.graph.colour + 1).astype(np.uint64)))

    def singled(self, colours: Words, node: int) -> Words:
        """Return the colours after one node got a colour of its own, refined; uint64 ``[N]``."""
        changed = colours.copy()
        changed[node] = mixed(changed[node : node + 1] + _SINGLED)[0]
        return self.refined(changed)

    def refined(self, colours: Words) -> Words:
        """Return the colours when nothing more can be told apart; uint64 ``[N]``."""
        graph = self.graph
        count = len(np.unique(colours))
        while True:
            self.work += len(graph.target) + graph.node_count
            around = np.zeros(graph.node_count, np.uint64)
            if len(self._touched):
                seen = mixed(mixed(colours)[graph.target] ^ self._salt)
                around[self._touched] = np.add.reduceat(seen, graph.start[self._touched])
            colours = mixed(mixed(colours) + around * _FIRST)
            now = len(np.unique(colours))
            if now == count:
                return colours
            count = now

    def open_cell(self, colours: Words) -> IntArray:
        """Return the things of a colour that several have; int64, empty if there is none."""
        things = colours[self.graph.first :]
        found, group, size = np.unique(things, return_inverse=True, return_counts=True)
        if len(found) == len(things):
            return np.zeros(0, np.int64)
        # The largest, then the least hash: a choice that does not depend on numbering.
        chosen = np.lexsort((found, -size))[0]
        return self.graph.first + np.flatnonzero(group.reshape(-1) == chosen)


def mixed(words: Words) -> Words:
    """Return a hash of each word."""
    words = (words ^ (words >> np.uint64(32))) * _FIRST
    words = (words ^ (words >> np.uint64(29))) * _SECOND
    result: Words = words ^ (words >> np.uint64(32))
    return result
