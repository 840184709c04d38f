"""How well an evaluator foresees what fresh games come to, by thirds of a game."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, final

import numpy as np

from neurogame.arena.positions import (
    EndlessGamesError,
    PlayedPositions,
    played_positions,
    values_of,
)
from neurogame.arena.reliability import reliability
from neurogame.evaluators.base import Evaluator
from neurogame.learn.news import blind_loss
from neurogame.learn.recipe import GameLengths
from neurogame.simulate.game import Game

_GAMES, _FEWEST = 300, 20
"""Games at most; of fewer games nothing is said."""
_LOOKED = 100_000
"""States that may be looked at, about: a second or so. A position has about as many moves as the
first one, so games are the fewer the more moves there are."""
_RANDOM = 1 / 3
"""Share of a game that random moves may take before the evaluator plays."""


@final
@dataclass(frozen=True, kw_only=True)
class Forecasts:
    """What values were worth as forecasts, one for each role that somebody plays.

    Attributes:
        games: that they are held against.
        blind: log-loss of guessing what roles get in the mean, in nats.
        loss: mean log-loss in the first, second and last third of the games, in nats.
        error: expected calibration error there, 0..1.
    """

    games: int
    blind: float
    loss: tuple[float, ...]
    error: tuple[float, ...]

    @property
    def off(self) -> float:
        """The calibration error in the mean of the thirds, 0..1."""
        return sum(self.error) / len(self.error)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dictionary."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Forecasts:
        """Return what :meth:`to_json` has written."""
        thirds = {name: tuple(values[name]) for name in ("loss", "error")}
        return cls(games=values["games"], blind=values["blind"], **thirds)


def forecasts(
    game: Game,
    evaluator: Evaluator,
    seed: int,
    *,
    lengths: GameLengths,
    left: Callable[[], float] = lambda: math.inf,
) -> Forecasts | None:
    """Let an evaluator play itself, one ply ahead, and hold its values against the outcomes.

    Games differ by random moves at their beginning, which are not counted: after these nobody
    moves at random, so that outcomes are those of the play that is valued.

    Args:
        game: the game.
        evaluator: plays all roles.
        seed: decides the games, at least 0.
        lengths: of random games.
        left: seconds that are left, asked before each ply.

    Returns:
        None where there was no time, where games are too costly, do not end or are too short for
        thirds, and for puzzles.
    """
    joint = math.prod(len(moves) for moves in game.initial_state().legal_moves)
    matches = min(_GAMES, int(_LOOKED / (joint * max(lengths.mean, 1.0))))
    if matches < _FEWEST or len(game.players) < 2:
        return None
    longest = int(_RANDOM * lengths.mean)
    drawn = longest - np.arange(matches) % (longest // 2 + 1)
    try:
        played = played_positions(
            game,
            evaluator,
            matches=matches,
            seed=seed,
            epsilon=0.0,
            drawn=drawn,
            stop=lambda: left() <= 0,
        )
    except EndlessGamesError:
        return None
    if left() <= 0:
        # Of games that were stopped those that have ended are the short ones.
        return None
    own = np.flatnonzero(played.plies >= drawn[played.games])
    return forecasts_of(game, evaluator, played.select(own))


def forecasts_of(game: Game, evaluator: Evaluator, played: PlayedPositions) -> Forecasts | None:
    """Hold the values of positions against the outcomes of their games.

    Args:
        game: the game.
        evaluator: of its states.
        played: the positions, at least one.

    Returns:
        None of fewer than twenty games, and where a third has no position.
    """
    games, third = len(np.unique(played.games)), 3 * played.plies // (played.plies + played.to_end)
    if games < _FEWEST or len(np.unique(third)) < 3:
        return None
    players = list(game.players)
    values, outcomes = values_of(evaluator, played.states)[:, players], played.outcomes[:, players]
    found = [
        reliability(values[third == n].ravel(), outcomes[third == n].ravel()) for n in range(3)
    ]
    return Forecasts(
        games=games,
        blind=blind_loss(len(players)),
        loss=tuple(one.loss for one in found),
        error=tuple(one.error for one in found),
    )
