"""Fidelity: how far rules value states, and choose moves, as the evaluator they came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.arena.positions import PlayedPositions, values_of
from neurogame.arena.reliability import log_odds
from neurogame.array_types import Float64s2
from neurogame.evaluators.base import Evaluator
from neurogame.inspect.change.move_changes import move_changes
from neurogame.inspect.rules.design import CLIPPED
from neurogame.simulate.game import Game

_CLEAR = 0.05
"""A value that is nearer to one half favours nobody."""


@final
@dataclass(frozen=True, kw_only=True)
class Fidelity:
    """How far two evaluators agree; all but the last of values of all roles.

    Attributes:
        states: number of states.
        difference: mean absolute difference of the values, 0..1.
        correlation: of the log-odds, cut off at 6; 0 where one of them is the same everywhere.
        side: share of the values on the same side of one half, where the first evaluator's is
            more than 0.05 from it.
        choices: pairs of a state and a role with a choice.
        moves: share of these in which the second one's best move at one ply is one of the first
            one's best; where it has several best moves, the share of them.
        chance: what moves at random come to.
    """

    states: int
    difference: float
    correlation: float
    side: float
    choices: int
    moves: float
    chance: float


def fidelity(
    game: Game, teacher: Evaluator, student: Evaluator, played: PlayedPositions
) -> Fidelity:
    """Compare two evaluators.

    Args:
        game: the game.
        teacher: the first one.
        student: the second one.
        played: positions, best of games that neither was fitted to.
    """
    one, other = (values_of(evaluator, played.states) for evaluator in (teacher, student))
    clear = np.abs(one - 0.5) > _CLEAR
    best = move_changes(game, teacher, student, played.states)
    return Fidelity(
        states=len(played),
        difference=float(np.abs(one - other).mean()),
        correlation=_correlation(one, other),
        side=float(((one > 0.5) == (other > 0.5))[clear].mean()) if clear.any() else 1.0,
        choices=best.asked,
        moves=1 - best.drawn,
        chance=best.chance,
    )


def _correlation(one: Float64s2, other: Float64s2) -> float:
    odds = [np.clip(log_odds(values), -CLIPPED, CLIPPED).ravel() for values in (one, other)]
    if min(logits.std() for logits in odds) < 1e-9:
        return 0.0
    return float(np.corrcoef(odds[0], odds[1])[0, 1])
