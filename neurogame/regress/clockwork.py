"""Fluents that run like a clock: what becomes of them depends on no move."""

from __future__ import annotations

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.graph.formulas import Formulas
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.graph.lanes import Bits


def clockwork(circuit: Circuit) -> Bits:
    """Return the fluents that no move has any influence on, now or later.

    Such are step counters, and whose turn it is where the roles move strictly in turns: after so
    many plies they are the same in every game.

    Args:
        circuit: the game.

    Returns:
        Bool ``[F]``: the largest set of fluents whose ``next`` reads no move, and no fluent that
        is not in the set.
    """
    next_literals = Formulas.of_circuit(circuit, circuit.next)
    levels = list(next_literals.levels())
    moved = np.zeros(circuit.node_count, np.bool_)
    moved[1 + len(circuit.fluents) : circuit.first_gate] = True
    while True:
        for gates in levels:
            inputs = gather_groups(circuit.gate_start, circuit.gate_inputs, gates)
            first = group_starts(np.diff(circuit.gate_start)[gates])[:-1]
            moved[circuit.first_gate + gates] = np.logical_or.reduceat(moved[inputs >> 1], first)
        found = moved[circuit.next >> 1]
        if not (found & ~moved[1 : 1 + len(found)]).any():
            unmoved: Bits = ~found
            return unmoved
        moved[1 : 1 + len(found)] |= found
