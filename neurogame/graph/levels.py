"""The gates of a graph in an order in which whole arrays of them can be worked on at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from neurogame.array_types import Bools, Int64s
from neurogame.graph.graph import AND, OR, Graph
from neurogame.graph.prune import needed_gates


def levels(graph: Graph) -> Iterator[Int64s]:
    """Yield the gates that the outputs depend on, level by level from the inputs up.

    Yields:
        Gates; int64 ``[n]``.
    """
    gates = needed_gates(graph)
    order = np.argsort(graph.level[gates], kind="stable")
    yield from split_at_changes(gates[order], graph.level[gates[order]])


def reading(graph: Graph, inputs: Bools, in_order: Iterable[Int64s] | None = None) -> Bools:
    """Return which nodes read some of the inputs, of those that the outputs depend on.

    Args:
        graph: any.
        inputs: the constant's first; bool ``[I]``.
        in_order: its :func:`levels`, for who asks again and again; None: they are found anew.

    Returns:
        Bool ``[I + G]``; of the inputs those that were given.
    """
    read = np.zeros(graph.node_count, np.bool_)
    read[: graph.input_count] = inputs
    for gates in levels(graph) if in_order is None else in_order:
        literals, start = graph.inputs_of(gates)
        read[graph.input_count + gates] = np.logical_or.reduceat(read[literals >> 1], start[:-1])
    return read


def steps(graph: Graph) -> Iterator[tuple[int, Int64s]]:
    """Yield a kind, and the gates of one level and that kind that the outputs depend on, in turn.

    Yields:
        ``AND`` or ``OR``, and gates; int64 ``[n]``.
    """
    for gates in levels(graph):
        for kind in (AND, OR):
            alike = gates[graph.kind[gates] == kind]
            if len(alike):
                yield kind, alike


def runs(graph: Graph) -> list[Int64s]:
    """Return all gates, cut into runs of one level, kind and number of inputs, in this order.

    Returns:
        Gates; int64 ``[n]`` each.
    """
    keys = graph.level, graph.kind.astype(np.int64), graph.fan_in
    order = np.lexsort(keys[::-1])
    return split_at_changes(order, *(key[order] for key in keys))


def with_levels(graph: Graph) -> Graph:
    """Return the graph with its levels counted anew; the old ones only order the gates rightly."""
    level = np.zeros(graph.node_count, np.int64)
    for gates in all_levels(graph):
        inputs, start = graph.inputs_of(gates)
        level[graph.input_count + gates] = 1 + np.maximum.reduceat(level[inputs >> 1], start[:-1])
    return replace(graph, level=level[graph.input_count :])


def all_levels(graph: Graph) -> list[Int64s]:
    """Return the gates of each level, lowest first, whether or not an output needs them.

    Returns:
        Gates; int64 ``[n]`` each.
    """
    order = np.argsort(graph.level, kind="stable")
    return split_at_changes(order, graph.level[order])


def split_at_changes(values: Int64s, *keys: Int64s) -> list[Int64s]:
    """Cut values into runs that are alike in all keys; no runs of nothing.

    Args:
        values: int64 ``[n]``.
        keys: so sorted that what is alike lies side by side; int64 ``[n]`` each.
    """
    if not len(values):
        return []
    new = np.zeros(len(values) - 1, np.bool_)
    for key in keys:
        new |= key[1:] != key[:-1]
    return np.split(values, 1 + np.flatnonzero(new))
