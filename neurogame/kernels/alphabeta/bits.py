"""Single bits of words, and mixing of words, for compiled code."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir

from neurogame.kernels.native.compiled import merged, written
from neurogame.kernels.twin.random_words import G1, MIX_1, MIX_2

_G1, _MIX_1, _MIX_2 = np.uint64(G1), np.uint64(MIX_1), np.uint64(MIX_2)


def _lowest_bit(_context: Any, _word: Any) -> Any:
    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 0))

    return numba.types.int64(numba.types.uint64), generate


def _ones(_context: Any, _word: Any) -> Any:
    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return numba.types.int64(numba.types.uint64), generate


lowest_bit: Any = written(_lowest_bit)
"""In compiled code: number of the lowest one of a word, uint64; 64 where there is none."""

ones: Any = written(_ones)
"""In compiled code: number of ones of a word, uint64."""


@merged
def mixed(word: Any, number: Any) -> Any:
    """Return a hash of a word, uint64, and a number; never 0."""
    total = word + np.uint64(number + 1) * _G1
    total = (total ^ (total >> np.uint64(30))) * _MIX_1
    total = (total ^ (total >> np.uint64(27))) * _MIX_2
    total ^= total >> np.uint64(31)
    return total if total != 0 else _G1
