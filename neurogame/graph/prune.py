"""What the outputs of a graph depend on, and the graph without the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurogame.array_types import Bools, Int64s
from neurogame.graph.graph import Graph, replaced
from neurogame.graph.groups import gather_groups, sorted_in_groups


def needed(graph: Graph) -> Bools:
    """Return which nodes the outputs depend on, their own included; bool ``[I + G]``."""
    marks = np.zeros(graph.node_count, np.bool_)
    place = np.zeros(len(marks), np.int64)
    below = graph.outputs >> 1
    while len(below):
        # Of equal nodes the one whose place was noted last stays.
        index = np.arange(len(below))
        place[below] = index
        fresh = below[place[below] == index]
        marks[fresh] = True
        gates = fresh[fresh >= graph.input_count] - graph.input_count
        below = gather_groups(graph.start, graph.inputs, gates) >> 1
        below = below[~marks[below]]
    return marks


def needed_gates(graph: Graph) -> Int64s:
    """Return the gates that the outputs depend on, ascending; int64 ``[n]``."""
    return np.flatnonzero(needed(graph)[graph.input_count :])


def prune(graph: Graph) -> Graph:
    """Return the same graph without the gates that no output needs, in the same order."""
    return with_gates(graph, needed_gates(graph))


def prune_by_level(graph: Graph) -> Graph:
    """Return the same graph without the gates that no output needs, sorted by level.

    The order within a level stays, so the result is the same in every run. The inputs of each
    gate ascend.
    """
    kept = needed_gates(graph)
    kept = kept[np.argsort(graph.level[kept], kind="stable")]
    return with_sorted_inputs(with_gates(graph, kept))


def with_gates(graph: Graph, kept: Int64s) -> Graph:
    """Return the graph with some of its gates only.

    Args:
        graph: any.
        kept: gates, inputs before their readers; what they and the outputs read must be among
            them; int64 ``[n]``.
    """
    literal_of = 2 * np.arange(graph.node_count)
    literal_of[graph.input_count + kept] = 2 * (graph.input_count + np.arange(len(kept)))
    return rewired_gates(graph, kept, graph.input_count, literal_of)


def rewired_gates(graph: Graph, kept: Int64s, input_count: int, literal_of: Int64s) -> Graph:
    """Return some of the gates of a graph above other inputs.

    Args:
        graph: any.
        kept: gates, inputs before their readers; int64 ``[n]``.
        input_count: number of the new graph's inputs.
        literal_of: for each node that they or the outputs read, the literal of the new graph that
            stands for it; int64 ``[I + G]``.
    """
    inputs, start = graph.inputs_of(kept)
    return Graph(
        input_count=input_count,
        kind=graph.kind[kept],
        start=start,
        inputs=replaced(inputs, literal_of),
        level=graph.level[kept],
        outputs=replaced(graph.outputs, literal_of),
        atom=graph.atom[kept],
        rule=graph.rule[kept],
    )


def with_sorted_inputs(graph: Graph) -> Graph:
    """Return the same graph, in which the inputs of each gate ascend."""
    owner = np.repeat(np.arange(graph.gate_count), graph.fan_in)
    return replace(graph, inputs=sorted_in_groups(owner, graph.inputs))
