"""The regression of all goals, restricted to each move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import Graph
from neurogame.regress.regress import regress
from neurogame.regress.specialise import GATE_BUDGET, MoveFormulas, formulas_of_moves


def regressed_goals(circuit: Circuit, role: int | None = None) -> Graph:
    """Return ``R[goal(r, v)]`` of all goal values, role by role in the order of ``goals``.

    Args:
        circuit: the game.
        role: index of the only role to take; None for all.
    """
    goals = circuit.goals if role is None else (circuit.goals[role],)
    literals = np.array([x for pairs in goals for _, x in pairs], np.int64)
    return regress(circuit, circuit.graph.with_outputs(literals))


def goals_of_moves(
    circuit: Circuit, noops: Sequence[Sequence[int]] = (), budget: int = GATE_BUDGET
) -> tuple[MoveFormulas, ...]:
    """Return for each role the regression of all its goal values, restricted to each move.

    Args:
        circuit: the game.
        noops: see :func:`formulas_of_moves`.
        budget: gates that may be made, an equal share for each role.
    """
    roles = range(len(circuit.roles))
    share = budget // max(len(circuit.roles), 1)
    return tuple(
        formulas_of_moves(circuit, regressed_goals(circuit, role), role, noops, share)
        for role in roles
    )
