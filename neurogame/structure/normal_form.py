"""A graph in a form that depends less on how its conditions were written down.

Disjunctions become complements of conjunctions, and a conjunction that another one reads is written
out there. So "a, and b and c" is the same as "a and b, and c".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurogame.graph.graph import Graph
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.graph.levels import all_levels
from neurogame.graph.prune import prune
from neurogame.graph.rewrite import conjunctions_of, substituted

_WIDEST = 16
"""Conjunctions of more inputs are written out only where nobody else reads them."""


def normal_form(graph: Graph) -> Graph:
    """Return the same functions as conjunctions of as many inputs as possible, each made once."""
    form = prune(conjunctions_of(graph))
    readers = np.bincount(form.inputs >> 1, minlength=form.node_count)
    readers += np.bincount(form.outputs >> 1, minlength=form.node_count)
    begin = np.zeros(form.node_count, np.int64)
    sizes = np.zeros(form.node_count, np.int64)
    literals = np.zeros(max(2 * form.edge_count, 1), np.int64)
    used = 0
    for gates in all_levels(form):
        read, start = form.inputs_of(gates)
        node = read >> 1
        small = (readers[node] == 1) | (sizes[node] <= _WIDEST)
        wide = (read & 1 == 0) & (sizes[node] > 0) & small
        count = np.where(wide, sizes[node], 1)
        place = group_starts(count)
        made = np.repeat(np.where(wide, 0, read), count)
        written = np.flatnonzero(np.repeat(wide, count))
        ends = begin[node[wide]] + sizes[node[wide]]
        made[written] = gather_groups(
            np.stack([begin[node[wide]], ends], axis=1).reshape(-1),
            literals,
            2 * np.arange(int(wide.sum())),
        )
        if used + len(made) > len(literals):
            literals = np.resize(literals, max(used + len(made), 2 * len(literals)))
        literals[used : used + len(made)] = made
        nodes = form.input_count + gates
        begin[nodes], sizes[nodes] = used + place[start[:-1]], np.diff(place[start])
        used += len(made)
    begin, sizes = begin[form.input_count :], sizes[form.input_count :]
    order = np.argsort(begin, kind="stable")
    rank = np.argsort(order, kind="stable")
    inputs = gather_groups(np.append(begin[order], used), literals, rank)
    merged = replace(form, start=group_starts(sizes), inputs=inputs)
    return substituted(merged, 2 * np.arange(merged.input_count))
