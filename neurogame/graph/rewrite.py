"""Rewriting a graph with other inputs: substitution and partial evaluation in one pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurogame.array_types import Int64s
from neurogame.graph.graph import AND, OR, Graph, replaced
from neurogame.graph.groups import group_starts, places_in_groups
from neurogame.graph.levels import steps
from neurogame.graph.prune import prune
from neurogame.graph.store import GateStore


def rewrite_nodes(
    graph: Graph, leaves: Int64s, store: GateStore, width: int | None = None
) -> Int64s:
    """Make the gates of a graph again in a store, with something else in place of each input.

    Constants among the new inputs are simplified away, and gates that become equal are shared.

    Args:
        graph: what to rewrite; only the gates that its outputs need are made.
        leaves: literal of the store for each input, the constant included; int64 ``[I]``.
        store: where the gates are made.
        width: split gates of more inputs than this into trees; at least 2.

    Returns:
        Literal of the store for each node, FALSE for gates that no output needs;
        int64 ``[I + G]``.
    """
    literal_of = np.zeros(graph.node_count, np.int64)
    literal_of[: graph.input_count] = leaves
    for kind, gates in steps(graph):
        inputs, start = graph.inputs_of(gates)
        literals = replaced(inputs, literal_of)
        literal_of[graph.input_count + gates] = _made(store, kind, literals, start, width)
    return literal_of


def rewrite(graph: Graph, leaves: Int64s, store: GateStore, width: int | None = None) -> Int64s:
    """Make the gates of a graph again in a store, and return its outputs there; int64 ``[N]``.

    See :func:`rewrite_nodes`.
    """
    return replaced(graph.outputs, rewrite_nodes(graph, leaves, store, width))


def substituted(graph: Graph, leaves: Int64s) -> Graph:
    """Return the graph with something else in place of some inputs, simplified.

    Args:
        graph: any.
        leaves: literal of an input, or a constant, in place of each input; int64 ``[I]``.
    """
    store = GateStore(graph.input_count)
    return prune(store.graph(rewrite(graph, leaves, store)))


def narrowed(graph: Graph, width: int) -> Graph:
    """Return the same functions with gates of at most so many inputs; at least 2.

    In product logic, too, split gates have the same value: its operations are associative.
    """
    store = GateStore(graph.input_count)
    outputs = rewrite(graph, 2 * np.arange(graph.input_count), store, width)
    return prune(store.graph(outputs))


def conjunctions_of(graph: Graph) -> Graph:
    """Return the same functions with each disjunction as the complement of a conjunction."""
    literal_of = 2 * np.arange(graph.node_count)
    literal_of[graph.input_count :] += graph.kind == OR
    complemented = np.repeat(graph.kind == OR, graph.fan_in)
    return replace(
        graph,
        kind=np.full(graph.gate_count, AND, np.uint8),
        inputs=replaced(graph.inputs, literal_of) ^ complemented,
        outputs=replaced(graph.outputs, literal_of),
    )


def _made(
    store: GateStore, kind: int, literals: Int64s, start: Int64s, width: int | None
) -> Int64s:
    """Make gates, those that are too wide from the gates of their parts."""
    while width is not None and (sizes := np.diff(start)).max() > width:
        parts = -(-sizes // width)
        cuts = np.repeat(start[:-1], parts) + width * places_in_groups(parts)
        cuts = np.append(cuts, start[-1])
        literals = store.make(kind, literals, cuts)
        start = group_starts(parts)
    return store.make(kind, literals, start)
