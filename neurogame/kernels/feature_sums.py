"""Weighted sums over the signals that hold, of many states in lanes: what features are made of."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s1, Float32s2, Int32s1, Int64s1, Int64s2
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import compiled
from neurogame.native.struct import Struct

_ONE = np.uint64(1)
_LANES = 64


@compiled
def add_weights(
    words: Int64s2, start: Int64s1, column: Int32s1, weight: Float32s1, out: Float32s2
) -> None:
    """Add the weights of the signals that hold.

    ``S`` signals in ``W`` words, ``N`` weights, ``B`` lanes, ``K`` columns.

    Args:
        words: of the signals, lane ``l`` being bit ``l % 64`` of word ``l // 64``; int64
            ``[S, W]``.
        start: of each signal its first weight, and the end; int64 ``[S + 1]``.
        column: to which each weight is added; int32 ``[N]``.
        weight: float32 ``[N]``.
        out: added to; float32 ``[B, K]``, ``B`` the lanes that may be ones.
    """
    for word in range(words.shape[1]):
        for signal in range(len(words)):
            begin, end = start[signal], start[signal + 1]
            bits = np.uint64(words[signal, word])
            while begin < end and bits:
                lane = _LANES * word + lowest_bit(bits)
                bits &= bits - _ONE
                for place in range(begin, end):
                    out[lane, column[place]] += weight[place]


class FeatureTables(Struct):
    """Look-ups of all features.

    Those that read the same row find it once, and tables that count alike in all features are
    added up together, as groups. ``U`` different rows, ``N`` addends, ``E`` entries: different
    tables that are read by a row, ``G`` groups.

    Attributes:
        start: of each row its first addend, and the end; int64 ``[U + 1]``.
        signal: that raises it; int32 ``[N]``.
        addend: by how much; int32 ``[N]``.
        read: of each row its first entry, and the end; int64 ``[U + 1]``.
        first: where an entry's table begins in ``values``; int32 ``[E]``.
        group: of each entry; int32 ``[E]``.
        values: of all tables; float32.
        counts: how often a group counts in each feature; float32 ``[G, K]``.
        index: to work in; int32 ``[64]``.
    """

    start: Int64s1
    signal: Int32s1
    addend: Int32s1
    read: Int64s1
    first: Int32s1
    group: Int32s1
    values: Float32s1
    counts: Float32s2
    index: Int32s1


@compiled
def add_looked_up(words: Int64s2, lookups: FeatureTables, sums: Float32s2) -> None:
    """Add up what tables hold in the rows that the signals that hold add up to.

    Args:
        words: as of :func:`add_weights`.
        lookups: the tables.
        sums: of the groups, added to; float32 ``[G, 64 W]``.
    """
    start, signal, addend, index = lookups.start, lookups.signal, lookups.addend, lookups.index
    read, first, group, values = lookups.read, lookups.first, lookups.group, lookups.values
    half, one = np.uint64(32), np.uint32(1)
    for word in range(words.shape[1]):
        base = _LANES * word
        for row in range(len(start) - 1):
            index[:] = 0
            for place in range(start[row], start[row + 1]):
                bits, amount = np.uint64(words[signal[place], word]), addend[place]
                # Numbers of 32 bits, so that all lanes are done in a few instructions.
                low, high = np.uint32(bits), np.uint32(bits >> half)
                for lane in range(32):
                    index[lane] += amount * np.int32((low >> np.uint32(lane)) & one)
                for lane in range(32):
                    index[32 + lane] += amount * np.int32((high >> np.uint32(lane)) & one)
            for entry in range(read[row], read[row + 1]):
                begin, target = first[entry], group[entry]
                for lane in range(_LANES):
                    sums[target, base + lane] += values[begin + index[lane]]
