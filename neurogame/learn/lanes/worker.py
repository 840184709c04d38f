"""Workers of the lane learner: each plays and learns with weights of its own."""

from __future__ import annotations

import time
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Float32s
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.kernels.self_play.games import Games, GameSettings
from neurogame.learn.checkpoints.weights import part_of
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.learning_state import learning_of, learning_state, restore_learning
from neurogame.native.struct import array_of
from neurogame.simulate.game import Game

_ADDED = ("errors", "sizes")
_WORDS = ("state", "legal", "states")


@final
class LaneWorker:
    """Some lanes of self-play with weights of their own; not for several threads at once.

    Attributes:
        evaluator: what plays and learns; changed in place.
        learning: how it learns.
        games: its lanes.
    """

    def __init__(
        self, game: Game, config: LaneConfig, evaluator: RulesNetwork, *, number: int
    ) -> None:
        """Begin games in all lanes.

        Args:
            game: what is played.
            config: how.
            evaluator: of the game.
            number: of the worker; its games differ from those of others.
        """
        self.evaluator = evaluator
        self.learning = learning_of(evaluator, config)
        self.games = Games(
            game.circuit,
            self.learning,
            GameSettings(
                lanes=max(1, config.lanes // config.cores),
                plies=config.plies,
                # The first worker has the seed itself, so that one worker plays as none would.
                seed=config.seed + number * 0x9E3779B97F4A,
                epsilon=config.epsilon,
                lambda_=config.lambda_,
                openings=config.openings,
            ),
        )

    def play(self, plies: int) -> float:
        """Play some plies in every lane, and learn; return the processor seconds that it took."""
        started = time.thread_time()
        self.games.play(plies)
        return time.thread_time() - started

    def added(self) -> list[Float32s]:
        """Return the arrays whose changes count together; not copies."""
        tables = self.evaluator.tables.detach().numpy()
        return [tables, *(array_of(self.learning, name) for name in _ADDED)]

    def averaged(self) -> list[Float32s]:
        """Return the arrays that workers average; not copies. Without hidden units none."""
        evaluator = self.evaluator
        if not evaluator.bias.numel():
            return []
        learned = (evaluator.embedding, evaluator.bias, evaluator.readout)
        return [*(part.detach().numpy() for part in learned), array_of(self.learning, "moments")]

    def state(self) -> dict[str, Tensor]:
        """Return all that is needed to go on exactly here."""
        weights = self.evaluator.state_dict()
        tensors = {f"weights.{name}": part.detach().clone() for name, part in weights.items()}
        for name, tensor in learning_state(self.learning).items():
            tensors[f"learning.{name}"] = tensor
        for name, array in self.games.state().items():
            # torch has hardly anything for words without a sign.
            plain = array.view(np.int64) if name in _WORDS else array
            tensors[f"games.{name}"] = torch.from_numpy(plain)
        return tensors

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on where another worker with the same settings returned this by :meth:`state`."""
        self.evaluator.load_state_dict(part_of(state, "weights."))
        restore_learning(self.learning, part_of(state, "learning."))
        games = {name: part.numpy() for name, part in part_of(state, "games.").items()}
        self.games.restore(
            {name: part.view(np.uint64) if name in _WORDS else part for name, part in games.items()}
        )
