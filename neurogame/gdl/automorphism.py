"""Symmetries of a rule graph: found by comparing two refinements, proved edge by edge.

*Reference:* Darga, Sakallah & Markov, Faster Symmetry Discovery using Sparsity of Symmetries
(2008): where two refinements differ in a few nodes only, these are exchanged and all others stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.gdl.coloured_graph import ColouredGraph
from neurogame.gdl.connected import least_connected
from neurogame.gdl.refine import Partition


@final
@dataclass(frozen=True, eq=False)
class Automorphism:
    """A permutation of the nodes that keeps kinds and edges.

    Attributes:
        moved: the nodes that do not stay where they are; int64 ``[moved]``.
        images: where each of them goes; int64 ``[moved]``.
    """

    moved: Int64s
    images: Int64s


def exchange(first: Partition, second: Partition) -> Automorphism | None:
    """Return the permutation that exchanges the nodes that two partitions single out alike.

    Args:
        first: a partition after one node was singled out.
        second: the same after another node of the same colour was, with the same trace.

    Returns:
        What need not be an automorphism, but leaves all other nodes where they are; None where
        the nodes cannot be exchanged.
    """
    at = np.empty_like(second.colours)
    at[second.colours] = np.arange(len(at))
    single = np.flatnonzero(first.sizes[first.colours] == 1)
    image = at[first.colours[single]]
    single, image = single[single != image], image[single != image]
    back = ~np.isin(image, single)
    moved = np.concatenate([single, image[back]])
    images = np.concatenate([image, single[back]])
    return Automorphism(moved, images) if _is_permutation(moved, images) else None


def is_automorphism(graph: ColouredGraph, edges: Int64s, candidate: Automorphism) -> bool:
    """Return whether a permutation of the nodes of a graph keeps kinds and edges.

    Args:
        graph: the graph.
        edges: the keys of all its edges, ascending.
        candidate: the permutation.
    """
    moved, images = candidate.moved, candidate.images
    around, tails = graph.edges_of(moved)
    to = np.arange(len(graph.kinds))
    to[moved] = images
    keys = graph.edge_keys(images[tails], graph.labels[around], to[graph.targets[around]])
    place = np.minimum(np.searchsorted(edges, keys), len(edges) - 1)
    same_kinds = np.array_equal(graph.kinds[moved], graph.kinds[images])
    return same_kinds and np.array_equal(edges[place], keys)


def unlike_pair(
    first: Partition, second: Partition, candidate: Automorphism
) -> tuple[int, int] | None:
    """Return a node that a permutation leaves in a wrong place, and one of its colour there.

    Args:
        first: a partition.
        second: another one with the same number of nodes of each colour.
        candidate: shall carry the first partition into the second.

    Returns:
        A node of ``first`` and a node of ``second`` of one colour; None if all places are right.
    """
    stays = np.ones(len(first.colours), dtype=bool)
    stays[candidate.moved] = False
    wrong = np.flatnonzero(stays & (first.colours != second.colours))
    if not len(wrong):
        return None
    fits = wrong[second.colours[wrong] == first.colours[wrong[0]]]
    return (int(wrong[0]), int(fits[0])) if len(fits) else None


def orbits(nodes: int, generators: Sequence[Automorphism], fixed: Sequence[int]) -> Int64s:
    """Return which nodes those generators that leave some nodes fixed carry into one another.

    Args:
        nodes: number of nodes ``N``.
        generators: automorphisms; those that move a node of ``fixed`` have no part.
        fixed: nodes.

    Returns:
        For each node the first one of its orbit; int64 ``[N]``.
    """
    if not generators:
        return np.arange(nodes)
    moved = np.concatenate([one.moved for one in generators])
    images = np.concatenate([one.images for one in generators])
    owner = np.repeat(np.arange(len(generators)), [len(one.moved) for one in generators])
    barred = np.isin(owner, owner[np.isin(moved, np.array(fixed, dtype=np.int64))])
    return least_connected(nodes, moved[~barred], images[~barred])


def _is_permutation(moved: Int64s, images: Int64s) -> bool:
    return np.array_equal(np.sort(moved), np.sort(images))
