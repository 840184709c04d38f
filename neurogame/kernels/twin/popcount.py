"""Counting the ones of words, in plain torch."""

from __future__ import annotations

import torch
from torch import Tensor

_PAIRS = 0x5555555555555555
_NIBBLES = 0x3333333333333333
_BYTES = 0x0F0F0F0F0F0F0F0F


def popcount(words: Tensor) -> Tensor:
    """Return the number of ones of each word; int64 of the same shape, 0..64.

    Args:
        words: int64 of any shape.
    """
    # Torch shifts arithmetically: each mask also removes the copies of the sign bit.
    pairs = words - ((words >> 1) & _PAIRS)
    nibbles = (pairs & _NIBBLES) + ((pairs >> 2) & _NIBBLES)
    total = (nibbles + (nibbles >> 4)) & _BYTES
    for shift in (8, 16, 32):
        total = total + (total >> shift)
    return total & 127


def count_ones(words: Tensor) -> Tensor:
    """Return the number of ones of each row; int64 ``[N]``.

    Args:
        words: int64 ``[N, W]``.
    """
    return popcount(words).sum(dim=1, dtype=torch.int64)
