"""The gates that moves change, found from the leaves about them up, and computed once more.

A bit says for each gate whether it is still to be computed; a gate whose value differs marks those
that read it. Values are either float32 in sixteen lanes, a move each, or float64 for one move.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float64s1, Int64s1, UInt32s1, UInt64s1
from neurogame.graph.graph import AND
from neurogame.kernels.actions.formulas import Formulas
from neurogame.kernels.actions.gates import LANES, run_gate
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import inner

_BLOCK = 64
_ONE = np.uint64(1)
_ROW = 4 * LANES


@inner
def compute_changes(formulas: Formulas, begin: int, moves: int, exact: bool) -> int:
    """Compute the gates that some legal moves change, and return how many were computed.

    Their numbers are in ``changed``, and what they were before in ``before``.

    Args:
        formulas: the role's; the leaves about the moves are written.
        begin: first of the legal moves.
        moves: how many; 1 if exact.
        exact: whether to compute ``values``, and not ``rows``.
    """
    runs, first_use, uses = formulas.runs, formulas.first_use, formulas.uses
    marks, changed, before = formulas.marks, formulas.changed, formulas.before
    leaf_count = len(formulas.bits)
    for place in range(begin, begin + moves):
        for side in range(2):
            leaf = formulas.move_leaves[formulas.legal_moves[place], side]
            if leaf >= 0:
                _mark_uses(marks, uses, first_use[leaf], first_use[leaf + 1])
    count, number, first, last = 0, -1, 0, 0
    for word in range((len(first_use) - 1 - leaf_count + _BLOCK - 1) // _BLOCK):
        while marks[word] != 0:
            gate = _BLOCK * word + lowest_bit(marks[word])
            marks[word] &= marks[word] - _ONE
            while gate >= last:
                number += 1
                first, last = last, last + runs[number, 2]
            node = leaf_count + gate
            changed[count] = node
            differs = False
            if exact:
                before[count] = formulas.values[node]
                formulas.values[node] = exact_gate(
                    formulas.values, formulas.edges, runs[number], gate - first
                )
                differs = formulas.values[node] != before[count]
            else:
                old = formulas.rows[node, 0]
                before[count] = old
                run_gate(
                    formulas.rows, runs[number], gate - first, formulas.edges, formulas.weights
                )
                for lane in range(LANES):
                    differs |= formulas.rows[node, lane] != old
            count += 1
            if differs:
                _mark_uses(marks, uses, first_use[node], first_use[node + 1])
    return count


@inner
def exact_gate(values: Float64s1, edges: UInt32s1, run: Int64s1, gate: int) -> float:
    """Return the value of one gate of a run in one state."""
    edge = run[3] + gate * run[1]
    total = values[edges[edge] // _ROW]
    for k in range(1, run[1]):
        value = values[edges[edge + k] // _ROW]
        total = total * value if run[0] == AND else total + value * (1 - total)
    truth: float = total
    return truth


@inner
def _mark_uses(marks: UInt64s1, uses: UInt32s1, first: int, last: int) -> None:
    """Mark the gates that read a node: some of those listed."""
    for place in range(first, last):
        gate = np.uint64(uses[place])
        marks[gate >> np.uint64(6)] |= _ONE << (gate & np.uint64(63))
