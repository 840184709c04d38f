"""Which evaluators are goal networks that learn."""

from __future__ import annotations

from torch import nn

from neurogame.errors import ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.goal_networks import WeightedNetworks
from neurogame.evaluators.kinds import kind_of_evaluator


def learning_networks(evaluator: Evaluator) -> tuple[WeightedNetworks, list[nn.Parameter]]:
    """Return an evaluator as the goal networks that it is, and those of its weights that learn.

    Raises:
        ConfigurationError: it is none, or has nothing to learn.
    """
    networks = kind_of_evaluator(evaluator).networks(evaluator)
    weights = [weight for weight in evaluator.parameters() if weight.requires_grad]
    if networks is None or not weights:
        raise ConfigurationError(
            f"evaluator kind {evaluator.describe()['kind']!r} has no goal networks that learn; "
            "choose cilp or cilp-paper"
        )
    return networks, weights
