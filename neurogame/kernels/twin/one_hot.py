"""Shorter gates through the fact that every role makes exactly one move.

A frame axiom says "this cell stays, if one of these three hundred moves is made", where "if
none of these four moves is made" says the same: over the moves of one role, the disjunction of
a set is the complement of the disjunction of all others.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools, Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.extend import with_more_inputs
from neurogame.graph.graph import OR, Graph
from neurogame.graph.groups import group_starts
from neurogame.graph.levels import with_levels
from neurogame.graph.store import GateStore


def complement_wide_move_sets(circuit: Circuit) -> Graph:
    """Replace sets of more than half of a role's moves by the complement of the others.

    Args:
        circuit: the game.

    Returns:
        A graph with the circuit's inputs and outputs, equal to its own wherever exactly one move
        of each role is made.
    """
    graph = circuit.graph
    owner = np.repeat(np.arange(graph.gate_count), graph.fan_in)
    node = graph.inputs >> 1
    # An OR reads the moves as they are, an AND reads "this move is not made".
    helpful = (graph.inputs & 1) == (graph.kind[owner] != OR)
    dropped = np.zeros(graph.edge_count, np.bool_)
    owners, others = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    begin = 1 + len(circuit.fluents)
    for moves in circuit.moves:
        end = begin + len(moves)
        edges = np.flatnonzero(helpful & (node >= begin) & (node < end))
        count = np.bincount(owner[edges], minlength=graph.gate_count)
        wide = count > max(len(moves) // 2, 2)
        edges = edges[wide[owner[edges]]]
        dropped[edges] = True
        gates, first = np.unique(owner[edges], return_index=True)
        owners.append(gates)
        for own in np.split(edges, first[1:]) if len(gates) else []:
            others.append(2 * np.setdiff1d(np.arange(begin, end), node[own]))
        begin = end
    if not dropped.any():
        return graph
    store = GateStore(graph.input_count)
    sets = store.make(OR, np.concatenate(others), group_starts(np.array([*map(len, others[1:])])))
    # An OR of the set is "none of the others"; an AND of its complements "some other".
    gates = np.concatenate(owners)
    sets ^= graph.kind[gates] == OR
    return _joined(store.graph(sets), graph, ~dropped, gates)


def _joined(sets: Graph, graph: Graph, kept: Bools, gates: Int64s) -> Graph:
    """Return the gates of two graphs over the same inputs, some of the second with more to read.

    Args:
        sets: its outputs are what these gates read.
        graph: any.
        kept: which of its edges stay; bool ``[E]``.
        gates: gate that reads each output; int64 ``[n]``.
    """
    # The gates of the sets come first.
    own = with_more_inputs(graph, sets.gate_count)
    owner = np.append(np.repeat(np.arange(graph.gate_count), graph.fan_in)[kept], gates)
    inputs = np.append(own.inputs[kept], sets.outputs)[np.argsort(owner, kind="stable")]
    fan_in = np.bincount(owner, minlength=graph.gate_count)
    return with_levels(
        Graph(
            input_count=graph.input_count,
            kind=np.append(sets.kind, graph.kind),
            start=group_starts(np.append(sets.fan_in, fan_in)),
            inputs=np.append(sets.inputs, inputs),
            level=np.append(0 * sets.level, graph.level),
            outputs=own.outputs,
            atom=np.append(sets.atom, graph.atom),
            rule=np.append(sets.rule, graph.rule),
        )
    )
