"""What fluents add to a number of any state: integrated gradients, Shapley values, and toggling.

*Reference:* Sundararajan, Taly and Yan, "Axiomatic attribution for deep networks" (2017); Castro,
Gómez and Tejada, "Polynomial calculation of the Shapley value based on sampling" (2009).
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

import torch
from torch import Tensor

from neurogame.evaluators.attribution import Attribution, Contribution
from neurogame.evaluators.measured import Measured
from neurogame.simulate.game import State
from neurogame.splitmix import seed_word

_PIECES, _MOST_POINTS, _AT_ONCE = 32, 1024, 128
"""Pieces of a path at first, points of it at most, and points computed at once."""
_CLOSE = 1e-3
"""Error of the sum that is good enough, as a share of it where it is above 1."""
_NARROWEST = 2.0**-20
"""Pieces that are not cut again: where a value changes within one, it jumps."""
_ORDERS = 32
"""In so many orders fluents are changed, and in their reverses."""


def integrated_gradients(measured: Measured, state: State, baseline: State) -> Attribution:
    """Return what each fluent that differs from a baseline adds to the value.

    Amounts are gradients integrated along the straight path from the baseline, on which fluents
    hold by shares 0..1; they add up to the difference of the values. Where an evaluator computes
    conditions by logic, which knows no shares, it jumps in the middle of the path: that is a
    contribution of its own (``logic``).

    Args:
        measured: a number of the states of the game, differentiable by torch.
        state: any state.
        baseline: what the state is compared with, such as the initial state.
    """
    begin = baseline.fluents.to(measured.kind)
    path = _Path(measured, begin, state.fluents.to(measured.kind) - begin)
    amounts, jump = path.integral()
    base, total = path.values(torch.tensor([0.0, 1.0])).tolist()
    logic = Contribution(
        kind="logic", label="conditions computed by logic", fluents=(), amount=jump
    )
    return measured.attribution(
        state, amounts, method="gradients", base=base, total=total, others=[logic]
    )


def shapley_values(
    measured: Measured, state: State, baseline: State, *, orders: int = _ORDERS, seed: int = 0
) -> Attribution:
    """Return what each fluent that differs from a baseline adds, whatever computes the number.

    The fluents that differ are changed one after the other, in random orders and in their reverses,
    and each gets the mean of the changes that it brings. In every order these add up to the
    difference of the numbers, so the amounts do as well. No fluent ever holds by a share.

    Args:
        measured: a number of the states of the game.
        state: any state.
        baseline: what the state is compared with, such as the initial state.
        orders: how many are drawn, at least 1; with more the amounts depend less on the seed.
        seed: decides the orders, at least 0.
    """
    begin = baseline.fluents
    places = (begin ^ state.fluents).nonzero().view(-1)
    base, total = measured.numbers(torch.stack([begin, state.fluents])).tolist()
    generator = torch.Generator().manual_seed(seed_word(seed))
    # What each fluent brings in an order and its reverse, on average.
    gains = torch.zeros(orders, len(begin), dtype=torch.float64)
    for number in range(orders if len(places) else 0):
        drawn = places[torch.randperm(len(places), generator=generator)]
        for order in (drawn, drawn.flip(0)):
            # Row k: the first k fluents of the order are as in the state.
            done = torch.ones(len(order) + 1, len(order), dtype=torch.bool).tril(-1)
            states = begin.repeat(len(order) + 1, 1)
            states[:, order] ^= done
            values = torch.cat([measured.numbers(part) for part in torch.split(states, _AT_ONCE)])
            gains[number, order] += values.diff() / 2
    spread = float(gains.std(dim=0).max()) / orders**0.5 if orders > 1 else float("nan")
    return replace(
        measured.attribution(state, gains.mean(dim=0), method="shapley", base=base, total=total),
        sampling_error=spread,
    )


def toggled(measured: Measured, state: State) -> Attribution:
    """Return by how much the value would fall if a fluent alone were the other way round.

    Args:
        measured: a number of the states of the game, of whatever kind.
        state: any state; those next to it need not be reachable.
    """
    count = len(state.fluents)
    value = float(measured.numbers(state.fluents[None])[0])
    others = state.fluents ^ torch.eye(count, dtype=torch.bool)
    numbers = torch.cat([measured.numbers(part) for part in torch.split(others, _AT_ONCE)])
    return measured.attribution(state, value - numbers, method="toggling", base=0.0, total=value)


@final
class _Path:
    """The straight way from one state to another, and a number along it."""

    def __init__(self, measured: Measured, begin: Tensor, step: Tensor) -> None:
        self._measured, self._begin, self._step = measured, begin, step

    def values(self, places: Tensor) -> Tensor:
        """Return the values at places 0..1 of the path; float64 ``[N]``."""
        return self._measured.numbers(self._points(places))

    def integral(self) -> tuple[Tensor, float]:
        """Return the integrals of all fluents' slopes, float64 ``[F]``, and a jump in the middle.

        Pieces in which the slopes do not account for the change of the value are cut in halves.
        """
        edges = torch.linspace(0, 1, _PIECES + 1, dtype=torch.float64)
        low, high = edges[:-1], edges[1:]
        integrals, jump, points = torch.zeros(len(self._begin), dtype=torch.float64), 0.0, 0
        whole = float(self.values(torch.tensor([0.0, 1.0])).diff().abs())
        enough = _CLOSE * max(whole, 1.0)
        while len(low):
            width = high - low
            slopes = self._slopes((low + high) / 2) * width[:, None]
            missing = self.values(high) - self.values(low) - slopes.sum(dim=1)
            points += len(low)
            close = missing.abs() <= enough * torch.maximum(width, torch.tensor(1 / _PIECES))
            done = close | (width <= _NARROWEST)
            if points >= _MOST_POINTS:
                done[:] = True
            integrals += slopes[done & (close | (width > _NARROWEST))].sum(dim=0)
            # There, and only there, conditions that know no shares are decided otherwise.
            middle = done & ~close & (low <= 0.5) & (high >= 0.5)
            jump += float((missing + slopes.sum(dim=1))[middle & (width <= _NARROWEST)].sum())
            low, high = low[~done], high[~done]
            centre = (low + high) / 2
            low, high = torch.cat([low, centre]), torch.cat([centre, high])
        return integrals, jump

    def _points(self, places: Tensor) -> Tensor:
        return self._begin + places.to(self._step.dtype)[:, None] * self._step

    def _slopes(self, places: Tensor) -> Tensor:
        """Return by how much each fluent raises the value per length of the path; ``[N, F]``."""
        slopes = []
        for first in range(0, len(places), _AT_ONCE):
            points = self._points(places[first : first + _AT_ONCE]).requires_grad_()
            with torch.enable_grad():
                value = self._measured.of(points).sum()
                (gradient,) = torch.autograd.grad(value, points)
            slopes.append((gradient * self._step).double())
        return torch.cat(slopes)
