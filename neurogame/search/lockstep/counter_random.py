"""Random numbers as a pure function of counters: no state to save, no order to keep."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float64s, Int64s, UInt64s
from neurogame.splitmix import mix


def derive(*parts: int | Int64s | UInt64s) -> UInt64s:
    """Return one word for each element of the broadcast parts; every part matters."""
    word: UInt64s = np.zeros(1, dtype=np.uint64)
    for part in parts:
        word = mix(word ^ np.asarray(part).astype(np.uint64))
    return word


def uniform(words: UInt64s) -> Float64s:
    """Return numbers in [0, 1) made of the upper 53 bits of each word."""
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def derived_seed(seed: int, use: int, number: int) -> int:
    """Return a seed for one use of a seed, at least 0.

    Args:
        seed: of all.
        use: what for; a number of its own for each.
        number: which of the uses of this kind.
    """
    return int(np.random.SeedSequence([seed, use, number]).generate_state(1, np.uint64)[0] >> 1)
