"""Equal tensors as one tensor, so that a file holds each only once."""

from __future__ import annotations

from typing import Any, TypeAlias

import torch
from torch import Tensor

_Kind: TypeAlias = "tuple[torch.dtype, torch.Size]"


def stored_once(contents: Any) -> Any:
    """Return nested values in which tensors that are equal to the bit are the same object.

    What has not been learned yet is as it was at first, in every copy that is kept of it; torch
    writes the same object once.

    Args:
        contents: dictionaries, lists, tuples, tensors and other leaves; left as it is.
    """
    return _once(contents, {})


def _once(value: Any, seen: dict[_Kind, list[Tensor]]) -> Any:
    """Return a value with tensors that are among those seen so far as these."""
    if isinstance(value, dict):
        return {name: _once(part, seen) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_once(part, seen) for part in value)
    if not isinstance(value, Tensor):
        return value
    alike = seen.setdefault((value.dtype, value.shape), [])
    for other in alike:
        if other is value or torch.equal(_bits(other), _bits(value)):
            return other
    alike.append(value)
    return value


def _bits(tensor: Tensor) -> Tensor:
    """Return the bytes of a tensor: as numbers 0.0 and -0.0 are equal, and NaN is not."""
    # An empty tensor cannot be viewed as bytes, and has none.
    plain = tensor.detach().cpu().contiguous().reshape(-1)
    return plain.view(torch.uint8) if plain.numel() > 0 else plain
