"""C-IL2P networks evaluated as the paper does: the published setting, and the random twin."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from neurogame.circuit.circuit import Circuit
from neurogame.evaluators.activation import PlainUnit, signed_leaves
from neurogame.evaluators.cilp_weights import (
    a_min,
    conjunction_bias,
    disjunction_bias,
    sound_weight,
)
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.goal_networks import WeightedNetworks
from neurogame.evaluators.kernel_networks import KernelNetworks
from neurogame.evaluators.tables import KernelInputs, UnitTables, plain_inputs
from neurogame.evaluators.wiring import Wiring
from neurogame.graph.graph import AND
from neurogame.kernels.neural.layout import PLAIN, Layout
from neurogame.splitmix import seed_word


@final
class PlainNetworks(WeightedNetworks):
    """Goal networks of bipolar neurons, evaluated directly.

    A leaf is +1 where its fluent holds, else -1. An edge has the weight W, negated -W. With the
    published ``W = 1`` every state gets its own output but the logic is not sound: on Pentago
    an almost full board without a line scores above a board with one. With the weight of
    equation (4) the logic is sound but float32 hardly tells states apart.

    Args:
        circuit: the game.
        wiring: neurons and edges.
        config: kind ``"cilp-paper"``, or ``"random"``: the same neurons and edges with random
            weights.
        seed: of the weight noise and of the random twin.

    Attributes:
        weight: signed weight of each edge, in :class:`Wiring` order; ``[E]``.
        bias: bias weight of each neuron; ``[U]``.
    """

    edges_are_logarithms = False
    _kind = PLAIN

    def __init__(
        self, circuit: Circuit, wiring: Wiring, config: EvaluatorConfig, seed: int
    ) -> None:
        super().__init__(circuit, wiring, config, seed)
        self.beta = config.beta
        self._steep = config.beta / 2.0
        generator = torch.Generator().manual_seed(seed_word(seed))
        if config.kind == "random":
            weight, bias = _random_weights(wiring, generator, config.beta)
        else:
            weight, bias = _logical_weights(wiring, config, generator)
        self.weight = nn.Parameter(weight.float())
        self.bias = nn.Parameter(bias.float())

    @property
    def edges(self) -> nn.Parameter:
        """The signed weight of each edge; ``[E]``."""
        return self.weight

    def signed_weights(self) -> Tensor:
        """Return the signed weight of each edge, detached; float64 ``[E]``."""
        return self.weight.detach().double()

    def _channels(self, leaves: Tensor, which: Tensor, units: int) -> Tensor:
        truth = self.plan.leaf_truth(leaves, self.weight.dtype)
        return self.plan.run(
            PlainUnit(self.beta),
            signed_leaves(truth),
            self.weight,
            self.bias.unsqueeze(0),
            self.output_row[which],
            units,
        )

    def _read(self, channels: Tensor, which: Tensor) -> Tensor:
        return channels[:, 0].t()

    def _kernel_tables(self, layout: Layout) -> tuple[UnitTables, ...]:
        leaves = signed_leaves(torch.tensor([[0.0, 1.0]]))
        return (UnitTables(layout, PlainUnit(self.beta), leaves),)

    def _kernel_inputs(self, kernel: KernelNetworks) -> KernelInputs:
        nodes = self.bias.unsqueeze(0)
        return plain_inputs(kernel.layout, kernel.tables[0], self.weight, nodes)


def truth_thresholds(wiring: Wiring, alpha: float) -> Tensor:
    """Return A_min of each neuron, by the largest fan-in of its network; float64 ``[U]``.

    Args:
        wiring: neurons and edges.
        alpha: the alpha of equation (5).
    """
    return _by_fan_in(wiring, lambda k: a_min(k, alpha))


def sound_weights(wiring: Wiring, alpha: float, beta: float) -> Tensor:
    """Return W of equation (4) of each neuron, by the largest fan-in of its network; ``[U]``."""
    return _by_fan_in(wiring, lambda k: sound_weight(k, a_min(k, alpha), beta))


def logical_biases(wiring: Wiring, alpha: float, weights: Tensor) -> Tensor:
    """Return the bias weights of equations (1) and (2); float64 ``[U]``.

    Args:
        wiring: neurons and edges.
        alpha: the alpha of equation (5).
        weights: W of each neuron, the same within a network; float64 ``[U]``.
    """
    conjunction = wiring.graph.kind == AND
    alike = np.stack([conjunction, wiring.fan_in, wiring.largest])
    cases, first, index = np.unique(alike, axis=1, return_index=True, return_inverse=True)
    values = [
        (conjunction_bias if kind else disjunction_bias)(n, a_min(k, alpha), weight)
        for (kind, n, k), weight in zip(cases.T.tolist(), weights[first].tolist(), strict=True)
    ]
    return torch.tensor(values, dtype=torch.float64)[torch.from_numpy(index.reshape(-1))]


def _by_fan_in(wiring: Wiring, constant: Callable[[int], float]) -> Tensor:
    """Return a constant of each neuron's network, which depends on its largest fan-in."""
    sizes, index = np.unique(wiring.largest, return_inverse=True)
    values = torch.tensor([constant(k) for k in sizes.tolist()], dtype=torch.float64)
    return values[torch.from_numpy(index.reshape(-1))]


def _logical_weights(
    wiring: Wiring, config: EvaluatorConfig, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Return edge weights and bias weights compiled from the logic; float64."""
    if config.weight == "eq4":
        weights = sound_weights(wiring, config.alpha, config.beta)
    else:
        weights = torch.full((wiring.unit_count,), float(config.weight), dtype=torch.float64)
    magnitude = weights.repeat_interleave(torch.from_numpy(wiring.fan_in))
    # "Increased by a small random float": of the absolute weight, hence before the sign.
    noise = torch.rand(wiring.edge_count, generator=generator, dtype=torch.float64)
    magnitude = magnitude + config.noise * noise
    sign = torch.from_numpy(1.0 - 2.0 * wiring.negated)
    return sign * magnitude, logical_biases(wiring, config.alpha, weights)


def _random_weights(
    wiring: Wiring, generator: torch.Generator, beta: float
) -> tuple[Tensor, Tensor]:
    """Return weights that keep the variance of the signal from layer to layer; float64."""
    spread = (2.0 / beta) / torch.from_numpy(wiring.fan_in).double().sqrt()
    weight = torch.randn(wiring.edge_count, generator=generator, dtype=torch.float64)
    bias = torch.randn(wiring.unit_count, generator=generator, dtype=torch.float64)
    return weight * spread.repeat_interleave(torch.from_numpy(wiring.fan_in)), 0.1 * bias
