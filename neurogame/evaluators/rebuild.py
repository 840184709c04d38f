"""Makes evaluators again from their description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neurogame.circuit.circuit import Circuit, HasCircuit
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.parts.build import KIND, rebuild_parts


def rebuild_evaluator(game: HasCircuit | Circuit, description: Mapping[str, Any]) -> Evaluator:
    """Return the evaluator of a description; load its state dict to get its weights.

    Args:
        game: the game, or its circuit.
        description: what :meth:`Evaluator.describe` returned.

    Raises:
        ConfigurationError: the description holds unknown or impossible settings.
    """
    if description.get("kind") == KIND:
        return rebuild_parts(game, description)
    settings = dict(description)
    seed = int(settings.pop("seed", 0))
    return make_evaluator(game, EvaluatorConfig.from_json(settings), seed)
