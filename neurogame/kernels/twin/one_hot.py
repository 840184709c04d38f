"""Shorter gates through the fact that every role makes exactly one move.

A frame axiom says "this cell stays, if one of these three hundred moves is made", where "if
none of these four moves is made" says the same: over the moves of one role, the disjunction of
a set is the complement of the disjunction of all others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import OR, TRUE, Circuit
from neurogame.ground.atoms import IntArray


def complement_wide_move_sets(
    circuit: Circuit,
) -> tuple[npt.NDArray[np.uint8], IntArray, IntArray]:
    """Replace sets of more than half of a role's moves by the complement of the others.

    Args:
        circuit: the game.

    Returns:
        Kinds, starts and inputs of the gates as in :class:`Circuit`, with new gates appended
        at the end (so that the order is no longer topological). Equal to the circuit wherever
        exactly one move of each role is made.
    """
    kinds, start, inputs = circuit.gate_kind, circuit.gate_start, circuit.gate_inputs
    owner = np.repeat(np.arange(len(kinds)), np.diff(start))
    # An OR reads the moves as they are, an AND reads "this move is not made".
    helpful = (inputs & 1) == (kinds[owner] != OR)
    added: dict[bytes, int] = {}
    added_inputs: list[IntArray] = []
    replacement: list[tuple[IntArray, IntArray]] = []
    dropped = np.zeros(len(inputs), bool)
    node = inputs >> 1
    begin = 1 + len(circuit.fluents)
    for moves in circuit.moves:
        end = begin + len(moves)
        edges = np.flatnonzero(helpful & (node >= begin) & (node < end))
        count = np.bincount(owner[edges], minlength=len(kinds))
        wide = count > max(len(moves) // 2, 2)
        edges = edges[wide[owner[edges]]]
        dropped[edges] = True
        gates, first = np.unique(owner[edges], return_index=True)
        for gate, group in zip(gates, np.split(edges, first[1:]), strict=False):
            others = np.setdiff1d(np.arange(begin, end), node[group]) * 2
            literal = _disjunction(others, added, added_inputs, circuit.node_count)
            # An OR of the set is "none of the others"; an AND of its complements "some other".
            literal ^= int(kinds[gate] == OR)
            replacement.append((np.array([gate]), np.array([literal])))
        begin = end
    owners = np.concatenate([owner[~dropped], *(gate for gate, _ in replacement)])
    literals = np.concatenate([inputs[~dropped], *(literal for _, literal in replacement)])
    order = np.lexsort((literals, owners))
    width = np.concatenate(
        [np.bincount(owners, minlength=len(kinds)), [len(row) for row in added_inputs]]
    ).astype(np.int64)
    return (
        np.concatenate([kinds, np.full(len(added_inputs), OR, np.uint8)]),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(width)]),
        np.concatenate([literals[order], *added_inputs]).astype(np.int64),
    )


def _disjunction(
    literals: IntArray,
    added: dict[bytes, int],
    added_inputs: list[IntArray],
    first_node: int,
) -> int:
    """Return a literal for the disjunction, from a new gate unless it is trivial or known."""
    if len(literals) == 0:
        return TRUE ^ 1
    if len(literals) == 1:
        return int(literals[0])
    key = literals.tobytes()
    if key not in added:
        added[key] = 2 * (first_node + len(added_inputs))
        added_inputs.append(literals)
    return added[key]
