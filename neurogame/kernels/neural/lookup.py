"""Sums of table entries: the function of five bits that each table holds, for 64 lanes at once.

A table of 32 numbers lies in two vector registers of AVX-512, and one instruction (``vpermi2ps``)
looks up sixteen lanes. Elsewhere it is a loop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.extending import overload, register_jitable

from neurogame.kernels.neural.merge import BITS, ENTRIES
from neurogame.native.compiled import written
from neurogame.native.vectors import first_item
from neurogame.untyped import cgutils, numba

LANES = 64
"""Lanes that are computed together: one word of packed states."""

TILE = 8
"""Words of a row that are read together: a cache line."""

VECTOR = 16
"""Lanes that one instruction computes; a block has this many, or two, three or four times so."""


def table_sums(
    tables: Any, table_pattern: Any, first: Any, last: Any, index: Any, sums: Any
) -> None:
    """Sum what tables ``first`` up to ``last`` hold for each lane.

    Args:
        tables: ``[T, C, 32]``.
        table_pattern: pattern that each table is a function of; int32 ``[T]``.
        first: first table.
        last: one past the last table.
        index: entry to take, for each pattern and lane; uint8 ``[P, L]``.
        sums: written; ``[C, L]``.
    """
    raise NotImplementedError


@register_jitable
def index_lanes(column: Any, pattern: Any, index: Any) -> None:
    """Gather the bits of every pattern into an index, for each lane.

    Args:
        column: one word of 64 lanes per leaf, and a last one that is 0; uint64 ``[N + 1]``.
        pattern: leaves of each pattern, lowest bit first, ``N`` where there is none;
            int32 ``[P, 5]``.
        index: written; uint8 ``[P, L]``, a part of an array that has room for ``[P, 64]``: what is
            written of each pattern is 64 lanes, of which the next one takes those from ``L`` on.
    """
    for p in range(len(pattern)):
        _index_pattern(column, pattern, p, index, index.shape[1])


def _has_wide_permutations() -> bool:
    """Say whether the code that numba writes may use AVX-512."""
    # Who names a processor to numba may mean another one than this.
    if numba.config.CPU_NAME or numba.config.CPU_FEATURES:
        return False
    return bool(llvmlite.binding.get_host_cpu_features().get("avx512f", False))


@register_jitable
def index_one(flags: Any, pattern: Any, index: Any) -> None:
    """Gather the bits of every pattern into an index, for one state.

    Args:
        flags: 1 where a leaf holds, else 0; uint8 ``[N + 1]`` or longer.
        pattern: as in :func:`index_lanes`.
        index: written; uint8 ``[P, 1]``.
    """
    for p in range(len(pattern)):
        _index_flags(flags, pattern, p, index)


@written
def _index_flags(typing: Any, flags: Any, pattern: Any, p: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        octets, leaves, out = (
            first_item(context, builder, signature.args[i], arguments[i]) for i in (0, 1, 3)
        )
        pick = ir.IntType(8)(0)
        for bit in range(BITS):
            place = builder.add(
                builder.mul(arguments[2], arguments[2].type(BITS)), arguments[2].type(bit)
            )
            leaf = builder.zext(builder.load(builder.gep(leaves, [place])), ir.IntType(64))
            held = builder.load(builder.gep(octets, [leaf]))
            pick = builder.or_(pick, builder.shl(held, held.type(bit)))
        builder.store(pick, builder.gep(out, [arguments[2]]))

    return types.void(flags, pattern, p, index), generate


@written
def _index_pattern(typing: Any, column: Any, pattern: Any, p: Any, index: Any, lanes: Any) -> Any:
    """Gather the bits of one pattern."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        words, leaves, out = (
            first_item(context, builder, signature.args[i], arguments[i]) for i in (0, 1, 3)
        )
        octets = ir.VectorType(ir.IntType(8), LANES)
        flags = ir.VectorType(ir.IntType(1), LANES)
        zero = ir.Constant(octets, [0] * LANES)
        pick = zero
        for bit in range(BITS):
            place = builder.add(
                builder.mul(arguments[2], arguments[2].type(BITS)), arguments[2].type(bit)
            )
            leaf = builder.load(builder.gep(leaves, [place]))
            word = builder.load(builder.gep(words, [builder.zext(leaf, ir.IntType(64))]))
            # The word is a vector of flags as it is, bit by bit a lane: no shifts, no loop.
            value = ir.Constant(octets, [1 << bit] * LANES)
            held = builder.bitcast(word, flags)
            pick = builder.or_(pick, builder.select(held, value, zero))
        where = builder.gep(out, [builder.mul(arguments[2], arguments[4])])
        builder.store(pick, builder.bitcast(where, octets.as_pointer()), align=1)

    return types.void(column, pattern, p, index, lanes), generate


def _make_sums(channels: int, write: Callable[..., None]) -> Any:
    """Return :func:`table_sums` for a number of channels: the sums stay in registers."""

    @written
    def sums(
        typing: Any, tables: Any, which: Any, first: Any, last: Any, index: Any, out: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
            arrays = [
                first_item(context, builder, signature.args[i], arguments[i]) for i in (0, 1, 4, 5)
            ]
            ends = [
                context.cast(builder, arguments[i], signature.args[i], types.int64) for i in (2, 3)
            ]
            write(builder, channels, *arrays, ends)

        return types.void(tables, which, first, last, index, out), generate

    return sums


def _write_single_sums(
    builder: Any, channels: int, numbers: Any, patterns: Any, entries: Any, result: Any, ends: Any
) -> None:
    """Write the loop over tables for one lane."""
    word = ir.IntType(64)
    number = numbers.type.pointee
    totals = [cgutils.alloca_once_value(builder, number(0.0)) for _ in range(channels)]
    with cgutils.for_range_slice(builder, ends[0], ends[1], word(1), word) as (table, _):
        pattern = builder.zext(builder.load(builder.gep(patterns, [table])), word)
        entry = builder.zext(builder.load(builder.gep(entries, [pattern])), word)
        begin = builder.add(builder.mul(table, word(channels * ENTRIES)), entry)
        for channel, total in enumerate(totals):
            place = builder.gep(numbers, [builder.add(begin, word(channel * ENTRIES))])
            builder.store(builder.fadd(builder.load(total), builder.load(place)), total)
    for channel, total in enumerate(totals):
        builder.store(builder.load(total), builder.gep(result, [word(channel)]))


def _write_wide_sums(
    builder: Any,
    channels: int,
    numbers: Any,
    patterns: Any,
    entries: Any,
    result: Any,
    ends: Any,
    lanes: int,
) -> None:
    """Write the loop over tables for up to 64 lanes, a multiple of 16."""
    vector = ir.VectorType(ir.FloatType(), VECTOR)
    whole = ir.VectorType(ir.IntType(32), VECTOR)
    octets = ir.VectorType(ir.IntType(8), VECTOR)
    word = ir.IntType(64)
    permute = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(vector, [vector, whole, vector]),
        "llvm.x86.avx512.vpermi2var.ps.512",
    )
    pieces = lanes // VECTOR
    # LLVM keeps these variables in registers: at most three channels of four vectors, beside two
    # halves of a table and four vectors of picks, of the 32 there are.
    zero = ir.Constant(vector, [0.0] * VECTOR)
    totals = [
        [cgutils.alloca_once_value(builder, zero) for _ in range(pieces)] for _ in range(channels)
    ]

    def part(base: Any, offset: Any, kind: Any) -> Any:
        return builder.bitcast(builder.gep(base, [offset]), kind.as_pointer())

    with cgutils.for_range_slice(builder, ends[0], ends[1], word(1), word) as (table, _):
        pattern = builder.zext(builder.load(builder.gep(patterns, [table])), word)
        lane = builder.mul(pattern, word(lanes))
        picks = [
            builder.zext(
                builder.load(part(entries, builder.add(lane, word(q * VECTOR)), octets), align=1),
                whole,
            )
            for q in range(pieces)
        ]
        begin = builder.mul(table, word(channels * ENTRIES))
        for channel in range(channels):
            here = builder.add(begin, word(channel * ENTRIES))
            # A pick has five bits: the upper one says which half, the others which entry. Arrays of
            # Python begin where they like, so nothing is aligned to more than a number.
            low = builder.load(part(numbers, here, vector), align=4)
            there = builder.add(here, word(VECTOR))
            high = builder.load(part(numbers, there, vector), align=4)
            for total, pick in zip(totals[channel], picks, strict=True):
                values = builder.call(permute, [low, pick, high])
                builder.store(builder.fadd(builder.load(total), values), total)
    for channel in range(channels):
        for q, total in enumerate(totals[channel]):
            where = part(result, word(channel * lanes + q * VECTOR), vector)
            builder.store(builder.load(total), where, align=4)


_HAS_WIDE_PERMUTATIONS = _has_wide_permutations()


def _for_channels(write: Callable[..., None]) -> Any:
    """Return :func:`table_sums` for any number of channels, of which each has code of its own."""
    one, two, three = (_make_sums(channels, write) for channels in (1, 2, 3))

    @register_jitable
    def sums(tables: Any, table_pattern: Any, first: Any, last: Any, index: Any, sums: Any) -> None:
        if sums.shape[0] == 1:
            one(tables, table_pattern, first, last, index, sums)
        elif sums.shape[0] == 2:
            two(tables, table_pattern, first, last, index, sums)
        else:
            three(tables, table_pattern, first, last, index, sums)

    return sums


_sum_one = _for_channels(_write_single_sums)
_sum_16, _sum_32, _sum_48, _sum_64 = (
    _for_channels(partial(_write_wide_sums, lanes=lanes))
    for lanes in range(VECTOR, LANES + 1, VECTOR)
)


@register_jitable
def _loop(tables: Any, table_pattern: Any, first: Any, last: Any, index: Any, sums: Any) -> None:
    sums[:] = 0
    for table in range(first, last):
        pattern = table_pattern[table]
        for channel in range(sums.shape[0]):
            for lane in range(sums.shape[1]):
                sums[channel, lane] += tables[table, channel, index[pattern, lane]]


def _narrow(tables: Any, table_pattern: Any, first: Any, last: Any, index: Any, sums: Any) -> None:
    if sums.shape[1] == 1:
        _sum_one(tables, table_pattern, first, last, index, sums)
    else:
        _loop(tables, table_pattern, first, last, index, sums)


def _wide(tables: Any, table_pattern: Any, first: Any, last: Any, index: Any, sums: Any) -> None:
    if sums.shape[1] == 1:
        _sum_one(tables, table_pattern, first, last, index, sums)
    elif sums.shape[1] == 16:
        _sum_16(tables, table_pattern, first, last, index, sums)
    elif sums.shape[1] == 32:
        _sum_32(tables, table_pattern, first, last, index, sums)
    elif sums.shape[1] == 48:
        _sum_48(tables, table_pattern, first, last, index, sums)
    else:
        _sum_64(tables, table_pattern, first, last, index, sums)


@overload(table_sums)
def _typed_sums(
    tables: Any, table_pattern: Any, first: Any, last: Any, index: Any, sums: Any
) -> Any:
    return _wide if _HAS_WIDE_PERMUTATIONS else _narrow
