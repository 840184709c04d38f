"""Legal moves of packed rows, counted and picked, and the random words that pick them."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import UInt64s2
from neurogame.native.bits import lowest_bit, ones
from neurogame.native.compiled import inner
from neurogame.native.random import mixed
from neurogame.splitmix import G1, G2

_ONE = np.uint64(1)
_G1, _G2 = np.uint64(G1), np.uint64(G2)
_TO_UNIT = 2.0**-53


@inner
def masked(bits: np.uint64, word: int, begin: int, end: int) -> np.uint64:
    """Return a word of a row without the bits outside ``begin..end``."""
    low, high = begin - 64 * word, end - 64 * word
    if low > 0:
        bits = bits >> np.uint64(low) << np.uint64(low)
    if high < 64:
        bits &= (_ONE << np.uint64(high)) - _ONE
    return bits


@inner
def count_moves(legal: UInt64s2, row: int, begin: int, end: int) -> int:
    """Return the number of set bits between two places of a packed row."""
    total = 0
    for word in range(begin >> 6, (end + 63) >> 6):
        total += ones(masked(legal[row, word], word, begin, end))
    return total


@inner
def nth_move(legal: UInt64s2, row: int, begin: int, end: int, number: int) -> int:
    """Return the place of a set bit, counted from 0."""
    for word in range(begin >> 6, (end + 63) >> 6):
        bits = masked(legal[row, word], word, begin, end)
        count = ones(bits)
        if number >= count:
            number -= count
            continue
        for _ in range(number):
            bits &= bits - _ONE
        place: int = 64 * word + lowest_bit(bits)
        return place
    return -1


@inner
def random_bits(seed: int, lane: int, ply: int, role: int) -> np.uint64:
    """Return 64 random bits of a choice in a playout."""
    key = np.uint64(seed) + np.uint64(lane + 1) * _G1
    key = mixed(key) + np.uint64((ply << 8) + role + 1) * _G2
    return mixed(key)


@inner
def more_bits(word: np.uint64) -> np.uint64:
    """Return other random bits of the same choice."""
    return mixed(word + _G1)


@inner
def unit(word: np.uint64) -> float:
    """Return a number in 0..1, without 1, from 64 random bits."""
    return float(word >> np.uint64(11)) * _TO_UNIT
