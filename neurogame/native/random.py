"""Random words that are functions of numbers, for compiled code.

They are those of :mod:`neurogame.kernels.words.random_words`.

*Reference:* Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.native.compiled import inner
from neurogame.splitmix import G1, MIX_1, MIX_2

_G1, _MIX_1, _MIX_2 = np.uint64(G1), np.uint64(MIX_1), np.uint64(MIX_2)
_THIRTY_TWO = np.uint64(32)


@inner
def mixed(word: np.uint64) -> np.uint64:
    """Scramble a word as :func:`~neurogame.kernels.words.random_words.mix` does."""
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))


@inner
def hashed(word: np.uint64, number: int) -> np.uint64:
    """Return a hash of a word and a number; never 0."""
    total = mixed(word + np.uint64(number + 1) * _G1)
    return total if total != np.uint64(0) else _G1


@inner
def random_word(seed: int, number: int, draw: int) -> np.uint64:
    """Return a random word that is a function of its three arguments."""
    start = mixed(np.uint64(seed) + np.uint64(number + 1) * _G1)
    return mixed(start + np.uint64(draw + 1) * _G1)


@inner
def below(word: np.uint64, bound: int) -> int:
    """Return a whole number in ``0..bound - 1`` made from a random word; ``bound < 2^31``."""
    number: Any = np.int64(((word >> _THIRTY_TWO) * np.uint64(bound)) >> _THIRTY_TWO)
    draw: int = number
    return draw


@inner
def fraction(number: int) -> float:
    """Return a number in 0..1 for each whole number, evenly spread for numbers in a row."""
    return np.float64(np.uint64(number) * _G1 >> np.uint64(11)) / 9007199254740992.0
