"""Weights as plain tensors, apart from what goes on changing them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from torch import Tensor, nn

from neurogame.errors import CheckpointError, NeurogameError

Module = TypeVar("Module", bound=nn.Module)
_UNFIT = (RuntimeError, LookupError, TypeError, ValueError, AttributeError, OverflowError)
"""What is raised by weights that do not fit a description, or a description that is none."""


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


def with_weights(
    make: Callable[[], Module], weights: Mapping[str, Tensor], what: str, description: Any
) -> Module:
    """Return a module with stored weights, as it is used.

    Args:
        make: makes it of its description.
        weights: its tensors by name.
        what: it is, in words.
        description: what it is made of.

    Raises:
        CheckpointError: the weights do not fit, or the description is none.
    """
    try:
        module = make()
        module.load_state_dict(weights)
    except NeurogameError:
        raise
    except _UNFIT as error:
        raise CheckpointError(
            f"the stored weights do not fit the {what} {str(description)[:1000]}: {error}"
        ) from None
    module.eval()
    return module
