"""Numbers kept in bit-slices, one per lane: row ``i`` holds bit ``i`` of 64 numbers per word."""

from __future__ import annotations

import torch
from torch import Tensor

from neurogame.kernels.words.pack import unpack


def increment(planes: Tensor, lanes: Tensor) -> None:
    """Add one to the numbers of some lanes, in place, modulo 2^k.

    Args:
        planes: int64 ``[k, W]``.
        lanes: which lanes; int64 ``[W]``.
    """
    carry = lanes.clone()
    for plane in planes:
        following = plane & carry
        plane ^= carry
        carry = following


def equals(planes: Tensor, number: int) -> Tensor:
    """Return the lanes whose number is the given one; int64 ``[W]``.

    Args:
        planes: int64 ``[k, W]``.
        number: in ``0 .. 2^k - 1``.
    """
    result = torch.full(planes.shape[1:], -1, dtype=torch.int64, device=planes.device)
    for bit, plane in enumerate(planes):
        result &= plane if number >> bit & 1 else ~plane
    return result


def set_lanes(words: Tensor) -> Tensor:
    """Return the lanes that are one, ascending; int64 ``[N]``.

    Args:
        words: int64 ``[W]``.
    """
    return unpack(words[None], 64 * len(words))[:, 0].nonzero().view(-1)


def numbers_of(planes: Tensor, lanes: Tensor) -> Tensor:
    """Return the numbers of some lanes; int64 ``[N]``.

    Args:
        planes: int64 ``[k, W]``.
        lanes: int64 ``[N]``, each in ``0 .. 64 W - 1``.
    """
    bits = (planes[:, lanes >> 6] >> (lanes & 63)).bitwise_and_(1)
    weights = 1 << torch.arange(len(planes), device=planes.device)
    return (bits * weights[:, None]).sum(dim=0)
