"""Single bits of words, for compiled code."""

from __future__ import annotations

from typing import Any

import numba as _numba
import numpy as np
from llvmlite import ir

from neurogame.kernels.native.compiled import uncounted_inlined, written
from neurogame.kernels.twin.random_words import MIX_1, MIX_2

# It is not annotated.
numba: Any = _numba

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_MIX_1, _MIX_2 = np.uint64(MIX_1), np.uint64(MIX_2)


@written
def lowest_bit(typing: Any, word: Any) -> Any:
    """Return the number of the lowest one of a word that is not 0."""

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return numba.types.int64(numba.types.uint64), generate


@written
def ones(typing: Any, word: Any) -> Any:
    """Return the number of ones of a word."""

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return numba.types.int64(numba.types.uint64), generate


@written
def power_of_two(typing: Any, power: Any) -> Any:
    """Return two to the power of a number in -126..127; float32."""

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        narrow = ir.IntType(32)
        bits = builder.add(values[0], ir.Constant(narrow, 127))
        return builder.bitcast(builder.shl(bits, ir.Constant(narrow, 23)), ir.FloatType())

    return numba.types.float32(numba.types.int32), generate


@uncounted_inlined
def first_ones(count: int) -> Any:
    """Return a word with ones in its first bits; uint64.

    Args:
        count: number of ones, below 1: none, above 63: 64.
    """
    if count <= 0:
        return np.uint64(0)
    return _ALL >> np.uint64(max(64 - count, 0))


@uncounted_inlined
def mixed(word: Any) -> Any:
    """Scramble a word as :func:`~neurogame.kernels.twin.random_words.mix` does."""
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))
