"""Formulas without negation but at their leaves: what fuzzy logic reads.

In fuzzy logic a negation can be pushed down to the leaves by De Morgan's laws without changing a
value, as long as the disjunction is the dual of the conjunction. A gate that is read both ways
becomes two. Then no value is ever computed as ``1 - x``, which would lose all digits of a small
``1 - x``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from neurogame.graph.formulas import Formulas
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.ground.atoms import IntArray


@final
@dataclass(frozen=True, eq=False)
class PositiveFormulas:
    """Conjunctions and disjunctions of literals, shared between many formulas.

    ``K`` leaves, ``G`` gates, ``E`` edges, ``N`` formulas. Nodes ``0..K-1`` are the leaves, gate
    ``g`` is node ``K + g``.

    Attributes:
        leaves: the leaves as literals of the circuit: ``2 n + s`` is input ``n`` of the circuit
            (0 the constant false, then the fluents, then the moves of all roles), negated where
            ``s`` is 1; ascending, without repetition; int64 ``[K]``.
        kind: ``AND`` (0) or ``OR`` (1); uint8 ``[G]``.
        start: gate ``g`` reads ``inputs[start[g]:start[g + 1]]``; int64 ``[G + 1]``.
        inputs: nodes, each smaller than the gate's own; int64 ``[E]``.
        level: longest distance to a leaf, at least 1, ascending; int64 ``[G]``.
        outputs: the node of each formula; int64 ``[N]``.
    """

    leaves: IntArray
    kind: npt.NDArray[np.uint8]
    start: IntArray
    inputs: IntArray
    level: IntArray
    outputs: IntArray

    @property
    def leaf_count(self) -> int:
        """Number of leaves, ``K``."""
        return len(self.leaves)

    @property
    def gate_count(self) -> int:
        """Number of gates, ``G``."""
        return len(self.kind)


def positive(formulas: Formulas) -> PositiveFormulas:
    """Push the negations of formulas down to their leaves.

    Args:
        formulas: any; gates that none of them needs are left out.
    """
    count = formulas.input_count
    literals = _needed(formulas)
    first = int(np.searchsorted(literals, 2 * count))
    gates = (literals[first:] >> 1) - count
    order = np.argsort(formulas.level[gates], kind="stable")
    literals[first:], gates = literals[first:][order], gates[order]
    node = np.full(2 * (count + formulas.gate_count), -1, np.int64)
    node[literals] = np.arange(len(literals))
    sizes = np.diff(formulas.start)[gates]
    turned = literals[first:] & 1
    below = gather_groups(formulas.start, formulas.inputs, gates) ^ np.repeat(turned, sizes)
    return PositiveFormulas(
        leaves=literals[:first],
        kind=formulas.kind[gates] ^ turned.astype(np.uint8),
        start=group_starts(sizes),
        inputs=node[below],
        level=formulas.level[gates],
        outputs=node[formulas.literals],
    )


def _needed(formulas: Formulas) -> IntArray:
    """Return the literals that the formulas depend on, ascending."""
    count = formulas.input_count
    needed = np.zeros(2 * (count + formulas.gate_count), np.bool_)
    below = np.unique(formulas.literals)
    while len(below):
        needed[below] = True
        above = below[below >= 2 * count]
        gates = (above >> 1) - count
        signs = np.repeat(above & 1, np.diff(formulas.start)[gates])
        below = np.unique(gather_groups(formulas.start, formulas.inputs, gates) ^ signs)
        below = below[~needed[below]]
    return np.flatnonzero(needed)
