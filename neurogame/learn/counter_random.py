"""Random numbers as a pure function of counters: no state to save, no order to keep."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]


def mix(words: Words) -> Words:
    """Return scrambled 64-bit words (the finaliser of splitmix64).

    Reference: Steele, Lea & Flood, Fast Splittable Pseudorandom Number Generators, 2014.
    """
    with np.errstate(over="ignore"):
        x = words + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def derive(*parts: int | npt.NDArray[np.int64] | Words) -> Words:
    """Return one word for each element of the broadcast parts; every part matters."""
    word: Words = np.zeros(1, dtype=np.uint64)
    for part in parts:
        word = mix(word ^ np.asarray(part).astype(np.uint64))
    return word


def uniform(words: Words) -> Floats:
    """Return numbers in [0, 1) made of the upper 53 bits of each word."""
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
