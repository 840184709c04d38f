"""Evaluators on their way to a worker: what they are made of as text, their weights as arrays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.rebuild import rebuild_evaluator
from neurogame.files import Arrays
from neurogame.gdl.write import rules_text
from neurogame.simulate.game import Game


@final
@dataclass(frozen=True, kw_only=True)
class Travelling:
    """A game and some evaluators of it, without their weights.

    Attributes:
        name: of the game.
        rules: as text.
        descriptions: of the evaluators, as JSON.
    """

    name: str
    rules: str
    descriptions: tuple[str, ...]

    @classmethod
    def of(cls, game: Game, evaluators: Sequence[Evaluator]) -> Travelling:
        """Return what evaluators of a game are made of."""
        return cls(
            name=game.name,
            rules=rules_text(game.rules),
            descriptions=tuple(json.dumps(evaluator.describe()) for evaluator in evaluators),
        )

    def game(self) -> Game:
        """Return the game, which a process keeps for its next pieces."""
        return _game_of(self.name, self.rules)

    def evaluators(self) -> list[Evaluator]:
        """Return the evaluators, made anew; their weights are to be loaded."""
        game = self.game()
        return [
            rebuild_evaluator(game, json.loads(description)).requires_grad_(False)
            for description in self.descriptions
        ]


def as_tensors(state: Arrays) -> dict[str, Tensor]:
    """Return arrays as tensors."""
    # What has travelled may be read only, of which torch warns.
    return {
        name: torch.from_numpy(part if part.flags.writeable else np.array(part))
        for name, part in state.items()
    }


@lru_cache(maxsize=2)
def _game_of(name: str, rules: str) -> Game:
    return Game.from_text(rules, name)
