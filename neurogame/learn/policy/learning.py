"""Learning a policy: to see at a glance which moves an evaluator prefers.

An evaluator has to make every move to say what it is worth. A policy reads that off the state, and
so gives a tree search priors at the price of a fraction of one of these moves. It learns by Adam on
the cross entropy, from the choices of games that the evaluator plays with itself.

*Reference:* Silver et al., "Mastering the game of Go without human knowledge" (2017); Anthony, Tian
and Barber, "Thinking Fast and Slow with Deep Learning and Tree Search" (2017).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import torch

from neurogame.errors import ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.parts.evaluator import parts_of
from neurogame.evaluators.policy.policy import LearnedPolicy
from neurogame.learn.choices import MoveChoices
from neurogame.learn.policy.choices import ChoiceSource
from neurogame.learn.policy.config import PolicyConfig
from neurogame.simulate.game import Game


@final
@dataclass(frozen=True, kw_only=True)
class PolicyReport:
    """What learning a policy came to.

    Attributes:
        choices: that it learned from.
        held_out: choices that measured it.
        loss: cross entropy per held-out choice, in nats.
        entropy: of what the teacher says of them: no policy can do better.
        uniform: cross entropy where all legal moves are alike.
        agreement: share of the held-out choices in which the policy's best move is the teacher's.
    """

    choices: int
    held_out: int
    loss: float
    entropy: float
    uniform: float
    agreement: float


def learn_policy(
    game: Game,
    evaluator: Evaluator,
    config: PolicyConfig | None = None,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> tuple[LearnedPolicy, PolicyReport]:
    """Return a policy that has learned from an evaluator, and how well it does.

    The same seed gives the same policy.

    Args:
        game: the game.
        evaluator: made of parts; it is not changed.
        config: how to learn.
        seed: decides the games.
        progress: called with the number of choices learned from since it was last called.

    Raises:
        ConfigurationError: the evaluator is not made of parts.
    """
    teacher = parts_of(evaluator)
    if teacher is None:
        raise ConfigurationError(
            f"a policy learns above the hidden units of an evaluator made of parts, as `neurogame "
            f"train` makes it; found {evaluator.describe().get('kind', 'another kind')}"
        )
    config = config or PolicyConfig()
    policy = LearnedPolicy.above(game.circuit, teacher)
    source = ChoiceSource(game, teacher, config, seed)
    measured = max(round(config.held_out * config.choices), 1)
    held, kept = _Gathered(), _Gathered()
    steps = _Steps(policy, config, seed)
    for role, choices in source.choices():
        if held.count < measured:
            held.add(role, choices)
            continue
        own = choices.select(torch.arange(min(len(choices), config.choices - kept.count)))
        if config.passes > 1:
            kept.add(role, own)
        else:
            kept.count += len(own)
        steps.learn(role, own, progress)
        if kept.count >= config.choices:
            break
    for _ in range(1, config.passes):
        for role, own in kept.parts:
            steps.learn(role, own, progress)
    policy.eval()
    return policy, _report(policy, held, kept.count)


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


def _report(policy: LearnedPolicy, held: _Gathered, learned: int) -> PolicyReport:
    """Measure a policy on choices that it has not learned from."""
    losses, entropies, uniform, agreements = [], [], [], []
    with torch.no_grad():
        for role, own in held.parts:
            scores = policy(own.fluents, role)
            losses.append(own.losses(scores))
            entropies.append(own.entropies())
            uniform.append(own.legal.sum(dim=1).float().log())
            agreements.append(own.agreements(scores))
    return PolicyReport(
        choices=learned,
        held_out=held.count,
        loss=float(torch.cat(losses).mean()),
        entropy=float(torch.cat(entropies).mean()),
        uniform=float(torch.cat(uniform).mean()),
        agreement=float(torch.cat(agreements).float().mean()),
    )
