"""Makes evaluators again from their description."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from torch import Tensor

from neurogame.circuit.circuit import Circuit, HasCircuit
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.claims import check_claim
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.parts.build import KIND, rebuild_parts


def rebuild_evaluator(
    game: HasCircuit | Circuit,
    description: Mapping[str, Any],
    weights: Mapping[str, Tensor] | None = None,
) -> Evaluator:
    """Return the evaluator of a description; load its state dict to get its weights.

    Args:
        game: the game, or its circuit.
        description: what :meth:`Evaluator.describe` returned.
        weights: the state dict that will be loaded; None: nobody knows yet.

    Raises:
        ConfigurationError: the description holds unknown or impossible settings, or asks for far
            more weights than there are.
    """
    if description.get("kind") == KIND:
        return rebuild_parts(game, description, weights)
    settings = dict(description)
    seed = int(settings.pop("seed", 0))
    config = EvaluatorConfig.from_json(settings)
    if config.kind == "mlp":
        circuit = game if isinstance(game, Circuit) else game.circuit
        widths = (len(circuit.fluents), *config.hidden, len(circuit.roles))
        check_claim("a perceptron", sum(a * b for a, b in pairwise(widths)), weights)
    return make_evaluator(game, config, seed)
