"""Whether an evaluator's values are what games come to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from neurogame.arena.positions import PlayedPositions, played_positions, values_of
from neurogame.arena.reliability import (
    Recalibration,
    Reliability,
    fit_recalibration,
    reliability,
    spread_over_games,
)
from neurogame.array_types import Float64s1, Float64s2, Int64s1
from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.simulate.game import Game

DISTANCES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64)
"""Where ranges of plies to the end begin."""


@final
@dataclass(frozen=True, kw_only=True)
class AtDistance:
    """Forecasts from positions about equally far from the start or the end.

    Attributes:
        first: fewest plies of the range.
        last: most plies of the range.
        found: what the forecasts were worth.
    """

    first: int
    last: int
    found: Reliability


@final
@dataclass(frozen=True, kw_only=True)
class Calibration:
    """How far the values of an evaluator can be taken at their word.

    Every position gives one forecast for each role.

    Attributes:
        games: finished games behind the outcomes.
        whole: all forecasts.
        brier_error: standard error of the Brier score, over games.
        calibration_error_error: standard error of the expected calibration error, over games.
        by_distance: by plies to the end of the game, the nearest first.
        correction: the logistic correction that fits every other game, the first one among them.
        before: forecasts in the games between, as they are.
        after: the same after the correction.
    """

    games: int
    whole: Reliability
    brier_error: float
    calibration_error_error: float
    by_distance: tuple[AtDistance, ...]
    correction: Recalibration
    before: Reliability
    after: Reliability


def calibrate(
    game: Game,
    evaluator: Evaluator,
    *,
    matches: int = 400,
    seed: int = 0,
) -> Calibration:
    """Play games of an evaluator against itself and compare its values with their outcomes.

    Args:
        game: the game.
        evaluator: of its states; it looks one ply ahead.
        matches: number of games, at least 2.
        seed: decides every random choice, at least 0.

    Raises:
        GameError: fewer than two games ended.
    """
    played = played_positions(game, evaluator, matches=matches, seed=seed)
    values, players = values_of(evaluator, played.states), list(game.players)
    positions = replace(played, outcomes=played.outcomes[:, players])
    return calibration_of(values[:, players], positions)


def calibration_of(values: Float64s2, played: PlayedPositions) -> Calibration:
    """Compare values with the outcomes of games.

    Args:
        values: of the positions; float64 ``[N, R]`` in 0..1.
        played: the positions, of two games or more.

    Raises:
        GameError: there are fewer than two games.
    """
    roles = values.shape[1]
    games = np.repeat(played.games, roles)
    if games[0] == games[-1]:
        raise GameError(
            "the positions are of a single game; a correction is fitted on games and tried on "
            "others, so at least two are needed"
        )
    forecasts, outcomes = values.ravel(), played.outcomes.ravel()
    # By the games that there are: those that were cut have numbers, too.
    even = np.unique(games, return_inverse=True)[1] % 2 == 0
    correction = fit_recalibration(forecasts[even], outcomes[even])
    odd, came = forecasts[~even], outcomes[~even]
    brier, error = spread_over_games(forecasts, outcomes, games)
    return Calibration(
        games=len(np.unique(games)),
        whole=reliability(forecasts, outcomes),
        brier_error=brier,
        calibration_error_error=error,
        by_distance=by_distance(forecasts, outcomes, np.repeat(played.to_end, roles)),
        correction=correction,
        before=reliability(odd, came),
        after=reliability(correction(odd), came),
    )


def by_distance(
    forecasts: Float64s1, outcomes: Float64s1, plies: Int64s1
) -> tuple[AtDistance, ...]:
    """Compare forecasts with what came, by ranges of plies.

    Args:
        forecasts: float64 ``[N]`` in 0..1.
        outcomes: float64 ``[N]`` in 0..1.
        plies: of each, at least 0; int64 ``[N]``.
    """
    place = np.searchsorted(np.array(DISTANCES), plies, side="right")
    ranges = []
    for number in np.unique(place).tolist():
        members = place == number
        ranges.append(
            AtDistance(
                first=int(plies[members].min()),
                last=int(plies[members].max()),
                found=reliability(forecasts[members], outcomes[members]),
            )
        )
    return tuple(ranges)
