"""The bipolar activation and its units: the network exactly as the paper writes it."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from neurogame.evaluators.plan import NeuronGroup, Unit

WIDE = 16
"""Children above which a sum is formed in float64: it is small, but on the way to it, before the
bias is added, as large as their number, and loses that many digits."""


def bipolar(x: Tensor, beta: float = 1.0) -> Tensor:
    """Return ``h(x) = 2 / (1 + exp(-beta x)) - 1``, in -1..1.

    It is ``tanh(beta x / 2)``, which does not lose the digits near 0; its derivative is
    ``beta / 2 * (1 - h^2)`` (the paper's ``1 - h^2`` holds for ``beta = 2`` only).

    Args:
        x: net input, any shape.
        beta: steepness, positive.

    *Reference:* Michulke & Thielscher, section 3.2.
    """
    return torch.tanh(x * (beta / 2.0))


def signed_leaves(truth: Tensor) -> Tensor:
    """Return the filler, 0, and the leaves, +1 where true and -1 where false.

    Args:
        truth: 0..1; ``[K, B]``.

    Returns:
        ``[1 + K, 1, B]``.
    """
    filler = truth.new_zeros(1, truth.shape[1])
    return torch.cat([filler, 2.0 * truth - 1.0]).unsqueeze(1)


@final
class PlainUnit(Unit):
    """``o = h(sum w o + bias)``: edge parameter signed weight, neuron parameter bias weight.

    Args:
        beta: steepness, positive.
    """

    channels = 1

    def __init__(self, beta: float) -> None:
        self.beta = beta

    def __call__(
        self, children: Tensor, group: NeuronGroup, edges: Tensor, nodes: Tensor
    ) -> Tensor:
        """Return the outputs ``[n, 1, B]``; see :class:`Unit`."""
        weights, outputs = edges.unsqueeze(1), children[0]
        if edges.shape[1] > WIDE:
            weights, outputs = weights.double(), outputs.double()
        inputs = torch.bmm(weights, outputs).squeeze(1) + nodes[0].unsqueeze(1)
        return bipolar(inputs, self.beta).to(children.dtype).unsqueeze(1)
