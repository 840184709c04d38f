"""Graphs with kinds of nodes and labels of edges: what is refined, numbered, and has symmetries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Int64s


@final
@dataclass(frozen=True, eq=False)
class ColouredGraph:
    """Nodes of kinds and edges with labels; ``N`` nodes, ``E`` edges.

    Every edge is there twice, there and back, with different labels.

    Attributes:
        kinds: kind of each node; int64 ``[N]``.
        sources: tail of each edge, ascending; int64 ``[E]``.
        targets: head of each edge; int64 ``[E]``.
        labels: even there, odd on the way back; int64 ``[E]``.
        starts: where the edges that leave a node start, and ``E``; int64 ``[N + 1]``.
        label_count: all labels are below.
    """

    kinds: Int64s
    sources: Int64s
    targets: Int64s
    labels: Int64s
    starts: Int64s
    label_count: int

    def edges_of(self, nodes: Int64s) -> tuple[Int64s, Int64s]:
        """Return the edges that leave some nodes, and the position in ``nodes`` of their tails."""
        counts = self.starts[nodes + 1] - self.starts[nodes]
        tails = np.repeat(np.arange(len(nodes)), counts)
        first = np.cumsum(counts) - counts
        return np.arange(len(tails)) + (self.starts[nodes] - first)[tails], tails

    def edge_keys(self, sources: Int64s, labels: Int64s, targets: Int64s) -> Int64s:
        """Return one integer for each edge, equal for equal edges only."""
        return (sources * len(self.kinds) + targets) * self.label_count + labels

    def all_edge_keys(self, place: Int64s | None = None) -> Int64s:
        """Return those of all edges, ascending, after a renumbering of the nodes if one is given.

        Args:
            place: the new number of each node; int64 ``[N]``.
        """
        to = np.arange(len(self.kinds)) if place is None else place
        return np.sort(self.edge_keys(to[self.sources], self.labels, to[self.targets]))


def with_both_ways(
    kinds: Int64s, above: Int64s, labels: Int64s, below: Int64s, label_count: int
) -> ColouredGraph:
    """Return the graph of some edges, drawn there and back.

    Args:
        kinds: kind of each node; int64 ``[N]``.
        above: tail of each edge; int64 ``[E / 2]``.
        labels: of the edges, each below ``label_count``; int64 ``[E / 2]``.
        below: head of each edge; int64 ``[E / 2]``.
        label_count: number of labels.
    """
    sources = np.concatenate([above, below])
    order = np.argsort(sources, kind="stable")
    counts = np.bincount(sources, minlength=len(kinds))
    return ColouredGraph(
        kinds,
        sources[order],
        np.concatenate([below, above])[order],
        np.concatenate([2 * labels, 2 * labels + 1])[order],
        np.concatenate([[0], np.cumsum(counts)]),
        2 * label_count,
    )
