"""Packing 64 games into one word: bool tensors ``[B, F]`` to int64 words ``[F, W]`` and back.

Lane ``b`` is bit ``b % 64`` of word ``b // 64``; ``W = ceil(B / 64)``. Bit 63 is the sign of
the int64 word. Lanes beyond ``B`` are zero.
"""

from __future__ import annotations

import torch
from torch import Tensor

LANES = 64

# Multiplying eight bytes of 0 or 1 by this moves byte i to bit 56 + i, without carries.
_GATHER_BITS = 0x0102040810204080


def word_count(size: int) -> int:
    """Return the number of words that hold ``size`` lanes, ``ceil(size / 64)``."""
    return (size + LANES - 1) // LANES


def pack(flags: Tensor) -> Tensor:
    """Pack one row of flags per game into one row of words per signal.

    Args:
        flags: bool ``[B, F]``.

    Returns:
        int64 ``[F, W]``; the lanes beyond ``B`` are zero.
    """
    size, signals = flags.shape
    words = word_count(size)
    if signals * words == 0:
        return torch.zeros((signals, words), dtype=torch.int64, device=flags.device)
    padded = torch.zeros((signals, words * LANES), dtype=torch.uint8, device=flags.device)
    padded[:, :size] = flags.t()
    octets = padded.view(torch.int64) * _GATHER_BITS
    # The shift is arithmetic; the conversion to a byte keeps the low eight bits only.
    octets = (octets >> 56).bitwise_and_(0xFF)
    return octets.to(torch.uint8).view(torch.int64).view(signals, words)


def unpack(words: Tensor, size: int) -> Tensor:
    """Return one row of flags per game.

    Args:
        words: int64 ``[F, W]``.
        size: number of lanes to return, ``B <= 64 W``.

    Returns:
        bool ``[B, F]``, contiguous.
    """
    signals = words.shape[0]
    if signals * size == 0:
        return torch.zeros((size, signals), dtype=torch.bool, device=words.device)
    octets = words.contiguous().view(torch.uint8).view(signals, -1, 1)
    shifts = torch.arange(8, dtype=torch.uint8, device=words.device)
    flags = (octets >> shifts).bitwise_and_(1).view(signals, -1)
    return flags[:, :size].t().contiguous().view(torch.bool)


def gather_lanes(words: Tensor, lanes: Tensor) -> Tensor:
    """Return chosen lanes as new words: lane ``k`` of the result is lane ``lanes[k]``.

    Args:
        words: int64 ``[F, W]``.
        lanes: int64 ``[K]``, each in ``0..64 W - 1``.

    Returns:
        int64 ``[F, ceil(K / 64)]``.
    """
    columns = words.index_select(1, lanes >> 6)
    flags = (columns >> (lanes & 63)).bitwise_and_(1).to(torch.bool)
    return pack(flags.t())


def lane_mask(size: int, device: torch.device | str = "cpu") -> Tensor:
    """Return words with a one in each of the first ``size`` lanes; int64 ``[W]``."""
    mask = torch.full((word_count(size),), -1, dtype=torch.int64, device=device)
    if size % LANES:
        mask[-1] = (1 << (size % LANES)) - 1
    return mask


def count_lanes(words: Tensor) -> Tensor:
    """Return the number of ones in all words together, as a scalar int64 tensor.

    Args:
        words: int64 of any shape.

    *Reference:* Warren, *Hacker's Delight*, section 5-1 (counting 1-bits).
    """
    pairs = words - ((words >> 1) & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333)
    bytes_ = (fours + (fours >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((bytes_ * 0x0101010101010101) >> 56).sum()
