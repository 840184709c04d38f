"""Makes evaluators again from their description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from neurogame.circuit.circuit import HasCircuit
from neurogame.errors import ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.kinds import evaluator_kinds


def rebuild_evaluator(
    game: HasCircuit,
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
    name = str(description.get("kind", "cilp"))
    kinds = evaluator_kinds()
    if name not in kinds:
        raise ConfigurationError(
            f"there is no kind of evaluators {name!r}; this version knows {', '.join(kinds)}"
        )
    evaluator: Evaluator = kinds[name].rebuild(game, description, weights)
    return evaluator
