"""Fluents that run like a clock: what becomes of them depends on no move."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools
from neurogame.circuit.circuit import Circuit
from neurogame.graph.levels import levels, reading


def clockwork(circuit: Circuit) -> Bools:
    """Return the fluents that no move has any influence on, now or later.

    Such are step counters, and whose turn it is where the roles move strictly in turns: after so
    many plies they are the same in every game.

    Args:
        circuit: the game.

    Returns:
        Bool ``[F]``: the largest set of fluents whose ``next`` reads no move, and no fluent that
        is not in the set.
    """
    graph = circuit.graph.with_outputs(circuit.next)
    in_order = list(levels(graph))
    moved = np.arange(graph.input_count) > len(circuit.fluents)
    while True:
        ticking = reading(graph, moved, in_order)[circuit.next >> 1]
        if not (ticking & ~moved[1 : 1 + len(ticking)]).any():
            unmoved: Bools = ~ticking
            return unmoved
        moved[1 : 1 + len(ticking)] |= ticking
