"""Graphs of conjunctions alone: the form in which common parts are looked for.

A disjunction is the complement of a conjunction of complements, so one kind of gate suffices. A
conjunction that only one other reads, as it is, becomes a part of that one: what is left are
gates as wide as possible, whose inputs may be joined in any order.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s
from neurogame.graph.graph import AND, Graph, unnamed
from neurogame.graph.groups import places_in_groups


def conjunctions(input_count: int, start: Int64s, inputs: Int64s, outputs: Int64s) -> Graph:
    """Return a graph whose gates are all conjunctions.

    Args:
        input_count: number of inputs, the constant included.
        start: gate ``g`` reads ``inputs[start[g]:start[g + 1]]``; int64 ``[G + 1]``.
        inputs: literals; int64 ``[E]``.
        outputs: literals; int64 ``[N]``.
    """
    from neurogame.kernels.netlist.move_loops import levels

    none = unnamed(len(start) - 1)
    return Graph(
        input_count=input_count,
        kind=np.full(len(none), AND, np.uint8),
        start=start,
        inputs=inputs,
        level=levels(input_count, start, inputs),
        outputs=outputs,
        atom=none,
        rule=none,
    )


def flattened(form: Graph, width: int = 0) -> Graph:
    """Return the same conjunctions with those merged that only one other reads.

    Args:
        form: the conjunctions.
        width: conjunctions of at most so many inputs are merged whoever reads them.
    """
    from neurogame.kernels.netlist.extract_loops import flatten

    return conjunctions(form.input_count, *flatten(form, width))


def factored(form: Graph) -> Graph:
    """Return the same functions with literals taken out of terms that have them in common."""
    from neurogame.kernels.netlist import factor_loops

    first, parts = form.input_count, factor_loops.factor(form)
    return conjunctions(first, *factor_loops.in_order(first, *parts, form.outputs))


def split_wide(form: Graph, widest: int) -> Graph:
    """Return the same functions with conjunctions of more inputs split into several.

    Args:
        form: the conjunctions.
        widest: most inputs; at least 2. What joins the parts may have more.
    """
    from neurogame.kernels.netlist import factor_loops

    sizes = form.fan_in
    wide = np.flatnonzero(sizes > widest)
    if not len(wide):
        return form
    parts = -(-sizes[wide] // widest)
    low = np.repeat(form.start[wide], parts) + widest * places_in_groups(parts)
    high = np.minimum(low + widest, np.repeat(form.start[wide + 1], parts))
    begin = np.concatenate([form.start[:-1], low])
    end = np.concatenate([form.start[1:], high])
    first = form.edge_count + np.cumsum(parts) - parts
    begin[wide], end[wide] = first, first + parts
    joined = 2 * (form.node_count + np.arange(len(low)))
    inputs = np.concatenate([form.inputs, joined])
    ordered = factor_loops.in_order(form.input_count, begin, end, inputs, form.outputs)
    return conjunctions(form.input_count, *ordered)
