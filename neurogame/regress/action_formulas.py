"""Action formulas: for each move of a role, what must hold now so that it leads to a goal.

*Reference:* Trutman and Schiffel, "Creating Action Heuristics for General Game Playing Agents",
section "Algorithm".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.analyse import GameAnalysis
from neurogame.array_types import Bools, Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError
from neurogame.graph.graph import Graph
from neurogame.graph.positive import positive
from neurogame.regress.regress_steps import formulas_in_steps
from neurogame.regress.specialise import GATE_BUDGET, MoveFormulas
from neurogame.regress.unknowns import without_moves

GOALS = ("top", "all")
UNKNOWN = ("neutral", "half", "legal")


@final
@dataclass(frozen=True, eq=False)
class ActionFormulas:
    """Formulas for the moves of one role, ready for fuzzy evaluation.

    ``N`` goal values, ``M`` moves of the role, ``K`` leaves.

    Attributes:
        role: index of the role.
        goals: the goal values that the formulas are about, 0..100, descending; int64 ``[N]``.
        graph: what is left of the regressed goals for each move, without negation: its inputs are
            the leaves, its outputs the formulas of each goal value and move, row by row.
        leaves: literals of the circuit's inputs (0 the constant false, then the fluents, then the
            moves of all roles), ascending; int64 ``[K]``. No move of the role is a leaf if
            :attr:`specialised`; the moves of other roles are leaves where they are unknown and
            unknowns were to be kept.
        specialised: whether every move has formulas of its own; if not, they would have been too
            large, and those of all moves are the same (but for the role's only noop in a
            turn-taking game), to be read with the move itself true and the role's other moves
            false.
        unknown: where others' unknown moves are left out: of which formulas nothing is left; they
            are constantly false; bool ``[N, M]``.
    """

    role: int
    goals: Int64s
    graph: Graph
    leaves: Int64s
    specialised: bool
    unknown: Bools

    @property
    def outputs(self) -> Int64s:
        """Node of the formula of each goal value and move; int64 ``[N, M]``."""
        return (self.graph.outputs >> 1).reshape(self.unknown.shape)


def action_formulas(
    circuit: Circuit,
    analysis: GameAnalysis,
    *,
    goals: str = "top",
    unknown: str = "neutral",
    steps: int = 1,
    others: str = "unknown",
    budget: int = GATE_BUDGET,
) -> tuple[ActionFormulas, ...]:
    """Return the formulas of all moves of every role.

    Fluents that certainly never or always hold are replaced by constants, which is what they
    count as in fuzzy evaluation with knowledge of persistent fluents.

    Args:
        circuit: the game.
        analysis: of the game: turn-taking, noops, constant fluents.
        goals: ``top``: only the highest goal value of each role, as in the paper; ``all``: every
            goal value that the rules name.
        unknown: what is to become of moves of other roles that stay unknown. ``neutral``: they
            are left out of the gates that read them; ``half`` and ``legal``: they stay leaves,
            for whoever evaluates the formulas to count as 0.5, or as one in the number of legal
            moves.
        steps: plies to look ahead, at least 1; the paper: 1.
        others: what the other roles do, ``unknown`` or ``least``; see
            :func:`~.regress_steps.formulas_in_steps`.
        budget: gates that may be made for single moves, an equal share for each role.

    Returns:
        One per role, in role order.

    Raises:
        ConfigurationError: an option has another value than those named.
        LimitError: the budget is not enough to look several steps ahead, or to foresee others.
    """
    _check("goals", goals, GOALS)
    _check("unknown", unknown, UNKNOWN)
    share = budget // max(len(circuit.roles), 1)
    formulas = []
    for role, pairs in enumerate(circuit.goals):
        chosen = pairs[:1] if goals == "top" else pairs
        literals = np.array([literal for _, literal in chosen], np.int64)
        moves = formulas_in_steps(
            circuit, literals, role, steps, analysis, others=others, budget=share
        )
        formulas.append(_packed(circuit, moves, [v for v, _ in chosen], unknown == "neutral"))
    return tuple(formulas)


def _packed(
    circuit: Circuit, moves: MoveFormulas, goals: list[int], neutral: bool
) -> ActionFormulas:
    """Return formulas of one role's moves without inner negations."""
    nothing = np.zeros(moves.shape, np.bool_)
    if neutral:
        moves, nothing = without_moves(circuit, moves)
    graph, leaves = positive(moves.graph)
    return ActionFormulas(
        role=moves.role,
        goals=np.array(goals, np.int64),
        graph=graph,
        leaves=leaves,
        specialised=moves.specialised,
        unknown=nothing,
    )


def _check(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ConfigurationError(
            f"{name} of action formulas is {value!r}; choose one of {', '.join(allowed)}"
        )
