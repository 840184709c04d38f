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
    width = word_count(size)
    padded = torch.zeros((LANES * width, signals), dtype=torch.uint8, device=flags.device)
    padded[:size] = flags
    # Eight lanes of a signal become an octet first: an eighth is left to be transposed.
    octets = padded[::8].clone()
    for bit in range(1, 8):
        octets |= padded[bit::8] << bit
    words = torch.empty((signals, width), dtype=torch.int64, device=flags.device)
    words.view(torch.uint8).copy_(octets.t())
    return words


def unpack(words: Tensor, size: int) -> Tensor:
    """Return one row of flags per game.

    Args:
        words: int64 ``[F, W]``.
        size: number of lanes to return, ``B <= 64 W``.

    Returns:
        bool ``[B, F]``, contiguous.
    """
    signals, width = words.shape
    if words.numel() == 0:
        return torch.zeros((size, signals), dtype=torch.bool, device=words.device)
    octets = words.contiguous().view(torch.uint8).reshape(signals, 8 * width)
    shifts = torch.arange(8, dtype=torch.uint8, device=words.device)[:, None]
    # Octets are transposed before they are spread: they are an eighth of the flags.
    flags = (octets.t().contiguous()[:, None] >> shifts).bitwise_and_(1)
    return flags.reshape(LANES * width, signals)[:size].view(torch.bool)


def gather_lanes(words: Tensor, lanes: Tensor) -> Tensor:
    """Return chosen lanes as new words: lane ``k`` of the result is lane ``lanes[k]``.

    Args:
        words: int64 ``[F, W]``.
        lanes: int64 ``[K]``, each in ``0..64 W - 1``.

    Returns:
        int64 ``[F, ceil(K / 64)]``; the lanes beyond ``K`` are zero.
    """
    signals, count = len(words), len(lanes)
    gathered = torch.zeros(
        (signals, word_count(count) * LANES), dtype=torch.uint8, device=words.device
    )
    if count and count < words.shape[1] * LANES // 8:
        # Few of many lanes: shift their bits out of their words, eight bytes per lane.
        columns = words.index_select(1, lanes >> 6)
        gathered[:, :count] = (columns >> (lanes & 63)).bitwise_and_(1)
    elif count:
        gathered[:, :count] = spread_lanes(words).index_select(1, lanes)
    return join_lanes(gathered)


def pack_one_hot(rows: Tensor, signals: int) -> Tensor:
    """Pack lanes in each of which some signals hold, given by their numbers.

    Args:
        rows: signals that hold in each lane; int64 ``[K, N]``, each in ``0..signals - 1``, or
            -1 for none.
        signals: number of signals.

    Returns:
        int64 ``[signals, ceil(K / 64)]``.
    """
    count = len(rows)
    lanes = word_count(count) * LANES
    # One more row takes what the -1 refer to.
    flags = torch.zeros((signals + 1, lanes), dtype=torch.uint8, device=rows.device)
    flags.scatter_(0, torch.where(rows < 0, signals, rows).t(), 1)
    return join_lanes(flags[:signals])


def join_lanes(flags: Tensor) -> Tensor:
    """Pack uint8 0 or 1, ``[F, 64 W]``, to int64 ``[F, W]``."""
    signals, lanes = flags.shape
    if signals * lanes == 0:
        return torch.zeros((signals, lanes // LANES), dtype=torch.int64, device=flags.device)
    octets = flags.view(torch.int64) * _GATHER_BITS
    # The shift is arithmetic; the mask keeps the eight gathered bits only.
    octets = (octets >> 56).bitwise_and_(0xFF)
    return octets.to(torch.uint8).view(torch.int64).view(signals, -1)


def spread_lanes(words: Tensor) -> Tensor:
    """Unpack int64 ``[F, W]`` to uint8 0 or 1, ``[F, 64 W]``."""
    signals, width = words.shape
    if signals * width == 0:
        return torch.zeros((signals, width * LANES), dtype=torch.uint8, device=words.device)
    octets = words.contiguous().view(torch.uint8).view(signals, -1, 1)
    shifts = torch.arange(8, dtype=torch.uint8, device=words.device)
    return (octets >> shifts).bitwise_and_(1).view(signals, -1)


def lane_mask(size: int, device: torch.device | str = "cpu") -> Tensor:
    """Return words with a one in each of the first ``size`` lanes; int64 ``[W]``."""
    mask = torch.full((word_count(size),), -1, dtype=torch.int64, device=device)
    if size % LANES:
        mask[-1] = (1 << (size % LANES)) - 1
    return mask


def lanes_below(number: int, begin: int, width: int) -> Tensor:
    """Return which lanes of some words have a smaller number; int64 ``[width]``.

    Args:
        number: lanes are counted from word 0.
        begin: number of the first word.
        width: number of words.
    """
    mask = torch.zeros(width, dtype=torch.int64)
    some = lane_mask(min(max(number - LANES * begin, 0), LANES * width))
    mask[: len(some)] = some
    return mask
