"""Random words that are a pure function of (seed, lane word, step, draw).

There is no state to advance: any word can be drawn at any time, on any device, in any order,
and games do not change when the batch is cut differently.

``base = mix(mix(seed) + (word + 1) * G1)`` is drawn once per word of 64 lanes, where ``mix`` is
the finaliser of splitmix64, and ``source = mix(base + (counter + 1) * G2)`` once per attempt, all
modulo 2^64; the counter holds step, role and attempt in disjoint fields. The words of one attempt
are ``p ^ p >> 29 ^ p << 18`` of the products ``p = source * plane_factor(j)`` with odd constants:
bijections again, in which every bit depends on at least 30 bits of the source.

*Reference:* Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014),
figure 16 (variant 13 of Stafford's mixers).
"""

from __future__ import annotations

from functools import lru_cache
from typing import final

import torch
from torch import Tensor

from neurogame.splitmix import G1, G2, MIX_1, MIX_2, seed_word

ATTEMPT_FIELD = 20
ROLE_FIELD = 8
_ROLES_ABOVE = 59
"""Bits of the counter below those of roles from 256 on: beyond any step."""


def signed(value: int) -> int:
    """Return the int64 with the same 64 bits as ``value`` modulo 2^64."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def stream_offset(role: int) -> int:
    """Return what a role adds to the counter of a draw.

    Args:
        role: which role chooses, ``0..8191``. Eight bits are below those of the step; what roles
            have more is above.
    """
    low = role & (1 << ROLE_FIELD) - 1
    return low << ATTEMPT_FIELD | role >> ROLE_FIELD << _ROLES_ABOVE


def mix(words: Tensor) -> Tensor:
    """Scramble each word in place by a bijection of 64 bits and return the tensor.

    Args:
        words: int64 of any shape; overwritten.
    """
    for shift, factor in ((30, MIX_1), (27, MIX_2), (31, None)):
        # Torch shifts int64 arithmetically; the mask makes the shift logical.
        words ^= (words >> shift).bitwise_and_((1 << (64 - shift)) - 1)
        if factor is not None:
            words *= signed(factor)
    return words


@lru_cache(maxsize=32)
def plane_factor(plane: int) -> int:
    """Return the odd number, below 2^64, that makes word ``plane`` of an attempt; 1 for plane 0."""
    if plane == 0:
        return 1
    return int(mix(torch.tensor([signed(plane * G1)])).item()) % (1 << 64) | 1


@lru_cache(maxsize=256)
def _attempt_offsets(first: int, end: int, device: torch.device) -> Tensor:
    """Return the part of the counters that the attempts make up; int64 ``[D, 1]``."""
    return torch.arange(first, end, device=device)[:, None] * signed(G2)


@lru_cache(maxsize=64)
def _plane_factors(planes: int, device: torch.device) -> Tensor:
    """Return the factors of the first planes; int64 ``[planes, 1]``."""
    factors = [signed(plane_factor(plane)) for plane in range(planes)]
    return torch.tensor(factors, dtype=torch.int64, device=device)[:, None]


@final
class RandomWords:
    """Random words for a set of lane words.

    Attributes:
        base: scrambled seed of each lane word; int64 ``[W]``.
    """

    def __init__(self, seed: int, lane_words: Tensor) -> None:
        """Prepare the draws of some lane words.

        Args:
            seed: any integer; taken modulo 2^64.
            lane_words: number of each word of 64 games, 0 or more; int64 ``[W]``.
        """
        start = mix(torch.tensor([signed(seed_word(seed))], device=lane_words.device))
        self.base = mix((lane_words + 1) * signed(G1) + start)

    def draw(self, step: int, role: int, attempts: range, bits: int) -> Tensor:
        """Return independent random words.

        Args:
            step: number of the step of the game, ``0 .. 2^31 - 1``.
            role: which role chooses, ``0..8191``.
            attempts: which attempts, each in ``0 .. 2^20 - 1``.
            bits: words per attempt, ``0..32``.

        Returns:
            int64 ``[len(attempts), bits, W]``.
        """
        prefix = (step << ROLE_FIELD + ATTEMPT_FIELD) + stream_offset(role)
        # Multiplication distributes over the sum of the fields, modulo 2^64.
        base = self.base + signed((prefix + 1) * G2)
        source = mix(_attempt_offsets(attempts.start, attempts.stop, self.base.device) + base)
        words = source[:, None] * _plane_factors(bits, self.base.device)
        # Shifts of int64 are arithmetic, so the upper bits are masked.
        upper = (words >> 29).bitwise_and_((1 << 35) - 1)
        return words ^ upper ^ (words << 18)
