"""Graphs with more inputs or more gates than before, the others as they were."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurogame.array_types import Int64s
from neurogame.graph.graph import Graph, replaced, unnamed
from neurogame.graph.groups import group_starts


def with_more_inputs(graph: Graph, count: int) -> Graph:
    """Return a graph with new inputs, which follow the old ones and move all gates up."""
    literal_of = 2 * np.arange(graph.node_count)
    literal_of[graph.input_count :] += 2 * count
    return replace(
        graph,
        input_count=graph.input_count + count,
        inputs=replaced(graph.inputs, literal_of),
        outputs=replaced(graph.outputs, literal_of),
    )


def with_more_gates(graph: Graph, kind: int, rows: Int64s) -> tuple[Graph, Int64s]:
    """Return a graph with one more gate for each row of literals, and the nodes of these.

    Unlike those of a store they are neither simplified nor shared.

    Args:
        graph: any.
        kind: ``AND`` or ``OR``.
        rows: what each reads; int64 ``[n, k]``.
    """
    count, width = rows.shape
    level = np.append(np.zeros(graph.input_count, np.int64), graph.level)
    larger = replace(
        graph,
        kind=np.append(graph.kind, np.full(count, kind, np.uint8)),
        start=group_starts(np.append(graph.fan_in, np.full(count, width))),
        inputs=np.append(graph.inputs, rows.reshape(-1)),
        level=np.append(graph.level, 1 + level[rows >> 1].max(axis=1)),
        atom=np.append(graph.atom, unnamed(count)),
        rule=np.append(graph.rule, unnamed(count)),
    )
    return larger, graph.node_count + np.arange(count)
