"""Many true-or-false columns at once: 64 *lanes* in each word of 64 bits."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools, UInt64s

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def pack_lanes(rows: Bools) -> UInt64s:
    """Pack bool ``[N, B]`` into words: lane ``b`` is bit ``b % 64`` of word ``b // 64``.

    Returns:
        uint64 ``[N, ceil(B / 64)]``; the lanes beyond ``B`` are zero.
    """
    packed = np.packbits(rows, axis=1, bitorder="little")
    padded = np.zeros((len(rows), -(-rows.shape[1] // 64) * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    words: UInt64s = padded.view("<u8").astype(np.uint64, copy=False)
    return words


def unpack_lanes(words: UInt64s, count: int) -> Bools:
    """Return the first ``count`` lanes of uint64 ``[N, W]`` words as bool ``[N, count]``."""
    little = np.ascontiguousarray(words).astype("<u8", copy=False)
    octets = little.view(np.uint8).reshape(len(words), 8 * words.shape[1])
    bits = np.unpackbits(octets, axis=1, count=count, bitorder="little")
    return bits.view(np.bool_)


def any_lane(words: UInt64s) -> Bools:
    """Return which rows of uint64 ``[N, W]`` have a set lane; bool ``[N]``."""
    return np.asarray(words.any(axis=1), np.bool_)


def popcount(words: UInt64s) -> int:
    """Return how many lanes are set, or bits of any other words."""
    return int(np.bitwise_count(words).sum())
