"""Positions without end, in batches, as data loaders of torch take them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, final

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from neurogame.data.positions import check_part, positions
from neurogame.envs.observation import Observation
from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.gdl.write import rules_text
from neurogame.settings import whole
from neurogame.simulate.game import Game, game_of
from neurogame.splitmix import seed_word

_CHUNK = 1 << 16
"""Positions of random games that are made at once; of an evaluator's a sixteenth."""


@final
class SelfPlay(IterableDataset[tuple[Tensor, Tensor]]):
    """Batches of positions and targets, without end.

    An item is float32 ``[batch, F]``, or ``[batch, planes, height, width]``, with 1 where a fluent
    holds, and the goals / 100 that the games came to, float32 ``[batch, R]`` in 0..1. So a loader
    takes ``batch_size=None``. Its workers share the work: the batches are the same, whatever their
    number, in another order.
    """

    def __init__(
        self,
        game: Game | str | Path,
        batch: int = 1024,
        seed: int = 0,
        *,
        phase: tuple[float, float] = (0.0, 1.0),
        evaluator: Evaluator | None = None,
        epsilon: float = 0.2,
        planes: bool = False,
    ) -> None:
        """Choose what is played.

        Args:
            game: the game, or its name or file.
            batch: positions of an item, at least 1.
            seed: any whole number; decides all items.
            phase: see :func:`~neurogame.data.positions.positions`, as of the two that follow.
            evaluator: plays with the weights that it has when positions are made.
            epsilon: of its moves.
            planes: whether squares of the game's board are told as planes; else all fluents are.

        Raises:
            GameError: an argument is out of its range, or there is no board.
            ConfigurationError: a number is no whole number.
        """
        super().__init__()
        batch = whole(batch, "batch")
        if batch < 1:
            raise GameError(f"batch={batch}; must be at least 1")
        check_part(phase, epsilon)
        self._game = game_of(game)
        self._batch, self._seed, self._phase = batch, seed_word(seed), phase
        self._evaluator, self._epsilon = evaluator, epsilon
        self._observation = Observation(self._game, planes=planes)

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels to a loader's worker: the rules instead of the compiled game."""
        return {**self.__dict__, "_game": (self._game.name, rules_text(self._game.rules))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Compile the game again."""
        self.__dict__.update(state)
        name, rules = state["_game"]
        self._game = Game.from_text(rules, name)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Return the batches; in a worker of a loader its share of them."""
        worker = get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        size = _CHUNK if self._evaluator is None else _CHUNK // 16
        size = self._batch * -(-size // self._batch)
        for number in count(first, step):
            [drawn] = np.random.SeedSequence((self._seed, number)).generate_state(1)
            made = positions(
                self._game,
                size,
                int(drawn),
                phase=self._phase,
                evaluator=self._evaluator,
                epsilon=self._epsilon,
            )
            told = torch.from_numpy(self._observation.of(made.states.to_bool().numpy()))
            for begin in range(0, size, self._batch):
                rows = slice(begin, begin + self._batch)
                yield told[rows].float(), made.targets[rows]
