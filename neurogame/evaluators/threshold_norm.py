"""The threshold t-norm: fuzzy "and" whose values still say whether the formula holds.

An ordinary t-norm of many literals that all hold, such as their product, falls below that of few
literals one of which does not hold. The threshold repairs that: with ``min > 0.5`` meaning that
all operands hold ::

    T'(a1, ..., an) = max(T(a1, ..., an), t)   if min > 0.5
                      T(a1, ..., an)           otherwise
    S'(a1, ..., an) = 1 - T'(1 - a1, ..., 1 - an)

By induction a formula has at least t where it holds and at most 1 - t where it does not. T is of
the Yager family: ``T = 1 - S(1 - a)``, ``S(a) = min(1, (sum a^q)^(1/q))``.

*Reference:* S. Schiffel & M. Thielscher, "Fluxplayer: A Successful General Game Player", 2007.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

LOWEST_POWER = 80.0
"""Falsities of what holds count as at least ``(1 - t) exp(-80 / q)``: float32 can hold no less."""


@final
@dataclass(frozen=True, kw_only=True)
class ThresholdNorm:
    """The numbers of a threshold t-norm, and what is computed with them.

    *Falsity* is 1 - truth. Sums are kept apart for operands that hold and for those that do not:
    the latter is 0 exactly where all hold, whatever is lost in rounding.

    Attributes:
        p: truth of a fluent that holds; strictly between 0.5 and 1.
        t: the threshold; above 0.5, at most p.
        q: the order of the Yager norm; 1 to 100. The larger, the more only the worst counts.
    """

    p: float
    t: float
    q: float

    @property
    def floor(self) -> float:
        """Least falsity of what holds."""
        return (1.0 - self.t) * math.exp(-LOWEST_POWER / self.q)

    def leaves(self, held: Tensor) -> Tensor:
        """Return truth and falsity of leaves; ``[K, 2, ...]`` from ``[K, ...]`` in 0..1."""
        p = held.new_tensor(self.p)
        truth, falsity = (held * x + (1 - held) * (1 - x) for x in (p, 1 - p))
        return torch.stack([truth, falsity], dim=1)

    def powers(self, falsity: Tensor) -> tuple[Tensor, Tensor]:
        """Return what operands add to the sums of those that do not hold, and that do.

        Args:
            falsity: of each operand, 0 for none; any shape.

        Returns:
            ``falsity^q`` or 0, and ``(falsity / (1 - t))^q`` or 0; the same shape each.
        """
        fails = falsity > 0.5
        strong = torch.where(fails, falsity, 1.0) ** self.q
        weak = (falsity.clamp_min(self.floor) / (1.0 - self.t)) ** self.q
        nothing = torch.zeros_like(falsity)
        return torch.where(fails, strong, 0.0), torch.where(fails | (falsity == 0), nothing, weak)

    def joined(self, strong: Tensor, weak: Tensor) -> Tensor:
        """Return the falsity of a conjunction from the sums of its operands' powers."""
        t = strong.new_tensor(self.t)
        rest = 1 - t
        holds = (rest * weak ** (1.0 / self.q)).clamp_max(rest)
        total = strong + weak * float((1.0 - self.t) ** self.q)
        fails = (total ** (1.0 / self.q)).clamp(t, torch.ones_like(t))
        return torch.where(strong == 0, holds, fails)

    def conjunction(self, falsity: Tensor, dim: int) -> Tensor:
        """Return the falsity of the conjunction of operands along a dimension.

        Args:
            falsity: of each operand, 0 for none; any shape.
            dim: along which the operands lie.
        """
        strong, weak = self.powers(falsity)
        return self.joined(strong.sum(dim), weak.sum(dim))
