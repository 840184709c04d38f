"""Colour refinement: nodes of a graph told apart by what surrounds them, round by round.

Only what borders on a change is looked at again, so that a long chain of successors, which takes
a round for each link, costs as much as its edges and not its square.

*Reference:* the one-dimensional Weisfeiler-Leman algorithm. As in McKay & Piperno, Practical Graph
Isomorphism II (2014), section 2.1, colours follow from structure alone, so that isomorphic graphs
get the same ones, however their nodes are numbered.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Int64s, UInt64s
from neurogame.gdl.coloured_graph import ColouredGraph
from neurogame.splitmix import mix


@final
@dataclass(frozen=True, eq=False)
class Partition:
    """The nodes of a graph sorted into colours; nodes of one colour have like surroundings.

    Attributes:
        colours: colour of each node, in 0..count-1; int64 ``[N]``.
        sizes: how many nodes have each colour, 0 from ``count`` on; int64 ``[N]``.
        count: number of colours.
        sums: hash of the colours and labels around each node; uint64 ``[N]``.
        common: the hash that all nodes of a colour have, by colour; uint64 ``[N]``.
        trace: what happened in the last refinement; equal where two refinements went alike.
    """

    colours: Int64s
    sizes: Int64s
    count: int
    sums: UInt64s
    common: UInt64s
    trace: bytes

    @property
    def is_discrete(self) -> bool:
        """Whether every node has a colour of its own."""
        return self.count == len(self.colours)


def refined_kinds(graph: ColouredGraph) -> Partition:
    """Return the coarsest partition that tells kinds apart and is stable under refinement."""
    nodes = len(graph.kinds)
    _, colours = np.unique(graph.kinds, return_inverse=True)
    sizes = np.bincount(colours, minlength=nodes)
    sums = np.zeros(nodes, np.uint64)
    np.add.at(sums, graph.targets, _seen(graph.labels, colours[graph.sources]))
    count = int(np.count_nonzero(sizes))
    work = _Refinement(graph, Partition(colours, sizes, count, sums, np.zeros_like(sums), b""))
    return work.run(np.arange(nodes))


def singled_out(graph: ColouredGraph, partition: Partition, nodes: Int64s) -> Partition:
    """Return the refinement in which some nodes of one colour get colours of their own.

    Args:
        graph: the graph.
        partition: stable under refinement.
        nodes: nodes of one colour, in the order of their new colours; not all of that colour.
    """
    work = _Refinement(graph, partition)
    return work.run(work.recolour(nodes))


@final
class _Refinement:
    """A partition on its way to a stable one."""

    def __init__(self, graph: ColouredGraph, partition: Partition) -> None:
        self._graph = graph
        self._colours = partition.colours.copy()
        self._sizes = partition.sizes.copy()
        self._count = partition.count
        self._sums = partition.sums.copy()
        self._common = partition.common.copy()
        self._trace = hashlib.blake2b(digest_size=16)

    def recolour(self, nodes: Int64s) -> Int64s:
        """Give nodes of one colour new ones, in order; return the nodes around them."""
        old = self._colours[nodes]
        fresh = self._count + np.arange(len(nodes))
        self._sizes[old[0]] -= len(nodes)
        self._sizes[fresh] = 1
        self._common[fresh] = self._common[old]
        self._colours[nodes] = fresh
        self._count += len(nodes)
        return self._spread(nodes, old)

    def run(self, touched: Int64s) -> Partition:
        """Split colours until nothing changes.

        Args:
            touched: the nodes whose surroundings have changed.
        """
        while len(touched):
            touched = self._spread(*self._split(touched))
        return Partition(
            *(self._colours, self._sizes, self._count, self._sums, self._common),
            trace=self._trace.digest(),
        )

    def _split(self, touched: Int64s) -> tuple[Int64s, Int64s]:
        """Tell apart touched nodes of one colour; return those with a new one, and their old."""
        touched = touched[self._sums[touched] != self._common[self._colours[touched]]]
        order = np.lexsort((self._sums[touched], self._colours[touched]))
        touched = touched[order]
        colours, sums = self._colours[touched], self._sums[touched]
        starts = _run_starts(colours, sums)
        sizes = np.diff(starts, append=len(touched))
        colour, total = colours[starts], sums[starts]
        for array in (colour, total, sizes):
            self._trace.update(array.tobytes())
        # The untouched nodes of a colour keep it; where all are touched, the first part does.
        firsts = _run_starts(colour)
        split = colour[firsts]
        left = self._sizes[split] - (np.add.reduceat(sizes, firsts) if len(firsts) else 0)
        fresh = np.ones(len(starts), dtype=bool)
        fresh[firsts[left == 0]] = False
        self._sizes[split] = np.where(left == 0, sizes[firsts], left)
        new = colour.copy()
        new[fresh] = self._count + np.arange(np.count_nonzero(fresh))
        self._count += int(np.count_nonzero(fresh))
        self._sizes[new[fresh]] = sizes[fresh]
        self._common[new] = total
        moved = np.repeat(fresh, sizes)
        self._colours[touched] = np.repeat(new, sizes)
        return touched[moved], colours[moved]

    def _spread(self, moved: Int64s, old: Int64s) -> Int64s:
        """Bring the sums around nodes of changed colour up to date; return the nodes there."""
        edges, tails = self._graph.edges_of(moved)
        labels, targets = self._graph.labels[edges], self._graph.targets[edges]
        change = _seen(labels, self._colours[moved][tails]) - _seen(labels, old[tails])
        np.add.at(self._sums, targets, change)
        return np.unique(targets)


def _run_starts(*keys: Int64s | UInt64s) -> Int64s:
    """Return where runs of equal keys start."""
    new = np.zeros(len(keys[0]), dtype=bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(new)


def _seen(labels: Int64s, colours: Int64s) -> UInt64s:
    """Return the hash of each edge's label and the colour at its other end."""
    return mix(mix(colours.astype(np.uint64)) + labels.astype(np.uint64))
