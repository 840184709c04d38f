"""One-step regression: what must hold, and be done, now so that a formula holds next.

The regressed formula is never expanded: it is the formula's own gates over those of the
``next`` literals, shared, hence at most as large as the circuit. Positive cycles are unrolled
in the circuit and need no special case.
"""

from __future__ import annotations

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError
from neurogame.graph.graph import Graph
from neurogame.graph.prune import needed, prune
from neurogame.graph.rewrite import rewrite
from neurogame.graph.store import GateStore


def regress(circuit: Circuit, formulas: Graph) -> Graph:
    """Return the regression ``R[F]`` of state formulas by one step.

    ``R[true(f)]`` is the literal of ``next(f)``, false where the rules have none, and ``R`` goes
    through and, or and not. So ``R[F]`` holds in a state under a joint move exactly where ``F``
    holds in the state that follows.

    Args:
        circuit: the game.
        formulas: over the inputs of the circuit: its own graph with these outputs, or another
            graph; ``[N]``.

    Returns:
        Formulas over the fluents and moves of the game; ``[N]``.

    Raises:
        GameError: a formula depends on a move, so it is no state formula.

    Reference:
        Trutman and Schiffel, "Creating Action Heuristics for General Game Playing Agents",
        section "Regression".
    """
    first_move = 1 + len(circuit.fluents)
    read = needed(formulas)
    if read[first_move : circuit.input_count].any():
        raise GameError(
            "only state formulas can be regressed, and one of these depends on a move: take "
            "goals, terminal, legal moves or fluents, not the literals of 'next'"
        )
    fluents = np.flatnonzero(read[1:first_move])
    store = GateStore(circuit.input_count)
    leaves = 2 * np.arange(circuit.input_count)
    following = circuit.graph.with_outputs(circuit.next[fluents])
    leaves[1 + fluents] = rewrite(following, leaves, store)
    return prune(store.graph(rewrite(formulas, leaves, store)))
