"""The learner: self-play in lanes by an evaluator made of parts, which learns from every game.

All of it is one compiled loop (:mod:`neurogame.kernels.self_play`). The same seed gives the same
games and weights on the same machine, wherever the run is interrupted.
"""

from __future__ import annotations

import copy
import time
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.evaluators.parts.evaluator import PartsEvaluator
from neurogame.kernels.leaves.evaluator import make_values
from neurogame.kernels.native.struct import array_of
from neurogame.kernels.parts.learning import Learning, make_learning
from neurogame.kernels.self_play.games import Games, GameSettings
from neurogame.learn.counters import Counters
from neurogame.learn.lane_config import LaneConfig
from neurogame.simulate.game import Game

ROUND_PLIES = 16
"""Plies of each lane in a round, after which weights are averaged."""

_KEPT = (
    *("errors", "sizes", "moments"),
    *("embedding_gradient", "bias_gradient", "readout_gradient", "gain_gradient"),
)
_NUMBERS = ("waiting", "steps", "positions")


@final
class LaneLearner:
    """An evaluator made of parts that learns from games with itself; not for several threads.

    Attributes:
        game: what is played.
        config: how.
        evaluator: what learns; it is changed in place.
        averaged: the same with weights averaged over the last part of the run: what is released.
        counters: how far it is; ``matches`` are games that ended.
    """

    def __init__(self, game: Game, config: LaneConfig, evaluator: PartsEvaluator) -> None:
        """Take what learns.

        Args:
            game: what is played.
            config: how; what it says of parts is not looked at.
            evaluator: of the game.
        """
        self.game, self.config, self.evaluator = game, config, evaluator
        self.averaged = copy.deepcopy(evaluator).requires_grad_(False)
        self.counters = Counters()
        self._learning = _learning(evaluator, config)
        self._games = Games(
            game.circuit,
            self._learning,
            make_values(evaluator.networks, game.circuit),
            GameSettings(
                lanes=config.lanes,
                plies=config.plies,
                seed=config.seed,
                epsilon=config.epsilon,
                lambda_=config.lambda_,
                openings=config.openings,
            ),
        )

    def round(self) -> float:
        """Play and learn once, :data:`ROUND_PLIES` plies in every lane; return the seconds taken.

        Seconds are those of the processor, so that what else runs on the machine does not count.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
        """
        started = time.thread_time()
        self._games.play(ROUND_PLIES)
        counters, own = self.counters, self._games.own
        counters.rounds += 1
        counters.matches, counters.plies = own.games, own.plies
        counters.updates = self._learning.steps
        self._average()
        seconds = time.thread_time() - started
        counters.seconds += seconds
        return seconds

    def take_loss(self) -> float:
        """Return the mean cross-entropy of a role's value since the last call; NaN if unknown."""
        learning, positions = self._learning, self._learning.positions
        done, self._reported = positions - self._reported, positions
        loss, learning.loss = learning.loss, 0.0
        return loss / (done * len(self.game.roles)) if done > 0 else float("nan")

    _reported = 0

    def state(self) -> dict[str, Tensor]:
        """Return all that is needed to go on exactly here, beside :attr:`averaged`."""
        found = {f"weights.{k}": v.detach().clone() for k, v in self.evaluator.state_dict().items()}
        found |= {
            f"learning.{name}": torch.from_numpy(array_of(self._learning, name).copy())
            for name in _KEPT
        }
        numbers = [getattr(self._learning, name) for name in _NUMBERS]
        found["learning.numbers"] = torch.tensor(numbers, dtype=torch.int64)
        for name, array in self._games.state().items():
            # torch has hardly anything for words without a sign.
            plain = array.view(np.int64) if array.dtype == np.uint64 else array
            found[f"games.{name}"] = torch.from_numpy(plain)
        return found

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
        self.evaluator.load_state_dict(_part(state, "weights."))
        learning = _part(state, "learning.")
        for name in _KEPT:
            array_of(self._learning, name)[...] = learning[name].numpy()
        for name, number in zip(_NUMBERS, learning["numbers"].tolist(), strict=True):
            setattr(self._learning, name, number)
        self._reported = self._learning.positions
        games = {k: v.numpy() for k, v in _part(state, "games.").items()}
        words = ("state", "legal", "states")
        self._games.restore({k: v.view(np.uint64) if k in words else v for k, v in games.items()})
        self.counters = counters

    def _average(self) -> None:
        """Take the present weights into the average.

        *Reference:* Shamir and Zhang, "Stochastic gradient descent for non-smooth optimization"
        (2013), section 4: polynomial-decay averaging.
        """
        share = (1 + self.config.memory) / (self.counters.rounds + self.config.memory)
        with torch.no_grad():
            for mean, now in zip(
                self.averaged.parameters(), self.evaluator.parameters(), strict=True
            ):
                mean.lerp_(now, share)


def _learning(evaluator: PartsEvaluator, config: LaneConfig) -> Learning:
    return make_learning(
        evaluator.parts(),
        evaluator.layout.images,
        rate=config.table_rate,
        step_size=config.step_size,
        gain_step=1.0,
        every=config.step_every,
    )


def _part(state: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
