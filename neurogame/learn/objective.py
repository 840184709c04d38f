"""What is learned: examples from matches, and the error that an update makes smaller."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

import torch
from torch import Tensor

from neurogame.errors import ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.learn.config import TrainConfig
from neurogame.learn.targets import Examples, join_examples, outcome_examples, td_examples
from neurogame.learn.trajectory import Trajectory


class Objective(ABC):
    """Turns matches into examples, and examples into an error.

    Attributes:
        outputs: number of targets per state, ``D``.
    """

    outputs: int

    @abstractmethod
    def examples(self, played: list[Trajectory]) -> Examples:
        """Return what these matches teach."""

    @abstractmethod
    def loss(self, examples: Examples) -> Tensor:
        """Return the error on some examples, a scalar with a gradient.

        It is summed over the outputs and averaged over the states.
        """


def make_objective(evaluator: Evaluator, config: TrainConfig) -> Objective:
    """Return the objective that a configuration asks for.

    Raises:
        ConfigurationError: the evaluator has nothing to learn, or no goal networks although the
            target is ``outcome``.
    """
    if not any(parameter.requires_grad for parameter in evaluator.parameters()):
        raise ConfigurationError(
            f"evaluator kind {config.evaluator.kind!r} has no weights to learn; "
            "choose cilp, cilp-paper or mlp"
        )
    if config.target == "td":
        return ValueObjective(evaluator, config)
    if not isinstance(evaluator, GoalNetworks):
        raise ConfigurationError(
            f"target outcome trains goal networks, and evaluator kind {config.evaluator.kind!r} "
            "has none; use target td"
        )
    return NetworkObjective(evaluator, config)


@final
class ValueObjective(Objective):
    """Moves the values of all roles towards TD(lambda) returns.

    Args:
        evaluator: what learns.
        config: lambda, proofs and loss.
    """

    def __init__(self, evaluator: Evaluator, config: TrainConfig) -> None:
        self._evaluator = evaluator
        self._config = config
        self.outputs = evaluator.role_count

    def examples(self, played: list[Trajectory]) -> Examples:
        """Return all states of all matches with their returns, in 0..1."""
        with torch.no_grad():
            values = self._evaluator(torch.cat([match.fluents for match in played]))
        parts = values.split([match.fluents.shape[0] for match in played])
        return join_examples(
            [
                td_examples(match, part, lambda_=self._config.lambda_, proofs=self._config.proofs)
                for match, part in zip(played, parts, strict=True)
            ]
        )

    def loss(self, examples: Examples) -> Tensor:
        """Return the error of the values."""
        values = self._evaluator(examples.fluents)
        return _error(values, examples.targets, self._config.loss)


@final
class NetworkObjective(Objective):
    """Moves the outputs of all goal networks towards discounted outcomes.

    Args:
        evaluator: what learns; it must have goal networks.
        config: lambda, selection, proofs and loss.

    Reference: Michulke & Thielscher, section 3.5.
    """

    def __init__(self, evaluator: GoalNetworks, config: TrainConfig) -> None:
        self._evaluator = evaluator
        self._config = config
        self._role = torch.tensor([role for role, _ in evaluator.network_keys])
        goals = [value / 100 for _, value in evaluator.network_keys]
        self._goal = torch.tensor(goals, dtype=torch.float64)
        self.outputs = len(goals)

    def examples(self, played: list[Trajectory]) -> Examples:
        """Return the selected states of all matches with their signals, in -1..1."""
        config = self._config
        return join_examples(
            [
                outcome_examples(
                    match,
                    self._role,
                    self._goal,
                    lambda_=config.lambda_,
                    minimum_share=config.minimum_share,
                    proofs=config.proofs,
                )
                for match in played
            ]
        )

    def loss(self, examples: Examples) -> Tensor:
        """Return the error of the networks' outputs."""
        outputs = self._evaluator.networks(examples.fluents)
        if self._config.loss == "squared":
            return _error(outputs, examples.targets, "squared")
        return _error((outputs + 1) / 2, (examples.targets + 1) / 2, "cross-entropy")


def _error(found: Tensor, wanted: Tensor, loss: str) -> Tensor:
    """Return half the squared error, or the cross-entropy of numbers in 0..1."""
    if loss == "squared":
        return 0.5 * (found - wanted).square().sum(dim=1).mean()
    # Kept off 0 and 1, where float32 has no logarithm or no gradient.
    safe = found.clamp(1e-6, 1 - 1e-6)
    entropy = -(wanted * safe.log() + (1 - wanted) * torch.log1p(-safe))
    return entropy.sum(dim=1).mean()
