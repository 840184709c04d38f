"""Whether stored weights speak for the sizes that their description names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from neurogame.errors import ConfigurationError

if TYPE_CHECKING:
    from torch import Tensor

_TIMES, _MORE = 4, 1 << 16
"""Older files leave some weights out, which are made of the others."""


def check_claim(what: str, numbers: int, weights: Mapping[str, Tensor] | None) -> None:
    """Refuse a description that asks for far more numbers than there are weights.

    To be asked before any room is made for them.

    Args:
        what: is described, in words.
        numbers: that it has, by its description.
        weights: that will be loaded; None: it gets weights of its own.

    Raises:
        ConfigurationError: the weights are by far fewer.
    """
    held = None if weights is None else sum(tensor.numel() for tensor in weights.values())
    if held is not None and numbers > _TIMES * held + _MORE:
        raise ConfigurationError(
            f"{what}: its description asks for {numbers:,} numbers, its weights are {held:,}; "
            "the file is damaged or made up"
        )
