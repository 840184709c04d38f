"""Why a state is worth what it is: the entry to all methods."""

from __future__ import annotations

from dataclasses import replace

from neurogame.errors import GameError
from neurogame.evaluators.attribution import Attribution, Method
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.kinds import kind_of_evaluator
from neurogame.evaluators.measured import Measured, value_for
from neurogame.inspect.attribution.by_fluents import (
    integrated_gradients,
    shapley_values,
    toggled,
)
from neurogame.settings import check_kind
from neurogame.simulate.game import Game, State


def attribute(
    evaluator: Evaluator, state: State, role: int, *, method: Method | None = None
) -> Attribution:
    """Return what a state's value for a role is made of.

    Args:
        evaluator: of the state's game.
        state: any state. In a terminal one too it is the evaluator that is explained, though
            searches take the goals there.
        role: index of the role.
        method: see :class:`~neurogame.evaluators.attribution.Attribution`; None: exact
            where values are sums, else Shapley values; those, and gradients, count from the
            initial state.

    Raises:
        GameError: the evaluator is another game's, there is no such role, or the evaluator is no
            sum of parts, for ``exact``.
    """
    check_kind(state, State, "state", "game.initial_state()")
    check_kind(evaluator, Evaluator, "evaluator", "checkpoint.evaluator(game)")
    check_role(state.game, role)
    kind = kind_of_evaluator(evaluator)
    if method != "exact" and not (method is None and kind.is_sum(evaluator)):
        attribution = to_fluents(value_for(evaluator, role), state, method)
    else:
        attribution = kind.explain(evaluator, state, role)
    return replace(attribution, state=state)


def check_role(game: Game, role: int) -> None:
    """Refuse numbers of roles that a game has not.

    Raises:
        GameError: there is no such role.
    """
    if role not in range(len(game.roles)):
        raise GameError(
            f"{game.name} has no role {role!r}; its roles are 0..{len(game.roles) - 1}: "
            + ", ".join(game.roles)
        )


def to_fluents(measured: Measured, state: State, method: Method | None = None) -> Attribution:
    """Return what fluents add to a number, by a method that asks for nothing but the number.

    Args:
        measured: the number.
        state: any state.
        method: ``gradients``, ``shapley`` or ``toggling``; None: Shapley values.

    Raises:
        GameError: gradients are asked for, and the number has none; or there is no such method.
    """
    begin, smooth = state.game.initial_state(), measured.is_smooth
    match method:
        case "toggling":
            return toggled(measured, state)
        case "shapley" | None:
            return shapley_values(measured, state, begin)
        case "gradients" if smooth:
            return integrated_gradients(measured, state, begin)
    methods = "'shapley', 'toggling' and 'gradients'" if smooth else "'shapley' and 'toggling'"
    raise GameError(
        f"there is no method {method!r} for this evaluator or judge, which has "
        f"{'' if smooth else 'no '}gradients; methods for it are {methods}"
    )
