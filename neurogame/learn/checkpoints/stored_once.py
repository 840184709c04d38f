"""Equal tensors as one tensor, so that a file holds each only once."""

from __future__ import annotations

from typing import Any, TypeAlias, final

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
    return _Once().of(contents)


@final
class _Once:
    """The different tensors seen so far."""

    def __init__(self) -> None:
        self._seen: dict[_Kind, list[Tensor]] = {}

    def of(self, value: Any) -> Any:
        """Return a value with equal tensors as one."""
        if isinstance(value, Tensor):
            return self._tensor(value)
        if isinstance(value, dict):
            return {name: self.of(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self.of(part) for part in value)
        return value

    def _tensor(self, tensor: Tensor) -> Tensor:
        alike = self._seen.setdefault((tensor.dtype, tensor.shape), [])
        for other in alike:
            if other is tensor or torch.equal(_bits(other), _bits(tensor)):
                return other
        alike.append(tensor)
        return tensor


def _bits(tensor: Tensor) -> Tensor:
    """Return the bytes of a tensor: as numbers 0.0 and -0.0 are equal, and NaN is not."""
    # An empty tensor cannot be viewed as bytes, and has none.
    plain = tensor.detach().cpu().contiguous().reshape(-1)
    return plain.view(torch.uint8) if plain.numel() > 0 else plain
