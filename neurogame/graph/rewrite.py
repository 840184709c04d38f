"""Rewriting a graph with other inputs: substitution and partial evaluation in one pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurogame.array_types import Int64s
from neurogame.graph.graph import AND, FALSE, OR, TRUE, Graph, replaced
from neurogame.graph.groups import group_starts, places_in_groups
from neurogame.graph.levels import levels, steps
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


def remade(graph: Graph, store: GateStore, width: int | None = None) -> Int64s:
    """Make the gates of a graph over the same inputs in a store, and return its outputs there.

    See :func:`rewrite_nodes`.
    """
    return rewrite(graph, 2 * np.arange(graph.input_count), store, width)


def substituted(graph: Graph, leaves: Int64s) -> Graph:
    """Return the graph with something else in place of some inputs, simplified.

    Args:
        graph: any.
        leaves: literal of an input, or a constant, in place of each input; int64 ``[I]``.
    """
    store = GateStore(graph.input_count)
    return prune(store.graph(rewrite(graph, leaves, store)))


def assuming(facts: Graph, graph: Graph, width: int) -> Graph:
    """Return formulas that say the same wherever some facts hold, without what these decide.

    A conjunction that holds says that its parts do, a disjunction that does not that none of its
    parts does; so on down to the inputs. What is decided is a constant in the formulas.

    Args:
        facts: literals that hold, as outputs; over the same inputs.
        graph: the formulas.
        width: the facts are known as trees of gates of at most so many inputs, too, for formulas
            of such gates; at least 2.
    """
    store = GateStore(graph.input_count)
    told = np.concatenate([remade(facts, store), remade(facts, store, width)])
    before = rewrite_nodes(graph, 2 * np.arange(graph.input_count), store)
    decided = _decided(store.graph(told))
    literal_of = replaced(before, decided)
    for kind, gates in steps(graph):
        nodes = graph.input_count + gates
        left = literal_of[nodes] == before[nodes]
        inputs, start = graph.inputs_of(gates[left])
        made = store.make(kind, replaced(inputs, literal_of), start)
        # What is simplified may be what is decided.
        old = made >> 1 < len(decided)
        made[old] = replaced(made[old], decided)
        literal_of[nodes[left]] = made
    return prune(store.graph(replaced(graph.outputs, literal_of)))


def narrowed(graph: Graph, width: int) -> Graph:
    """Return the same functions with gates of at most so many inputs; at least 2.

    In product logic, too, split gates have the same value: its operations are associative.
    """
    store = GateStore(graph.input_count)
    return prune(store.graph(remade(graph, store, width)))


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


def _decided(graph: Graph) -> Int64s:
    """Return for each node its literal, or the constant that it is if all outputs hold."""
    decided = 2 * np.arange(graph.node_count)
    decided[graph.outputs >> 1] = TRUE ^ (graph.outputs & 1)
    decided[0] = FALSE
    for gates in reversed(list(levels(graph))):
        for kind, value in ((AND, TRUE), (OR, FALSE)):
            alike = gates[graph.kind[gates] == kind]
            sure = alike[decided[graph.input_count + alike] == value]
            inputs, _ = graph.inputs_of(sure)
            decided[inputs >> 1] = value ^ (inputs & 1)
    return decided


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
