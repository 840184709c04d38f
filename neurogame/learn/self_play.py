"""The matches a training run learns from: who sits where, and which engine plays them."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from neurogame.evaluators.base import Evaluator
from neurogame.learn.config import TrainConfig
from neurogame.learn.counter_random import derive
from neurogame.learn.deep_play import play_deep
from neurogame.learn.lockstep import RANDOM_SEAT, MatchPlan, play_lockstep
from neurogame.learn.opponent import GuestMaker, Opponent, make_opponent
from neurogame.learn.trajectory import Trajectory
from neurogame.search.opposition import opposition
from neurogame.simulate.game import Game

_MATCH = 100

LOCKSTEP_DEPTH = 2
"""Up to this depth looking at everything in large batches is faster than alpha-beta."""


@final
class SelfPlay:
    """Plays the matches of a training run; each is a function of the seed and its number.

    The learner plays all roles, or, against another opponent, the roles in turn. Where both look
    at most two plies ahead all matches of a round advance together; otherwise they are played one
    after the other with alpha-beta.

    Args:
        game: what is played.
        config: opponent, depth, exploration and limits.
        evaluator: the learner, with its present weights at each call.
        initial: the learner before any learning.
        guests: makes an opponent that is a player string; None: there are none.
    """

    def __init__(
        self,
        game: Game,
        config: TrainConfig,
        evaluator: Evaluator,
        initial: Evaluator,
        guests: GuestMaker | None = None,
    ) -> None:
        self._game = game
        self._config = config
        self._evaluator = evaluator
        self._opponent: Opponent = make_opponent(game, config, initial, guests)

    def play(self, first: int, count: int, stop: Callable[[], bool]) -> list[Trajectory]:
        """Play matches number ``first`` to ``first + count - 1`` of the run.

        Args:
            first: number of the first match.
            count: number of matches.
            stop: asked before every ply of matches that advance together; once it is true they
                are cut off where they are.
        """
        config, roles = self._config, len(self._game.roles)
        number = np.arange(first, first + count)
        seats = np.zeros((count, roles), dtype=np.int64)
        if self._opponent.rival:
            other = RANDOM_SEAT if self._opponent.evaluator is None else 1
            seats = np.where(np.arange(roles) == (number % roles)[:, None], 0, other)
        rivals = [] if self._opponent.evaluator is None else [self._opponent.evaluator]
        plan = MatchPlan(
            evaluators=[self._evaluator, *rivals],
            seats=seats,
            seeds=(derive(config.seed, _MATCH, number) >> np.uint64(1)).astype(np.int64),
            # Only the learner explores: the opponent is as strong as it is.
            epsilon=[config.epsilon, *([0.0] * len(rivals))],
            random_plies=config.random_plies,
            max_plies=config.max_plies,
            margin=uses_margin(self._game, config),
            depth=config.depth,
        )
        if config.depth <= LOCKSTEP_DEPTH and self._opponent.guest is None:
            return play_lockstep(self._game, plan, stop)
        return play_deep(self._game, plan, self._opponent.guest)

    def score(self, first: int, played: list[Trajectory]) -> float | None:
        """Return the learner's mean goal, 0..1, in matches from number ``first`` on.

        None in self-play, and where no match was finished.
        """
        roles = len(self._game.roles)
        goals = [
            float(match.goals[(first + index) % roles])
            for index, match in enumerate(played)
            if match.finished
        ]
        return sum(goals) / len(goals) if goals and self._opponent.rival else None


def uses_margin(game: Game, config: TrainConfig) -> bool:
    """Return whether roles value states by the margin over their only opponent."""
    two = config.outlook == "margin" and len(game.roles) == 2
    return two and opposition(game).constant_sum
