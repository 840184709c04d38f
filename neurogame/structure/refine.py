"""Colour refinement: nodes keep one colour as long as nothing around them tells them apart.

Colours are hashes of what lies around a node, so that they can be compared between searches; nodes
of one colour are a *cell*. Only what lies around the nodes of cells that have just been split is
looked at again.

*Reference:* Weisfeiler and Leman (1968); Hopcroft (1971); McKay and Piperno, "Practical graph
isomorphism, II" (2014), sections 2 and 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Int64s, UInt64s
from neurogame.gdl.coloured_graph import ColouredGraph
from neurogame.structure.refine_loops import FIRST, SECOND, Around, look_around

_SINGLED = np.uint64(0x5851F42D4C957F2D)


@final
@dataclass(frozen=True, eq=False)
class Colouring:
    """A partition of the ``N`` nodes of a graph that tells apart what it can.

    Attributes:
        colours: hash of each node's cell; uint64 ``[N]``.
        cells: number of each node's cell; int64 ``[N]``.
        sizes: nodes of each cell, and zeros for cells to come; int64.
        count: number of cells.
        trace: what happened in each round; it does not depend on numbering.
    """

    colours: UInt64s
    cells: Int64s
    sizes: Int64s
    count: int
    trace: tuple[int, ...]


@final
class Refiner:
    """Colours of one graph.

    Attributes:
        graph: the graph.
        last: edges and nodes read when a node was singled out last.
    """

    def __init__(self, graph: ColouredGraph) -> None:
        self.graph = graph
        self.last = 0
        nodes = len(graph.kinds)
        self._look = Around(
            starts=graph.starts,
            targets=graph.targets,
            salts=mixed((graph.labels + 1).astype(np.uint64) * FIRST),
            around=np.zeros(nodes, np.uint64),
            is_touched=np.zeros(nodes, np.bool_),
            seen=np.zeros(0, np.int64),
            least=np.zeros(0, np.uint64),
            is_split=np.zeros(0, np.bool_),
            touched=np.zeros(nodes, np.int64),
            hashes=np.zeros(nodes, np.uint64),
        )

    @property
    def work(self) -> int:
        """Edges and nodes read so far."""
        return self._look.work

    def first(self) -> Colouring:
        """Return the colours that nodes have by themselves, refined."""
        hashes = mixed((self.graph.kinds + 1).astype(np.uint64))
        colours, group = np.unique(self.graph.kinds, return_inverse=True)
        cells: Int64s = group.reshape(-1).astype(np.int64)
        sizes = np.zeros(max(len(self.graph.kinds), 1), np.int64)
        sizes[: len(colours)] = np.bincount(cells)
        colouring = Colouring(hashes, cells, sizes, len(colours), ())
        refined = self._refined(colouring, np.arange(len(self.graph.kinds)), None)
        assert refined is not None
        return refined

    def refined_at(self, colouring: Colouring, node: int) -> Colouring:
        """Return the colours after one node got a colour of its own, refined."""
        before = self.work
        refined = self.singled(colouring, node, None)
        assert refined is not None
        self.last = self.work - before
        return refined

    def singled(
        self, colouring: Colouring, node: int, trace: tuple[int, ...] | None
    ) -> Colouring | None:
        """Return the same if everything happens that a trace says, else None.

        Args:
            colouring: a refined one.
            node: gets a colour of its own; its cell has other nodes.
            trace: what should happen; None for anything.
        """
        self._look.work += len(colouring.colours)
        colours, cells = colouring.colours.copy(), colouring.cells.copy()
        sizes = colouring.sizes.copy()
        # Another colour in each such step, or two nodes of one cell would get the same.
        salt = np.array([colouring.count], np.uint64) * _SINGLED
        colours[node] = mixed(colours[node : node + 1] + salt)[0]
        sizes[cells[node]] -= 1
        if colouring.count == len(sizes):
            sizes = np.append(sizes, np.zeros_like(sizes))
        cells[node] = colouring.count
        sizes[colouring.count] = 1
        changed = Colouring(colours, cells, sizes, colouring.count + 1, ())
        return self._refined(changed, np.array([node]), trace)

    def open_cell(self, colouring: Colouring, among: Int64s) -> Int64s:
        """Return the nodes of a cell that has several of some nodes.

        Args:
            colouring: of all nodes.
            among: nodes, ascending; int64 ``[n]``.

        Returns:
            int64; empty if they are all in different cells.
        """
        colours = colouring.colours[among]
        values, group, size = np.unique(colours, return_inverse=True, return_counts=True)
        if len(values) == len(among):
            return among[:0]
        # The largest, then the least hash: a choice that does not depend on numbering.
        chosen = np.lexsort((values, -size))[0]
        cell: Int64s = among[group.reshape(-1) == chosen]
        return cell

    def _refined(
        self, colouring: Colouring, active: Int64s, wanted: tuple[int, ...] | None
    ) -> Colouring | None:
        """Split cells until nothing more can be told apart; arrays are changed in place."""
        colours, cells, sizes = colouring.colours, colouring.cells, colouring.sizes
        count = colouring.count
        trace: list[int] = []
        while len(active):
            touched, hashes = self._split(active, colours, cells, sizes)
            order = np.lexsort((hashes, cells[touched]))
            touched, hashes = touched[order], hashes[order]
            new_part = np.diff(cells[touched], prepend=-1) != 0
            new_part[1:] |= hashes[1:] != hashes[:-1]
            np.subtract.at(sizes, cells[touched], 1)
            part = np.cumsum(new_part) - 1
            if len(touched):
                fresh = np.bincount(part)
                if count + len(fresh) > len(sizes):
                    sizes = np.append(sizes, np.zeros(len(sizes) + len(fresh), np.int64))
                sizes[count : count + len(fresh)] = fresh
                cells[touched], colours[touched] = count + part, hashes
                count += len(fresh)
            active = touched
            trace.append(int(hashes.sum()) ^ len(touched))
            if wanted is not None and trace != list(wanted[: len(trace)]):
                return None
        if wanted is not None and len(trace) != len(wanted):
            return None
        return Colouring(colours, cells, sizes, count, tuple(trace))

    def _split(
        self, active: Int64s, colours: UInt64s, cells: Int64s, sizes: Int64s
    ) -> tuple[Int64s, UInt64s]:
        """Return the nodes of cells that are split by what touches some nodes, and new colours."""
        look = self._look
        if len(look.seen) < len(sizes):
            look.seen, look.least = np.zeros_like(sizes), np.zeros(len(sizes), np.uint64)
            look.is_split = np.zeros(len(sizes), np.bool_)
        look_around(look, active, colours, cells, sizes)
        return look.touched[: look.count], look.hashes[: look.count]


def mixed(words: UInt64s) -> UInt64s:
    """Return a hash of each word."""
    words = (words ^ (words >> np.uint64(32))) * FIRST
    words = (words ^ (words >> np.uint64(29))) * SECOND
    result: UInt64s = words ^ (words >> np.uint64(32))
    return result
