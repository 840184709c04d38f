"""Splitmix64: its constants, and its mixing step on arrays: words scrambled one to one."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import UInt64s
from neurogame.settings import whole

G1 = 0x9E3779B97F4A7C15
G2 = 0xD1342543DE82EF95
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB


def seed_word(seed: int) -> int:
    """Return a seed, any whole number, as a number of 64 bits.

    Raises:
        ConfigurationError: it is no whole number.
    """
    return whole(seed, "seed") % (1 << 64)


def mix(words: UInt64s) -> UInt64s:
    """Return scrambled 64-bit words.

    *Reference:* Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
    """
    with np.errstate(over="ignore"):
        x = words + np.uint64(G1)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(MIX_1)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(MIX_2)
    mixed: UInt64s = x ^ (x >> np.uint64(31))
    return mixed
