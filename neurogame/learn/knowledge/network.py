"""How the network of non-linear knowledge learns: Adam on the log loss."""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from neurogame.array_types import Int64s
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.kernels.knowledge.recorded_games import RecordedGames
from neurogame.kernels.words.rows import unpack_rows


@final
class NetworkLearner:
    """Fits the tuples and hidden units of knowledge to the results of games.

    The states of the games that are learned at once come in random order. The learning rate
    decreases with the number of games learned as that of the tuples does, ten times as slowly.
    """

    def __init__(self, knowledge: Knowledge, roles: Int64s) -> None:
        """Begin without any momentum.

        Args:
            knowledge: its parameters are changed.
            roles: who learns; int64 ``[K]``.
        """
        self._knowledge = knowledge
        self._roles = torch.from_numpy(roles)
        self._adam = torch.optim.Adam(knowledge.parameters(), lr=knowledge.config.rate)

    def learn(self, games: RecordedGames) -> None:
        """Learn from games."""
        knowledge, config = self._knowledge, self._knowledge.config
        done = int(knowledge.games)
        for group in self._adam.param_groups:
            group["lr"] = config.rate / (1.0 + done / (10 * config.settle))
        game = np.repeat(np.arange(len(games)), np.diff(games.begins))
        results = torch.from_numpy(games.results).float()[:, self._roles]
        random = np.random.default_rng((done, len(games)))
        for _ in range(config.epochs):
            order = random.permutation(len(games.states))
            for begin in range(0, len(order), config.batch):
                rows = order[begin : begin + config.batch]
                held = unpack_rows(games.states[rows], knowledge.psi.shape[1])
                self._step(held, results[torch.from_numpy(game[rows])])

    def _step(self, fluents: Tensor, results: Tensor) -> None:
        logits = self._knowledge.logits(fluents)[:, self._roles]
        loss = binary_cross_entropy_with_logits(logits, results)
        self._adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._adam.step()
