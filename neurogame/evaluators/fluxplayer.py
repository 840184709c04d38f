"""An evaluator in the manner of Fluxplayer: fuzzy truth of the goals and of the end of the game."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.goal_networks import LogicalNetworks
from neurogame.evaluators.kernel_networks import KernelNetworks
from neurogame.evaluators.plan import NeuronGroup, Unit
from neurogame.evaluators.tables import KernelInputs, UnitTables, summed
from neurogame.evaluators.value import BEST, WORST
from neurogame.evaluators.wiring import Wiring
from neurogame.graph.graph import AND
from neurogame.kernels.neural.layout import THRESHOLD, Layout

LOWEST_POWER = 80.0
"""Falsities of what holds count as at least ``(1 - t) exp(-80 / q)``: float32 can hold no less."""


@final
@dataclass(frozen=True, kw_only=True)
class ThresholdNorm:
    """The numbers of a threshold t-norm, and what is computed with them.

    A fuzzy "and" whose values still say whether the formula holds: an ordinary t-norm of many
    literals that all hold, such as their product, falls below that of few literals one of which
    does not. The threshold repairs that: with ``min > 0.5`` meaning that all operands hold ::

        T'(a1, ..., an) = max(T(a1, ..., an), t)   if min > 0.5
                          T(a1, ..., an)           otherwise
        S'(a1, ..., an) = 1 - T'(1 - a1, ..., 1 - an)

    By induction a formula has at least t where it holds and at most 1 - t where it does not. T is
    of the Yager family: ``T = 1 - S(1 - a)``, ``S(a) = min(1, (sum a^q)^(1/q))``.

    *Reference:* S. Schiffel & M. Thielscher, "Fluxplayer: A Successful General Game Player", 2007.

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
        # Below 1: a falsity of 0, its negation, would be taken for no operand.
        fails = (total ** (1.0 / self.q)).clamp(t, torch.ones_like(t) - 2.0**-24)
        return torch.where(strong == 0, holds, fails)

    def conjunction(self, falsity: Tensor, dim: int) -> Tensor:
        """Return the falsity of the conjunction of operands along a dimension.

        Args:
            falsity: of each operand, 0 for none; any shape.
            dim: along which the operands lie.
        """
        strong, weak = self.powers(falsity)
        return self.joined(strong.sum(dim), weak.sum(dim))


@final
class ThresholdUnit(Unit):
    """A conjunction is the threshold t-norm of its literals, a disjunction its dual.

    Channel 0 is the truth, channel 1 the falsity. Neuron parameter: the kind.

    Args:
        norm: the t-norm.
    """

    channels = 2

    def __init__(self, norm: ThresholdNorm) -> None:
        self.norm = norm

    def __call__(
        self, children: Tensor, group: NeuronGroup, edges: Tensor, nodes: Tensor
    ) -> Tensor:
        """Return truth and falsity ``[n, 2, B]``; see :class:`Unit`."""
        conjunction = (nodes[0] == AND).unsqueeze(1)
        # A disjunction holds unless the conjunction of its literals' negations does.
        falsity = torch.where(conjunction.unsqueeze(1), children[1], children[0])
        joined = self.norm.conjunction(falsity, dim=1)
        both = torch.stack([1.0 - joined, joined], dim=1)
        return torch.where(conjunction.unsqueeze(1), both, both.flip(1))


@final
class FluxplayerGoals(LogicalNetworks):
    """How nearly each goal is reached and the game over, mixed into state values.

    With ``eval`` the truth of a formula under :class:`ThresholdNorm`, each goal value ``gv`` of a
    role counts as ::

        h(gv) = eval(goal(gv) or terminal)          if the goal holds in the state
                eval(goal(gv) and not terminal)     otherwise

    that is, the end is wanted where the goal holds, and to be avoided where it does not. The
    value of the role is the sum of all ``gv / 100 * h(gv)`` by the product t-conorm, ::

        1 - product of (1 - gv / 100 * h(gv)),

    which lies in 0..1 on the scale of goals; like every evaluator's it is moved into 0.01..0.99.
    The constant ``1 / sum of gv`` before that sum changes no order and is left out, so that
    estimates can stand beside the goals of terminal states.

    It has no parameters: an opponent that stays the same. Fluxplayer knew more than this, such
    as orders and distances; where rules have none of these, as those of Pentago and Qubic, this
    is its evaluation.

    Args:
        circuit: the game.
        wiring: neurons and edges of the goals and of the end, which comes last.
        config: kind ``"fluxplayer"``.
        seed: recorded only.

    Attributes:
        norm: the t-norm.

    *Reference:* S. Schiffel & M. Thielscher, "Fluxplayer: A Successful General Game Player", 2007;
    the opponent of table 2 of Michulke & Thielscher.
    """

    weights: Tensor
    _kind = THRESHOLD

    def __init__(
        self, circuit: Circuit, wiring: Wiring, config: EvaluatorConfig, seed: int
    ) -> None:
        super().__init__(circuit, wiring, config, seed)
        self.norm = ThresholdNorm(p=config.flux_p, t=config.flux_t, q=config.flux_q)
        weights = torch.zeros(self.role_count, len(self.network_keys))
        for network, (role, value) in enumerate(self.network_keys):
            if role >= 0:
                weights[role, network] = value / 100
        self.register_buffer("weights", weights, persistent=False)

    def _mixed(self, some: Tensor) -> Tensor:
        truth = (some + 1) / 2
        goals, end = truth[:, :-1], truth[:, -1:]
        holds = goals > 0.5
        # Of both formulas the end is one operand, and the goal, however it stands, the other.
        strong, _ = self.norm.powers(torch.where(holds, goals, 1 - goals))
        end_strong, end_weak = self.norm.powers(end.clamp_min(self.norm.floor))
        joined = self.norm.joined(strong + end_strong, end_weak.expand_as(strong))
        degree = torch.where(holds, joined, 1 - joined)
        shares = self.weights[:, self._valued[:-1]].to(degree.dtype)
        return WORST + (BEST - WORST) * (1 - (1 - degree.unsqueeze(1) * shares).prod(dim=2))

    def _unit(self) -> ThresholdUnit:
        return ThresholdUnit(self.norm)

    def _read(self, channels: Tensor, which: Tensor) -> Tensor:
        return (channels[:, 0] - channels[:, 1]).t()

    def _leaves(self, truth: Tensor) -> Tensor:
        return torch.cat([truth.new_zeros(1, 2, truth.shape[1]), self.norm.leaves(truth)])

    def _kernel_tables(self, layout: Layout) -> tuple[UnitTables, ...]:
        return (UnitTables(layout, self._unit(), self._leaves(torch.tensor([[0.0, 1.0]]))),)

    def _kernel_inputs(self, kernel: KernelNetworks) -> KernelInputs:
        layout, (tables,) = kernel.layout, kernel.tables
        small = tables.small(self.kinds.new_zeros(self.wiring.edge_count), self.kinds.unsqueeze(0))
        conjunction = self.kinds[layout.unit] == AND
        parts = [
            torch.stack(self.norm.powers(_falsity(both, conjunction[parent])), dim=1)
            for both, parent in ((small, layout.small_parent), (tables.leaf, layout.leaf_parent))
        ]
        nodes = conjunction.to(self.kinds.dtype).unsqueeze(0)
        return KernelInputs(summed(layout, *parts), self._constants(), nodes, nodes[:0])

    def _constants(self) -> Tensor:
        """Return the numbers of the t-norm as the kernel takes them; ``[1, 6]``."""
        t, q = self.norm.t, self.norm.q
        numbers = [q, 1 / q, t, (1 - t) ** q, math.exp(-LOWEST_POWER), t**q]
        return self.kinds.new_tensor([numbers])

    def _mixing(self, which: Tensor) -> tuple[Tensor, Tensor]:
        return self.weights[:, which], self.weights.new_full((self.role_count,), WORST)


def _falsity(both: Tensor, conjunction: Tensor) -> Tensor:
    """Return falsity for a conjunction, truth for a disjunction; ``[n, 32]`` of ``[n, 2, 32]``."""
    return torch.where(conjunction.unsqueeze(1), both[:, 1], both[:, 0])
