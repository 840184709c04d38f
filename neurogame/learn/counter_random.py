"""Random numbers as a pure function of counters: no state to save, no order to keep."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from neurogame.splitmix import Words, mix

Floats = npt.NDArray[np.float64]


def derive(*parts: int | npt.NDArray[np.int64] | Words) -> Words:
    """Return one word for each element of the broadcast parts; every part matters."""
    word: Words = np.zeros(1, dtype=np.uint64)
    for part in parts:
        word = mix(word ^ np.asarray(part).astype(np.uint64))
    return word


def uniform(words: Words) -> Floats:
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
