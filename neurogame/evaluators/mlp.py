"""A plain multi-layer perceptron: what learning achieves without the rules."""

from __future__ import annotations

from itertools import pairwise
from typing import final

import torch
from torch import Tensor, nn

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.splitmix import seed_word


@final
class PlainPerceptron(Evaluator):
    """Fluents (+1 / -1), hidden layers of tanh units, and one sigmoid output per role.

    Args:
        fluent_count: number of fluents, ``F``.
        role_count: number of roles, ``R``.
        config: kind ``"mlp"``.
        seed: of the initial weights.
    """

    def __init__(
        self, fluent_count: int, role_count: int, config: EvaluatorConfig, seed: int
    ) -> None:
        super().__init__(fluent_count, role_count, {**config.to_json(), "seed": seed})
        generator = torch.Generator().manual_seed(seed_word(seed))
        widths = (fluent_count, *config.hidden, role_count)
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise(widths):
            layer = nn.Linear(inputs, outputs)
            with torch.no_grad():
                layer.weight.copy_(torch.randn(outputs, inputs, generator=generator))
                layer.weight.div_(max(inputs, 1) ** 0.5)
                layer.bias.zero_()
            layers += [layer, nn.Tanh()]
        self.layers = nn.Sequential(*layers[:-1], nn.Sigmoid())

    def forward(self, fluents: Tensor) -> Tensor:
        """Return values ``[B, R]`` in 0..1; see :meth:`Evaluator.forward`."""
        dtype = next(self.parameters()).dtype
        signs = 2.0 * self._checked(fluents).to(dtype) - 1.0
        return self.layers(signs)  # type: ignore[no-any-return]
