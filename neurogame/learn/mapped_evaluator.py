"""An evaluator trained on one game, put to use on the same game under other names."""

from __future__ import annotations

from typing import Any, final

import torch
from torch import Tensor

from neurogame.errors import CheckpointError
from neurogame.evaluators.base import Evaluator
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.terms import And, Compound, Distinct, Not, Or, Rules, Symbol, Variable
from neurogame.learn.rename import rename_text
from neurogame.simulate.game import Game


@final
class MappedEvaluator(Evaluator):
    """Reads the fluents of one game and values them with an evaluator of another.

    Args:
        inner: the evaluator; its fluents and roles are those it was trained on.
        fluents: for each fluent of the inner game the index of the same fluent in the outer
            game; int64 ``[F]``.
        roles: for each role of the outer game the index of the same role in the inner game;
            int64 ``[R]``.
    """

    def __init__(self, inner: Evaluator, fluents: Tensor, roles: Tensor) -> None:
        super().__init__()
        self.inner = inner
        self.register_buffer("fluent_index", fluents)
        self.register_buffer("role_index", roles)

    def forward(self, fluents: Tensor) -> Tensor:
        """Return the values ``[B, R]`` in 0..1, roles of the outer game, of states ``[B, F]``."""
        index, roles = self.get_buffer("fluent_index"), self.get_buffer("role_index")
        values: Tensor = self.inner(fluents.index_select(1, index))
        return values.index_select(1, roles)

    def describe(self) -> dict[str, Any]:
        """Return the description of the evaluator inside."""
        return self.inner.describe()
