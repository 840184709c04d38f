"""The regression of all goals, restricted to each move."""

from __future__ import annotations

from collections.abc import Sequence

from neurogame.circuit.circuit import Circuit
from neurogame.regress.regress import regressed_goals
from neurogame.regress.specialise import GATE_BUDGET, MoveFormulas, formulas_of_moves


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
