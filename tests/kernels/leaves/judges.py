"""Small judges of moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from neurogame.judges.moves import LINEAR, CompiledScores
from neurogame.simulate.game import Game


class Marks:
    """A number for every move of every role, whatever the state."""

    def __init__(self, *marks: Sequence[float], scale: int = LINEAR) -> None:
        self.marks = [np.array(own, np.float32) for own in marks]
        self.scale = scale
        self.asked = self.calls = 0

    def compiled_scores(self) -> CompiledScores | None:
        return None

    def move_scores(self, fluents: Any, legal: Any, role: int) -> Any:
        assert legal.any(axis=1).all()
        self.asked += len(fluents)
        self.calls += 1
        return np.broadcast_to(self.marks[role], legal.shape)


class Guess(Marks):
    """A fixed random linear function of the fluents for every move, never the same twice."""

    def __init__(self, game: Game, *, seed: int = 5, scale: int = LINEAR, digits: int = 9) -> None:
        super().__init__(scale=scale)
        random = np.random.default_rng(seed)
        self.weights = [random.normal(size=(len(game.fluents), len(m))) for m in game.moves]
        self.digits = digits

    def move_scores(self, fluents: Any, legal: Any, role: int) -> Any:
        assert legal.any(axis=1).all()
        self.asked += len(fluents)
        self.calls += 1
        return np.round(fluents @ self.weights[role], self.digits).astype(np.float32)


class Broken(Marks):
    """It raises an error."""

    def move_scores(self, fluents: Any, legal: Any, role: int) -> Any:
        raise ArithmeticError("no idea")
