"""Weights as plain tensors, apart from what goes on changing them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from torch import Tensor


class HasWeights(Protocol):
    """Such as a module of torch."""

    def state_dict(self) -> Mapping[str, Tensor]:
        """Return the tensors by name."""


def copied_weights(module: HasWeights) -> dict[str, Tensor]:
    """Return copies of a module's tensors by name, on the CPU."""
    return {name: tensor.detach().cpu().clone() for name, tensor in module.state_dict().items()}


def part_of(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Return the tensors whose names begin with a prefix, under the rest of their names."""
    return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
