"""Learning a policy: to see at a glance which moves an evaluator prefers.

An evaluator has to make every move to say what it is worth. A policy reads that off the state, and
so gives a tree search priors at the price of a fraction of one of these moves. It learns by Adam on
the cross entropy, from the choices of games that the evaluator plays with itself.

*Reference:* Silver et al., "Mastering the game of Go without human knowledge" (2017); Anthony, Tian
and Barber, "Thinking Fast and Slow with Deep Learning and Tree Search" (2017).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import final

import torch

from neurogame.errors import ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.policy.policy import LearnedPolicy
from neurogame.evaluators.rules_network.evaluator import as_rules_network
from neurogame.learn.choices import ChoiceReport, MoveChoices, measured
from neurogame.learn.policy.choices import ChoiceSource
from neurogame.learn.policy.config import PolicyConfig
from neurogame.simulate.game import Game


def learn_policy(
    game: Game,
    evaluator: Evaluator,
    config: PolicyConfig | None = None,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> tuple[LearnedPolicy, ChoiceReport]:
    """Return a policy that has learned from an evaluator, and how well it does.

    The same seed gives the same policy.

    Args:
        game: the game.
        evaluator: a rules network; it is not changed.
        config: how to learn.
        seed: decides the games.
        progress: called with the number of choices learned from since it was last called.

    Raises:
        ConfigurationError: the evaluator is no rules network.
    """
    teacher = as_rules_network(evaluator)
    if teacher is None:
        raise ConfigurationError(
            f"a policy learns above the hidden units of a rules network, as `neurogame "
            f"train` makes it; found {evaluator.describe().get('kind', 'another kind')}"
        )
    config = config or PolicyConfig()
    policy = LearnedPolicy.above(game.circuit, teacher)
    source = ChoiceSource(game, teacher, config, seed)
    fewest = max(round(config.held_out * config.choices), 1)
    held, kept = _Gathered(), _Gathered()
    steps = _Steps(policy, config, seed)
    for role, choices in source.choices():
        if held.count < fewest:
            held.add(role, choices)
            continue
        part = choices.select(torch.arange(min(len(choices), config.choices - kept.count)))
        if config.passes > 1:
            kept.add(role, part)
        else:
            kept.count += len(part)
        steps.learn(role, part, progress)
        if kept.count >= config.choices:
            break
    for _ in range(1, config.passes):
        for role, part in kept.parts:
            steps.learn(role, part, progress)
    policy.eval()
    report = measured(
        lambda role, part: policy(part.fluents, role),
        held.parts,
        choices=kept.count,
        held_out=held.count,
    )
    return policy, report


@final
class _Gathered:
    """Choices of roles.

    Attributes:
        parts: roles with choices.
        count: number of choices.
    """

    def __init__(self) -> None:
        self.parts: list[tuple[int, MoveChoices]] = []
        self.count = 0

    def add(self, role: int, choices: MoveChoices) -> None:
        """Add choices of a role."""
        self.parts.append((role, choices))
        self.count += len(choices)


@final
class _Steps:
    """Steps of Adam, whose size falls to 0 in the end."""

    def __init__(self, policy: LearnedPolicy, config: PolicyConfig, seed: int) -> None:
        self._policy, self._config = policy, config
        self._adam = torch.optim.Adam(policy.parameters(), lr=config.rate)
        self._random = torch.Generator().manual_seed(seed)
        self._done, self._all = 0, config.choices * config.passes

    def learn(
        self, role: int, choices: MoveChoices, progress: Callable[[int], None] | None
    ) -> None:
        """Learn from choices of a role, in random order."""
        order = torch.randperm(len(choices), generator=self._random)
        bounds = [*range(0, len(order), self._config.batch), len(order)]
        for begin, end in pairwise(bounds):
            some = choices.select(order[begin:end])
            left = max(1 - self._done / self._all, 0.0)
            for group in self._adam.param_groups:
                group["lr"] = self._config.rate * left
            self._adam.zero_grad()
            loss = some.losses(self._policy(some.fluents, role)).mean()
            loss.backward()  # type: ignore[no-untyped-call]
            self._adam.step()
            self._done += len(some)
            if progress is not None:
                progress(len(some))
