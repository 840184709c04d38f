"""What all learners have: who learns, its averaged weights, and how well it foretells outcomes."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import torch
from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.learn.counters import Counters
from neurogame.learn.lanes.config import LaneConfig
from neurogame.simulate.first_state import check_first_state
from neurogame.simulate.game import Game
from neurogame.workers.workplace import Workplace

Network = TypeVar("Network", bound=Evaluator)


class Learner(ABC, Generic[Network]):
    """What learns from games with itself; not for several threads.

    Attributes:
        game: what is played.
        config: how.
        evaluator: what learns; it is changed in place.
        averaged: the same with weights averaged over the last part of the run: what is released.
        counters: how far it is.
        doublings: how many times it has grown.
    """

    def __init__(
        self, game: Game, config: LaneConfig, evaluator: Network, workplace: Workplace | None
    ) -> None:
        """Take what learns.

        Args:
            game: what is played.
            config: how.
            evaluator: of the game.
            workplace: who plays; None: this process.

        Raises:
            GameError: the game is over before it begins.
        """
        check_first_state(game, "there is nothing to learn")
        self.game, self.config, self.evaluator = game, config, evaluator
        self.averaged = copy.deepcopy(evaluator).requires_grad_(False)
        self.counters, self.doublings = Counters(), 0
        self._workplace, self._reported = workplace, (0.0, 0)

    @abstractmethod
    def round(self) -> float:
        """Play and learn once; return the seconds taken.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
            LimitError: workers have died over a piece, or their cluster has gone.
        """

    @abstractmethod
    def losses(self) -> tuple[float, int]:
        """Return the cross-entropy of a role's value, added up, and over how many values."""

    def take_loss(self) -> float:
        """Return the mean cross-entropy of a role's value since the last call; NaN if unknown."""
        former, self._reported = self._reported, self.losses()
        return mean_loss(former, self._reported)

    def is_outgrown(self) -> bool:
        """Return whether it is to be :meth:`doubled` before learning goes on."""
        return False

    def doubled(self) -> Learner[Network]:
        """Return a larger one that goes on here; itself where it keeps its shape."""
        return self

    @abstractmethod
    def state(self) -> dict[str, Tensor]:
        """Return all that is needed to go on exactly here, beside :attr:`averaged`."""

    def restore(
        self, state: dict[str, Tensor], averaged: dict[str, Tensor], counters: Counters
    ) -> None:
        """Go on where another learner of the same game and configuration was.

        Args:
            state: what its :meth:`state` returned.
            averaged: weights of its :attr:`averaged`.
            counters: its counters.
        """
        self.averaged.load_state_dict(averaged)
        self._restore(state)
        self.counters = counters

    @abstractmethod
    def _restore(self, state: dict[str, Tensor]) -> None:
        """Take over what :meth:`state` of another one returned."""


def average_in(averaged: Evaluator, evaluator: Evaluator, rounds: int, config: LaneConfig) -> None:
    """Take the present weights into their averages.

    *Reference:* Shamir and Zhang, "Stochastic gradient descent for non-smooth optimization"
    (2013), section 4: polynomial-decay averaging.

    Args:
        averaged: has the averages, which are changed in place.
        evaluator: has the present weights.
        rounds: after which they are there, at least 1.
        config: over how long is averaged.
    """
    share = (1 + config.memory) / (rounds + config.memory)
    with torch.no_grad():
        for mean, now in zip(averaged.parameters(), evaluator.parameters(), strict=True):
            mean.lerp_(now, share)


def mean_loss(before: tuple[float, int], after: tuple[float, int]) -> float:
    """Return the mean cross-entropy between two answers of :meth:`Learner.losses`.

    Args:
        before: the earlier one.
        after: the later one.

    Returns:
        NaN if nothing was learned between them.
    """
    values = after[1] - before[1]
    return (after[0] - before[0]) / values if values > 0 else float("nan")
