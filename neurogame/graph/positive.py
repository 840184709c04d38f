"""Graphs without negation but at their leaves: what fuzzy logic reads.

In fuzzy logic a negation can be pushed down to the leaves by De Morgan's laws without changing a
value, as long as the disjunction is the dual of the conjunction. A gate that is read both ways
becomes two. Then no value is ever computed as ``1 - x``, which would lose all digits of a small
``1 - x``.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s
from neurogame.graph.graph import Graph
from neurogame.graph.groups import gather_groups


def positive(graph: Graph) -> tuple[Graph, Int64s]:
    """Push the negations of a graph down to its leaves.

    Args:
        graph: any; gates that no output needs are left out.

    Returns:
        A graph in which no literal is complemented and gates ascend by level, and its inputs
        without the constant, the *leaves*: the literals of the given graph's inputs, and of its
        constant, that the outputs depend on, ascending; int64 ``[K]``.
    """
    count = graph.input_count
    literals = _needed(graph)
    leaves = int(np.searchsorted(literals, 2 * count))
    gates = (literals[leaves:] >> 1) - count
    order = np.argsort(graph.level[gates], kind="stable")
    literals[leaves:], gates = literals[leaves:][order], gates[order]
    literal = np.zeros(2 * graph.node_count, np.int64)
    literal[literals] = 2 * (1 + np.arange(len(literals)))
    turned = literals[leaves:] & 1
    inputs, start = graph.inputs_of(gates)
    monotone = Graph(
        input_count=1 + leaves,
        kind=graph.kind[gates] ^ turned.astype(np.uint8),
        start=start,
        inputs=literal[inputs ^ np.repeat(turned, np.diff(start))],
        level=graph.level[gates],
        outputs=literal[graph.outputs],
        atom=np.where(turned, -1, graph.atom[gates]),
        rule=np.where(turned, -1, graph.rule[gates]),
    )
    return monotone, literals[:leaves]


def _needed(graph: Graph) -> Int64s:
    """Return the literals that the outputs depend on, ascending."""
    needed = np.zeros(2 * graph.node_count, np.bool_)
    below = np.unique(graph.outputs)
    while len(below):
        needed[below] = True
        above = below[below >= 2 * graph.input_count]
        gates = (above >> 1) - graph.input_count
        signs = np.repeat(above & 1, graph.fan_in[gates])
        below = np.unique(gather_groups(graph.start, graph.inputs, gates) ^ signs)
        below = below[~needed[below]]
    return np.flatnonzero(needed)
