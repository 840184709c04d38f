"""Single bits of words, and instructions that Python has no word for, for compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir

from neurogame.native.compiled import inner, written
from neurogame.native.vectors import first_item
from neurogame.untyped import numba

whole = cast(Callable[[Any], int], np.int64)
"""In compiled code: a number as one of 64 bits."""

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_NARROW = ir.IntType(32)


@written
def lowest_bit(typing: Any, word: Any) -> Any:
    """Return the number of the lowest one of a word, uint64; 64 where there is none."""

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 0))

    return numba.types.int64(numba.types.uint64), generate


@written
def ones(typing: Any, word: Any) -> Any:
    """Return the number of ones of a word, uint64."""

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return numba.types.int64(numba.types.uint64), generate


@written
def spread(typing: Any, octets: Any, place: Any, word: Any) -> Any:
    """Write each bit of a word, uint64, as a byte of 0 or 1 into 64 bytes from a place on."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        flags, row = (ir.VectorType(ir.IntType(bits), 64) for bits in (1, 8))
        data = first_item(context, builder, signature.args[0], values[0])
        target = builder.bitcast(builder.gep(data, [values[1]]), row.as_pointer())
        builder.store(builder.zext(builder.bitcast(values[2], flags), row), target, align=1)

    return numba.types.void(octets, numba.types.int64, numba.types.uint64), generate


@inner
def first_ones(count: int) -> np.uint64:
    """Return a word with ones in its first bits.

    Args:
        count: number of ones, below 1: none, above 63: 64.
    """
    if count <= 0:
        return np.uint64(0)
    return _ALL >> np.uint64(max(64 - count, 0))


@written
def power_of_two(typing: Any, power: Any) -> Any:
    """Return two to the power of a number in -126..127; float32."""

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        bits = builder.add(values[0], ir.Constant(_NARROW, 127))
        return builder.bitcast(builder.shl(bits, ir.Constant(_NARROW, 23)), ir.FloatType())

    return numba.types.float32(numba.types.int32), generate


@written
def real_bits(typing: Any, real: Any) -> Any:
    """Return the bits of a float32, int32, ordered as the numbers are where none is negative."""

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        return builder.bitcast(values[0], _NARROW)

    return numba.types.int32(numba.types.float32), generate


@written
def prefetch(typing: Any, array: Any, place: Any) -> Any:
    """Ask for the cache line of an array's element, which need not be one of the array's."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, _NARROW, _NARROW, _NARROW])
        name = "llvm.prefetch.p0"
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        data = first_item(context, builder, signature.args[0], values[0])
        wanted = builder.bitcast(builder.gep(data, [values[1]]), pointer)
        builder.call(function, [wanted, *(ir.Constant(_NARROW, number) for number in (0, 3, 1))])

    return numba.types.void(array, numba.types.int64), generate
