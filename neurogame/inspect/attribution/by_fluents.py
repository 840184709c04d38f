"""What fluents add to a value of any evaluator: integrated gradients, and toggling.

*Reference:* Sundararajan, Taly and Yan, "Axiomatic attribution for deep networks" (2017).
"""

from __future__ import annotations

import torch
from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.inspect.attribution.contribution import (
    Attribution,
    Contribution,
    sorted_by_size,
)
from neurogame.simulate.game import State

_STEPS, _MOST_STEPS = 32, 2048
"""Points of a path, at first and at most."""
_CLOSE = 1e-3
"""Error of the sum, in values, with which no more points are taken."""
_BESIDE = 1e-4
"""Distance from the middle of a path at which it is looked at on both sides."""


def integrated_gradients(
    evaluator: Evaluator, state: State, role: int, baseline: State
) -> Attribution:
    """Return what each fluent that differs from a baseline adds to the value.

    Amounts are gradients integrated along the straight path from the baseline, on which fluents
    hold by shares 0..1; they add up to the difference of the values. Where an evaluator computes
    conditions by logic, which knows no shares, it jumps in the middle of the path: that is a
    contribution of its own (``logic``).

    Args:
        evaluator: of the state's game, differentiable by torch.
        state: any state.
        role: index of the role.
        baseline: what the state is compared with, such as the initial state.
    """
    weights = next((p for p in evaluator.parameters()), torch.zeros(()))
    begin = baseline.fluents.to(weights.dtype)
    step = state.fluents.to(weights.dtype) - begin
    ends = _values(evaluator, torch.stack([begin, begin + step]), role)
    base, total = (float(own) for own in ends)
    sides = torch.tensor([0.5 - _BESIDE, 0.5 + _BESIDE], dtype=step.dtype)
    before, after = _values(evaluator, begin + sides[:, None] * step, role)
    jump, points = float(after - before), _STEPS
    while True:
        mean = _mean_gradient(evaluator, begin, step, role, points)
        # Between the two sides the integral has been counted with the jump.
        amounts = (mean * step).double()
        jump_only = jump - 2 * _BESIDE * float(amounts.sum())
        jump_only = jump_only if abs(jump_only) > _CLOSE else 0.0
        gap = total - base - float(amounts.sum()) - jump_only
        if abs(gap) <= _CLOSE or points >= _MOST_STEPS:
            break
        points *= 4
    found = [
        Contribution(
            kind="logic", label="conditions computed by logic", fluents=(), amount=jump_only
        ),
        *_of_fluents(state, amounts),
    ]
    return Attribution(
        method="gradients",
        unit="value",
        role=role,
        value=total,
        total=total,
        base=base,
        contributions=sorted_by_size(found),
        by_fluent=tuple(amounts.tolist()),
        gap=gap,
    )


def toggled(evaluator: Evaluator, state: State, role: int) -> Attribution:
    """Return by how much the value would fall if a fluent alone were the other way round.

    Args:
        evaluator: of the state's game, of whatever kind.
        state: any state; those next to it need not be reachable.
        role: index of the role.
    """
    count = len(state.fluents)
    value = float(_values(evaluator, state.fluents[None], role)[0])
    others = state.fluents ^ torch.eye(count, dtype=torch.bool)
    amounts = value - _values(evaluator, others, role).double()
    return Attribution(
        method="toggling",
        unit="value",
        role=role,
        value=value,
        total=value,
        base=0.0,
        contributions=sorted_by_size(_of_fluents(state, amounts)),
        by_fluent=tuple(amounts.tolist()),
        gap=value - float(amounts.sum()),
    )


def _mean_gradient(
    evaluator: Evaluator, begin: Tensor, step: Tensor, role: int, points: int
) -> Tensor:
    """Return the mean gradient along a path by the midpoint rule; ``[F]``."""
    found = torch.zeros_like(begin)
    for part in torch.split((torch.arange(points) + 0.5) / points, _STEPS):
        path = (begin + part.to(begin.dtype)[:, None] * step).requires_grad_()
        with torch.enable_grad():
            (gradient,) = torch.autograd.grad(evaluator(path)[:, role].sum(), path)
        found += gradient.sum(dim=0)
    return found / points


def _values(evaluator: Evaluator, fluents: Tensor, role: int) -> Tensor:
    with torch.no_grad():
        found: Tensor = evaluator(fluents)[:, role]
    return found


def _of_fluents(state: State, amounts: Tensor) -> list[Contribution]:
    """Return the contributions of fluents, by what holds in the state."""
    held = state.fluents.tolist()
    return [
        Contribution(
            kind="fluent",
            label=name if held[fluent] else f"(not {name})",
            fluents=(fluent,),
            amount=amount,
        )
        for fluent, (name, amount) in enumerate(
            zip(state.game.fluents, amounts.tolist(), strict=True)
        )
        if amount
    ]
