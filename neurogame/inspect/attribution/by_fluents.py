"""What fluents add to a value of any evaluator: integrated gradients, and toggling.

*Reference:* Sundararajan, Taly and Yan, "Axiomatic attribution for deep networks" (2017).
"""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.inspect.attribution.contribution import (
    Attribution,
    Contribution,
    sorted_by_size,
)
from neurogame.simulate.game import State

_PIECES, _MOST_POINTS, _AT_ONCE = 32, 1024, 128
"""Pieces of a path at first, points of it at most, and points computed at once."""
_CLOSE = 1e-3
"""Error of the sum, in values, that is good enough."""
_NARROWEST = 2.0**-20
"""Pieces that are not cut again: where a value changes within one, it jumps."""


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
    path = _Path(evaluator, begin, state.fluents.to(weights.dtype) - begin, role)
    amounts, jump = path.integral()
    base, total = (float(own) for own in path.values(torch.tensor([0.0, 1.0])))
    logic = Contribution(
        kind="logic", label="conditions computed by logic", fluents=(), amount=jump
    )
    return Attribution(
        method="gradients",
        unit="value",
        role=role,
        value=total,
        total=total,
        base=base,
        contributions=sorted_by_size([logic, *_of_fluents(state, amounts)]),
        by_fluent=tuple(amounts.tolist()),
        gap=total - base - float(amounts.sum()) - jump,
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


@final
class _Path:
    """The straight way from one state to another, and a role's value along it."""

    def __init__(self, evaluator: Evaluator, begin: Tensor, step: Tensor, role: int) -> None:
        self._evaluator, self._begin, self._step, self._role = evaluator, begin, step, role

    def values(self, places: Tensor) -> Tensor:
        """Return the values at places 0..1 of the path; float64 ``[N]``."""
        return _values(self._evaluator, self._points(places), self._role).double()

    def integral(self) -> tuple[Tensor, float]:
        """Return the integrals of all fluents' slopes, float64 ``[F]``, and a jump in the middle.

        Pieces in which the slopes do not account for the change of the value are cut in halves.
        """
        edges = torch.linspace(0, 1, _PIECES + 1, dtype=torch.float64)
        low, high = edges[:-1], edges[1:]
        found, jump, points = torch.zeros(len(self._begin), dtype=torch.float64), 0.0, 0
        while len(low):
            width = high - low
            slopes = self._slopes((low + high) / 2) * width[:, None]
            missing = self.values(high) - self.values(low) - slopes.sum(dim=1)
            points += len(low)
            close = missing.abs() <= _CLOSE * torch.maximum(width, torch.tensor(1 / _PIECES))
            done = close | (width <= _NARROWEST)
            if points >= _MOST_POINTS:
                done[:] = True
            found += slopes[done & (close | (width > _NARROWEST))].sum(dim=0)
            # There, and only there, conditions that know no shares are decided otherwise.
            middle = done & ~close & (low <= 0.5) & (high >= 0.5)
            jump += float((missing + slopes.sum(dim=1))[middle & (width <= _NARROWEST)].sum())
            low, high = low[~done], high[~done]
            centre = (low + high) / 2
            low, high = torch.cat([low, centre]), torch.cat([centre, high])
        return found, jump

    def _points(self, places: Tensor) -> Tensor:
        return self._begin + places.to(self._step.dtype)[:, None] * self._step

    def _slopes(self, places: Tensor) -> Tensor:
        """Return by how much each fluent raises the value per length of the path; ``[N, F]``."""
        found = []
        for first in range(0, len(places), _AT_ONCE):
            points = self._points(places[first : first + _AT_ONCE]).requires_grad_()
            with torch.enable_grad():
                value = self._evaluator(points)[:, self._role].sum()
                (gradient,) = torch.autograd.grad(value, points)
            found.append((gradient * self._step).double())
        return torch.cat(found)


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
