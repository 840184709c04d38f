"""Instructions that Python has no word for, and random numbers that are functions of numbers."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir

from neurogame.kernels.native.compiled import inner, written
from neurogame.kernels.native.random import mixed
from neurogame.kernels.twin.random_words import G1

whole: Any = np.int64
"""In compiled code: a number as one of 64 bits."""

_G1, _THIRTY_TWO = np.uint64(G1), np.uint64(32)


def _prefetch(_context: Any, address: Any) -> Any:
    """Type and generate the instruction that asks for a cache line."""

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        narrow = ir.IntType(32)
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, narrow, narrow, narrow])
        name = "llvm.prefetch.p0"
        module = builder.module
        function = module.globals.get(name) or ir.Function(module, kind, name)
        place = builder.inttoptr(values[0], pointer)
        numbers = [ir.Constant(narrow, number) for number in (0, 3, 1)]
        builder.call(function, [place, *numbers])

    return numba.types.void(numba.types.int64), generate


def _real_bits(_context: Any, _real: Any) -> Any:
    """Type and generate the reading of a real as a whole number."""

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        return builder.bitcast(values[0], ir.IntType(32))

    return numba.types.int32(numba.types.float32), generate


prefetch: Any = written(_prefetch)
"""In compiled code: asks for the cache line at an address, which need not be valid."""
real_bits: Any = written(_real_bits)
"""In compiled code: the bits of a float32, ordered as the number is where that is not negative."""


@inner
def random_word(seed: int, number: int, draw: int) -> Any:
    """Return a random word that is a function of its three arguments; uint64.

    *Reference:* Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
    """
    start = mixed(np.uint64(seed) + np.uint64(number + 1) * _G1)
    return mixed(start + np.uint64(draw + 1) * _G1)


@inner
def below(word: Any, bound: int) -> int:
    """Return a whole number in ``0..bound - 1`` made from a random word; ``bound < 2^31``."""
    number: int = whole(((word >> _THIRTY_TWO) * np.uint64(bound)) >> _THIRTY_TWO)
    return number


@inner
def fraction(number: int) -> float:
    """Return a number in 0..1 for each whole number, evenly spread for numbers in a row."""
    return np.float64(np.uint64(number) * _G1 >> np.uint64(11)) / 9007199254740992.0
