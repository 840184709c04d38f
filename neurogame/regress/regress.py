"""One-step regression: what must hold, and be done, now so that a formula holds next.

The regressed formula is never expanded: it is the formula's own gates over those of the
``next`` literals, shared, hence at most as large as the circuit. Positive cycles are unrolled
in the circuit and need no special case.
"""

from __future__ import annotations

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError
from neurogame.graph.formulas import Formulas
from neurogame.graph.gates import GateStore
from neurogame.graph.rewrite import rewrite
from neurogame.ground.atoms import IntArray


def regress(circuit: Circuit, literals: IntArray) -> Formulas:
    """Return the regression ``R[F]`` of state formulas by one step.

    ``R[true(f)]`` is the literal of ``next(f)``, false where the rules have none, and ``R`` goes
    through and, or and not. So ``R[F]`` holds in a state under a joint move exactly where ``F``
    holds in the state that follows.

    Args:
        circuit: the game.
        literals: state formulas as literals of the circuit; int64 ``[N]``.

    Returns:
        Formulas over the fluents and moves of the game; ``[N]``.

    Raises:
        GameError: a formula depends on a move, so it is no state formula.

    Reference:
        Trutman and Schiffel, "Creating Action Heuristics for General Game Playing Agents",
        section "Regression".
    """
    return regress_formulas(circuit, Formulas.of_circuit(circuit, np.asarray(literals, np.int64)))


def regress_formulas(circuit: Circuit, formulas: Formulas) -> Formulas:
    """Return the regression of state formulas that have gates of their own.

    Args:
        circuit: the game.
        formulas: over the inputs of the circuit; ``[N]``.

    Returns:
        See :func:`regress`.

    Raises:
        GameError: a formula depends on a move, so it is no state formula.
    """
    first_move = 1 + len(circuit.fluents)
    needed = formulas.needed()
    if needed[first_move : circuit.first_gate].any():
        raise GameError(
            "only state formulas can be regressed, and one of these depends on a move: take "
            "goals, terminal, legal moves or fluents, not the literals of 'next'"
        )
    fluents = np.flatnonzero(needed[1:first_move])
    store = GateStore(circuit.first_gate)
    leaves = 2 * np.arange(circuit.first_gate)
    following = Formulas.of_circuit(circuit, circuit.next[fluents])
    signal = rewrite(following, leaves, store)
    leaves[1 + fluents] = signal[following.literals >> 1] ^ (following.literals & 1)
    signal = rewrite(formulas, leaves, store)
    return Formulas.of_store(store, signal[formulas.literals >> 1] ^ (formulas.literals & 1))


def regressed_goals(circuit: Circuit, role: int | None = None) -> Formulas:
    """Return ``R[goal(r, v)]`` of all goal values, role by role in the order of ``goals``.

    Args:
        circuit: the game.
        role: index of the only role to take; None for all.
    """
    goals = circuit.goals if role is None else (circuit.goals[role],)
    return regress(circuit, np.array([x for pairs in goals for _, x in pairs], np.int64))
