"""Which rules a value rests on: how it answers to the weights of the networks, rule by rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.goal_networks import WeightedNetworks
from neurogame.gdl.write import rule_text
from neurogame.inspect.weights import weighted
from neurogame.simulate.game import State


@final
@dataclass(frozen=True, kw_only=True)
class RuleEffect:
    """What a rule does for a value.

    Attributes:
        rule: index of the rule among those of the game.
        source: its text.
        amount: derivative of the value by the logarithm of the rule's weights: where they all grow
            by a hundredth, the value grows by a hundredth of this.
    """

    rule: int
    source: str
    amount: float


def rule_effects(evaluator: Evaluator, state: State, role: int) -> tuple[RuleEffect, ...]:
    """Return what each rule does for the value of a state, the largest effects first.

    Only rules whose neurons have weights are listed; where logic computes the truth of an atom,
    the rules behind it have none.

    Args:
        evaluator: of the state's game, with networks made of rules.
        state: any state.
        role: index of the role.

    Raises:
        GameError: the evaluator has no weights that come from rules.
    """
    networks = weighted(evaluator)
    wiring, rules = networks.wiring, state.game.rules
    edges = torch.from_numpy(wiring.start[1:] - wiring.start[:-1]).long()
    rule = torch.repeat_interleave(torch.from_numpy(wiring.graph.rule[: len(edges)]).long(), edges)
    known = rule >= 0
    sums = torch.zeros(len(rules), dtype=torch.float64)
    sums.index_add_(0, rule[known], _by_weight(networks, state, role)[known])
    effects = [
        RuleEffect(rule=index, source=rule_text(clause, rules.spelling), amount=amount)
        for index, (clause, amount) in enumerate(zip(rules, sums.tolist(), strict=True))
        if amount
    ]
    return tuple(sorted(effects, key=lambda one: -abs(one.amount)))


def _by_weight(networks: WeightedNetworks, state: State, role: int) -> Tensor:
    """Return the derivative of the value by the logarithm of each edge's weight; float64 [E]."""
    learned = networks.edges
    with torch.enable_grad():
        value = networks(state.fluents[None])[0, role]
        if not value.requires_grad:
            return torch.zeros(len(learned), dtype=torch.float64)
        (slope,) = torch.autograd.grad(value, learned, allow_unused=True)
    if slope is None:
        return torch.zeros(len(learned), dtype=torch.float64)
    return (slope if networks.edges_are_logarithms else slope * learned.detach()).double()
