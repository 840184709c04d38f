"""States between their two packed forms: a row of bits each, or lanes of the words of signals."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.array_types import Int64s1, Int64s2, UInt64s1, UInt64s2
from neurogame.native.arrays import rows as cut
from neurogame.native.bits import first_ones
from neurogame.native.compiled import callee, compiled, written
from neurogame.native.random import mixed
from neurogame.splitmix import G1
from neurogame.untyped import cgutils, numba

_G1 = np.uint64(G1)
_ONE = np.uint64(1)
SPACE = 128
"""Words that are needed to work in."""

_HALVES = (
    (np.uint64(32), np.uint64(0x00000000FFFFFFFF)),
    (np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(4), np.uint64(0x0F0F0F0F0F0F0F0F)),
    (np.uint64(2), np.uint64(0x3333333333333333)),
    (np.uint64(1), np.uint64(0x5555555555555555)),
)
"""Widths of the squares that change places, and the bits of the left ones."""
_FIRST, _SECOND, _THIRD, _FOURTH, _FIFTH, _SIXTH = _HALVES


@written
def _tile(typing: Any) -> Any:
    """Return 64 words on the stack, valid as long as the caller runs."""
    kind = numba.types.Array(numba.types.uint64, 1, "C")

    def generate(context: Any, builder: Any, _: Any, __: Any) -> Any:
        word = context.get_value_type(numba.types.uint64)
        array = context.make_array(kind)(context, builder)
        size = context.get_constant(numba.types.intp, 64)
        context.populate_array(
            array,
            data=cgutils.alloca_once(builder, word, size=64),
            shape=cgutils.pack_array(builder, [size]),
            strides=cgutils.pack_array(builder, [context.get_constant(numba.types.intp, 8)]),
            itemsize=context.get_constant(numba.types.intp, 8),
            meminfo=None,
        )
        return array._getvalue()

    return kind(), generate


@callee
def _exchange(source: UInt64s1, target: UInt64s1, half: tuple[np.uint64, np.uint64]) -> None:
    """Exchange squares, and shuffle the words so that the next ones are in the same places."""
    width, left = half
    for word in range(32):
        low, high = source[word], source[word + 32]
        target[2 * word] = (low & left) | ((high & left) << width)
        target[2 * word + 1] = ((low & ~left) >> width) | (high & ~left)


@compiled
def transpose(tile: UInt64s1) -> None:
    """Transpose 64 words of 64 bits in place: bit ``i`` of word ``j`` and bit ``j`` of ``i``."""
    _transpose(tile, _tile())


@callee
def _transpose(tile: UInt64s1, other: UInt64s1) -> None:
    """Transpose words in place, with as much memory to work in."""
    _exchange(tile, other, _FIRST)
    _exchange(other, tile, _SECOND)
    _exchange(tile, other, _THIRD)
    _exchange(other, tile, _FOURTH)
    _exchange(tile, other, _FIFTH)
    _exchange(other, tile, _SIXTH)


@compiled
def to_lanes(rows: UInt64s2, index: Int64s1, words: Int64s2, space: UInt64s1) -> None:
    """Write packed rows as lanes of the words of their signals.

    Of the words, as many are written as have lanes.

    Args:
        rows: uint64 ``[N, ceil(S / 64)]``.
        index: which row each lane is; int64 ``[L]``, none below 0.
        words: int64 ``[S, W]``.
        space: to work in; uint64 ``[SPACE]``. Memory of the function's own, which LLVM sees
            through, makes it slower.
    """
    if len(index) == 1:
        _to_lane(rows[index[0]], words)
        return
    signals: int = len(words)
    tile, other = cut(space, 0, 64), cut(space, 64, 64)
    for word in range((len(index) + 63) >> 6):
        count = min(len(index) - 64 * word, 64)
        first = index[64 * word]
        alike = index[64 * word + count - 1] == first
        for lane in range(1, count if alike else 0):
            alike &= index[64 * word + lane] == first
        for place in range(rows.shape[1]):
            most = min(signals - 64 * place, 64)
            if alike:
                row, lanes = rows[np.uint64(first), place], np.int64(first_ones(count))
                for bit in range(most):
                    words[64 * place + bit, word] = lanes & -np.int64(row >> np.uint64(bit) & _ONE)
                continue
            for lane in range(count):
                # A number that cannot be negative needs no check.
                tile[lane] = rows[np.uint64(index[64 * word + lane]), place]
            for lane in range(count, 64):
                tile[lane] = 0
            _transpose(tile, other)
            for bit in range(most):
                words[64 * place + bit, word] = np.int64(tile[bit])


@callee
def _to_lane(row: UInt64s1, words: Int64s2) -> None:
    """Write a packed row as the first lane, which is faster without a transposition."""
    for signal in range(len(words)):
        word = row[signal >> 6] >> np.uint64(signal & 63)
        words[signal, 0] = np.int64(word & _ONE)


@compiled
def from_lanes(words: Int64s2, signals: Int64s1, rows: UInt64s2, space: UInt64s1) -> None:
    """Write the first lanes of the words of some signals as packed rows.

    Args:
        words: int64 ``[C, W]``.
        signals: row of each signal in the words; int64 ``[S]``, none below 0.
        rows: one per lane; uint64 ``[L, ceil(S / 64)]``.
        space: to work in; uint64 ``[SPACE]``.
    """
    if len(rows) == 1:
        _from_lane(words, signals, rows[0])
        return
    tile, other = cut(space, 0, 64), cut(space, 64, 64)
    for place in range(rows.shape[1]):
        count = min(len(signals) - 64 * place, 64)
        for word in range((len(rows) + 63) >> 6):
            for bit in range(count):
                tile[bit] = np.uint64(words[np.uint64(signals[64 * place + bit]), word])
            for bit in range(count, 64):
                tile[bit] = 0
            _transpose(tile, other)
            for lane in range(min(len(rows) - 64 * word, 64)):
                rows[64 * word + lane, place] = tile[lane]


@callee
def _from_lane(words: Int64s2, signals: Int64s1, row: UInt64s1) -> None:
    """Write the first lane as a packed row, which is faster without a transposition."""
    count: int = len(signals)
    for place in range(len(row)):
        total = np.uint64(0)
        for bit in range(min(count - 64 * place, 64)):
            word = np.uint64(words[signals[64 * place + bit], 0])
            total = total | ((word & _ONE) << np.uint64(bit))
        row[place] = total


@compiled
def hash_row(row: UInt64s1) -> np.uint64:
    """Return the hash of a packed state, the one of ``hash_states``; uint64."""
    total = np.uint64(0)
    for place in range(len(row)):
        total = mixed(total + row[place] + np.uint64(place + 1) * _G1)
    return total


@compiled
def hash_rows(rows: UInt64s2, hashes: UInt64s1) -> None:
    """Write the hashes of packed states, those of ``hash_states``.

    Args:
        rows: uint64 ``[N, Fw]``.
        hashes: written; uint64 ``[N]``.
    """
    for lane in range(len(rows)):
        hashes[lane] = 0
    for place in range(rows.shape[1]):
        added = np.uint64(place + 1) * _G1
        for lane in range(len(rows)):
            hashes[lane] = mixed(hashes[lane] + rows[lane, place] + added)
