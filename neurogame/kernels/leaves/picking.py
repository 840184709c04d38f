"""Legal moves of packed rows, counted and picked, and the random numbers that pick them."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.leaves.bits import lowest_bit, mixed, ones
from neurogame.kernels.native.compiled import uncounted_inlined
from neurogame.kernels.twin.random_words import G1, G2

_ONE = np.uint64(1)
_THIRTY_TWO = np.uint64(32)
_G1, _G2 = np.uint64(G1), np.uint64(G2)
_TO_UNIT = 2.0**-53


@uncounted_inlined
def masked(bits: Any, word: int, begin: int, end: int) -> Any:
    """Return a word of a row without the bits outside ``begin..end``."""
    low, high = begin - 64 * word, end - 64 * word
    if low > 0:
        bits = bits >> np.uint64(low) << np.uint64(low)
    if high < 64:
        bits &= (_ONE << np.uint64(high)) - _ONE
    return bits


@uncounted_inlined
def count_moves(legal: Any, row: int, begin: int, end: int) -> int:
    """Return the number of set bits between two places of a packed row."""
    total = 0
    for word in range(begin >> 6, (end + 63) >> 6):
        total += ones(masked(legal[row, word], word, begin, end))
    return total


@uncounted_inlined
def nth_move(legal: Any, row: int, begin: int, end: int, number: int) -> Any:
    """Return the place of a set bit, counted from 0."""
    for word in range(begin >> 6, (end + 63) >> 6):
        bits = masked(legal[row, word], word, begin, end)
        found = ones(bits)
        if number >= found:
            number -= found
            continue
        for _ in range(number):
            bits &= bits - _ONE
        return 64 * word + lowest_bit(bits)
    return -1


@uncounted_inlined
def random_bits(seed: int, lane: int, ply: int, role: int) -> Any:
    """Return 64 random bits of a choice in a playout."""
    key = np.uint64(seed) + np.uint64(lane + 1) * _G1
    key = mixed(key) + np.uint64((ply << 8) + role + 1) * _G2
    return mixed(key)


@uncounted_inlined
def more_bits(word: Any) -> Any:
    """Return other random bits of the same choice."""
    return mixed(word + _G1)


@uncounted_inlined
def unit(word: Any) -> float:
    """Return a number in 0..1, without 1, from 64 random bits."""
    return float(word >> np.uint64(11)) * _TO_UNIT


@uncounted_inlined
def drawn(word: Any, count: int) -> Any:
    """Return a whole number below a count from 64 random bits.

    The upper half of the word times the count: no bias worth speaking of.
    """
    return np.int64((word >> _THIRTY_TWO) * np.uint64(count) >> _THIRTY_TWO)
