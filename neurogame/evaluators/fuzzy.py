"""The goal formulas in fuzzy logic: a fixed evaluator without weights, as an opponent."""

from __future__ import annotations

import math
from typing import final

import torch
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.goal_networks import LogicalNetworks
from neurogame.evaluators.plan import NeuronGroup, Unit
from neurogame.evaluators.wiring import Wiring
from neurogame.graph.graph import AND


@final
class FuzzyUnit(Unit):
    """A conjunction is the product of its literals' truth, a disjunction its dual.

    Channel 0 is the logarithm of truth, channel 1 that of falsity (1 - truth), so that neither
    end loses digits. Neuron parameter: the kind.
    """

    channels = 2

    def __call__(
        self, children: Tensor, group: NeuronGroup, edges: Tensor, nodes: Tensor
    ) -> Tensor:
        """Return log truth and log falsity ``[n, 2, B]``; see :class:`Unit`."""
        true, false = children.sum(dim=2)
        conjunction = (nodes[0] == AND).unsqueeze(1)
        product = torch.where(conjunction, true, false)
        rest = torch.log(-torch.expm1(product.clamp_max(-1e-30)))
        return torch.stack(
            [torch.where(conjunction, product, rest), torch.where(conjunction, rest, product)],
            dim=1,
        )


@final
class FuzzyGoals(LogicalNetworks):
    """Fuzzy truth of every goal, with the product as "and" and ``1 - prod(1 - x)`` as "or".

    A fluent that holds has the truth ``confidence``, any other ``1 - confidence``. It has no
    parameters: an opponent that stays the same.

    Args:
        circuit: the game.
        wiring: neurons and edges; sharing makes no difference.
        config: kind ``"fuzzy"``.
        seed: recorded only.

    *Reference:* Schiffel & Thielscher, "Fluxplayer: A Successful General Game Player", 2007,
    fuzzify the goal in the same spirit (with a Yager t-norm).
    """

    def __init__(
        self, circuit: Circuit, wiring: Wiring, config: EvaluatorConfig, seed: int
    ) -> None:
        super().__init__(circuit, wiring, config, seed)
        self.confidence = config.confidence

    def _unit(self) -> FuzzyUnit:
        return FuzzyUnit()

    def _read(self, channels: Tensor, which: Tensor) -> Tensor:
        # 2 truth - 1, from whichever of truth and falsity is the smaller.
        true, false = channels.exp().unbind(dim=1)
        return torch.where(true < false, 2.0 * true - 1.0, 1.0 - 2.0 * false).t()

    def _leaves(self, truth: Tensor) -> Tensor:
        low = math.log1p(-self.confidence)
        slope = math.log(self.confidence) - low
        both = torch.stack([truth, 1.0 - truth], dim=1) * slope + low
        return torch.cat([both.new_zeros(1, 2, both.shape[2]), both])
