"""Why a move is good or bad: by a judge of moves, or by an evaluator of the states after moves."""

from __future__ import annotations

import math
from dataclasses import replace

from neurogame.errors import GameError
from neurogame.evaluators.attribution import Attribution, Method
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.kinds import kind_of_judge
from neurogame.inspect.attribution.attribute import attribute, check_role, to_fluents
from neurogame.inspect.attribution.exact import adds, exact
from neurogame.inspect.move_values import EvaluatorOrJudge, worst_answer
from neurogame.kernels.rules_network.limits import MOST
from neurogame.simulate.game import State


def attribute_move(
    opinion: EvaluatorOrJudge,
    state: State,
    role: int,
    move: int,
    *,
    method: Method | None = None,
) -> Attribution:
    """Return what a move's score, or the value of the state that it leads to, is made of.

    :func:`~neurogame.evaluators.attribution.difference` of two moves of a state says why
    rather one than the other.

    Args:
        opinion: a judge of moves, or an evaluator of states; of the state's game. Of an evaluator
            the state after the move is taken apart; where others move at the same time, after the
            answer that is worst for the role. A game that is over then counts its goal.
        state: in which the move is legal.
        role: whose move; its index.
        move: an index into the role's moves.
        method: see :class:`~neurogame.evaluators.attribution.Attribution`; None: exact
            where there is such a sum, else Shapley values; those, and gradients, count from the
            initial state, in which the move need not be legal.

    Raises:
        GameError: there is no such role, the move is not legal, or the method does not fit.
    """
    check_move(state, role, move)
    if isinstance(opinion, Evaluator):
        after = state.next(worst_answer(opinion, state, role, move))
        attribution = attribute(opinion, after, role, method=method)
        return replace(_ended(attribution, after) if after.is_terminal else attribution, move=move)
    kind = kind_of_judge(opinion)
    if method == "exact" or (method is None and kind.is_sum(opinion)):
        attribution = kind.explain(opinion, state, role, move)
    else:
        attribution = to_fluents(kind.score(opinion, state, role, move), state, method)
    return replace(attribution, state=state)


def check_move(state: State, role: int, move: int) -> None:
    """Refuse moves that are not legal.

    Raises:
        GameError: there is no such role, or the move is not legal.
    """
    game = state.game
    check_role(game, role)
    legal = state.legal_moves[role]
    if move not in legal:
        texts = [game.moves[role][index] for index in legal]
        name = game.moves[role][move] if 0 <= move < len(game.moves[role]) else move
        raise GameError(
            f"{name} is no legal move of {game.roles[role]} in this state; legal are: "
            + (", ".join(texts) or "none, the game is over")
        )


def _ended(attribution: Attribution, state: State) -> Attribution:
    """Return that a state is worth its goal, as the game is over."""
    value = (state.goals[attribution.role] or 0) / 100
    total = value
    if attribution.unit == "log-odds":
        # Those of a sure win are infinite; here as in the evaluator there is a most.
        least = math.exp(-MOST)
        total = math.log(max(value, least) / max(1 - value, least))
    goal = adds("goal", "the goal that it ends with", total)
    nothing = [0.0] * len(attribution.by_fluent)
    ended = exact(attribution.unit, attribution.role, total, [goal], nothing, value=value)
    return replace(ended, method=attribution.method, state=state)
