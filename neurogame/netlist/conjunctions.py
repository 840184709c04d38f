"""Formulas as conjunctions of literals: the form in which common parts are looked for.

A disjunction is the complement of a conjunction of complements, so one kind of gate suffices. A
conjunction that only one other reads, as it is, becomes a part of that one: what is left are
gates as wide as possible, whose inputs may be joined in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.circuit.circuit import OR
from neurogame.graph.formulas import Formulas
from neurogame.ground.atoms import IntArray


@final
@dataclass(frozen=True, eq=False)
class Conjunctions:
    """Gates that are the AND of literals ``2 * node + complement``.

    Attributes:
        input_count: number of inputs, the constant false (node 0) included.
        start: gate ``g``, which is node ``input_count + g``, reads
            ``inputs[start[g]:start[g + 1]]``; int64 ``[G + 1]``.
        inputs: literals; each node is smaller than the gate's own node; int64 ``[E]``.
        roots: the literals that are wanted; int64 ``[N]``.
    """

    input_count: int
    start: IntArray
    inputs: IntArray
    roots: IntArray

    @property
    def gate_count(self) -> int:
        """Number of gates, ``G``."""
        return len(self.start) - 1


def conjunctions_of(formulas: Formulas) -> Conjunctions:
    """Return formulas as conjunctions."""
    flip = np.zeros(formulas.input_count + formulas.gate_count, np.int64)
    flip[formulas.input_count :] = formulas.kind == OR
    own = np.repeat(flip[formulas.input_count :], np.diff(formulas.start))
    return Conjunctions(
        formulas.input_count,
        formulas.start,
        formulas.inputs ^ flip[formulas.inputs >> 1] ^ own,
        formulas.literals ^ flip[formulas.literals >> 1],
    )


def flattened(form: Conjunctions, width: int = 0) -> Conjunctions:
    """Return the same conjunctions with those merged that only one other reads.

    Args:
        form: the conjunctions.
        width: conjunctions of at most so many inputs are merged whoever reads them.
    """
    from neurogame.netlist.extract_loops import flatten

    start, inputs, roots = flatten(form.input_count, form.start, form.inputs, form.roots, width)
    return Conjunctions(form.input_count, start, inputs, roots)


def factored(form: Conjunctions) -> Conjunctions:
    """Return the same functions with literals taken out of terms that have them in common."""
    from neurogame.netlist import factor_loops

    first = form.input_count
    parts = factor_loops.factor(first, form.start, form.inputs, form.roots)
    return Conjunctions(first, *factor_loops.in_order(first, *parts, form.roots))


def split_wide(form: Conjunctions, widest: int) -> Conjunctions:
    """Return the same functions with conjunctions of more inputs split into several.

    Args:
        form: the conjunctions.
        widest: most inputs; at least 2. What joins the parts may have more.
    """
    from neurogame.netlist import factor_loops

    sizes = np.diff(form.start)
    wide = np.flatnonzero(sizes > widest)
    if not len(wide):
        return form
    parts = -(-sizes[wide] // widest)
    within = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    low = np.repeat(form.start[wide], parts) + widest * within
    high = np.minimum(low + widest, np.repeat(form.start[wide + 1], parts))
    begin = np.concatenate([form.start[:-1], low])
    end = np.concatenate([form.start[1:], high])
    own = len(form.inputs) + np.cumsum(parts) - parts
    begin[wide], end[wide] = own, own + parts
    joined = 2 * (form.input_count + form.gate_count + np.arange(len(low)))
    inputs = np.concatenate([form.inputs, joined])
    ordered = factor_loops.in_order(form.input_count, begin, end, inputs, form.roots)
    return Conjunctions(form.input_count, *ordered)
