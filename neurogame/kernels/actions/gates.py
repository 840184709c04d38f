"""Gates of fuzzy logic and their leaves, for sixteen states each: one vector of AVX-512.

A row holds the values of a node in sixteen states. Gates of one kind and fan-in have code of
their own, without branches, in which the running value stays in a register.
"""

from __future__ import annotations

from itertools import product, starmap
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types

from neurogame.graph.graph import AND, OR
from neurogame.native.compiled import inner, written
from neurogame.native.vectors import first_item, splat
from neurogame.untyped import cgutils

LANES = 16
"""States in a row."""

FEW = 8
"""So many are computed in half the time."""

ROW = 4 * LANES
"""Bytes of a row."""


class _Sort(NamedTuple):
    """Gates that have code of their own."""

    lanes: int
    weighted: bool
    kind: int
    fan_in: int


# The number of a sort is computed in `run_gates` and `run_gate`: 12 for few lanes, 6 for weights, 3
# for OR, and the fan-in less 2. It follows from this order.
_SORTS = tuple(starmap(_Sort, product((LANES, FEW), (False, True), (AND, OR), (2, 3, 4))))
_FEW_SORTS = len(_SORTS) // 2
# Products may be fused with sums, and zeros lose their signs; nothing is put in another order.
_OFTEN = ("contract", "nsz")
_WORD = ir.IntType(64)


def _row(builder: Any, rows: Any, offset: Any, lanes: int) -> Any:
    """Return the address of the first lanes of the row so many bytes behind the first."""
    octets = builder.bitcast(rows, ir.IntType(8).as_pointer())
    vector = ir.VectorType(ir.FloatType(), lanes)
    return builder.bitcast(builder.gep(octets, [offset]), vector.as_pointer())


def _joined(builder: Any, kind: int, total: Any, value: Any) -> Any:
    """Write the product, or ``s + x (1 - s)``."""
    if kind == AND:
        return builder.fmul(total, value, flags=_OFTEN)
    rest = builder.fsub(value, builder.fmul(total, value, flags=_OFTEN), flags=_OFTEN)
    return builder.fadd(total, rest, flags=_OFTEN)


def _weighted(builder: Any, kind: int, value: Any, weight: Any) -> Any:
    """Write ``1 - w + w x`` or ``w x``."""
    lanes = value.type.count
    product = builder.fmul(value, splat(builder, weight, lanes), flags=_OFTEN)
    if kind == OR:
        return product
    rest = builder.fsub(ir.Constant(weight.type, 1.0), weight)
    return builder.fadd(product, splat(builder, rest, lanes), flags=_OFTEN)


def _write_run(builder: Any, sort: _Sort, data: Any, ends: Any) -> None:
    """Write the loop over gates of one sort that lie side by side."""
    rows, edges, weights = data
    first, count, target = ends
    lanes, align = sort.lanes, 4 * sort.lanes
    with cgutils.for_range(builder, count, intp=_WORD) as loop:
        edge = builder.add(first, builder.mul(loop.index, _WORD(sort.fan_in)))
        total = None
        for k in range(sort.fan_in):
            place = builder.add(edge, _WORD(k))
            # In bytes, so that nothing is multiplied here. Rows of few lanes lie as far apart.
            offset = builder.zext(builder.load(builder.gep(edges, [place])), _WORD)
            value = builder.load(_row(builder, rows, offset, lanes), align=align)
            if sort.weighted:
                weight = builder.load(builder.gep(weights, [place]))
                value = _weighted(builder, sort.kind, value, weight)
            total = value if total is None else _joined(builder, sort.kind, total, value)
        place = builder.add(target, builder.mul(loop.index, _WORD(ROW)))
        builder.store(total, _row(builder, rows, place, lanes), align=align)


@written
def _run(
    typing: Any, rows: Any, edges: Any, weights: Any, first: Any, count: Any, target: Any, sort: Any
) -> Any:
    """Compute gates of the sort with a number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        data = [first_item(context, builder, signature.args[i], arguments[i]) for i in range(3)]
        end = builder.append_basic_block("gates.end")
        # One branch for a whole run of gates, none inside.
        choice = builder.switch(arguments[6], end)
        for number, sort in enumerate(_SORTS):
            block = builder.append_basic_block(f"gates.{number}")
            choice.add_case(_WORD(number), block)
            builder.position_at_end(block)
            _write_run(builder, sort, data, arguments[3:6])
            builder.branch(end)
        builder.position_at_end(end)

    return types.void(rows, edges, weights, first, count, target, sort), generate


@inner
def run_gates(rows: Any, runs: Any, edges: Any, weights: Any, lanes: int) -> None:
    """Compute all gates; their leaves are in the rows.

    Args:
        rows: float32 ``[N, 16]``, aligned to 64 bytes.
        runs: kind, fan-in (2 to 4), number of gates, first edge and first row's offset of each
            run; int64 ``[_, 5]``.
        edges: offset of the row of each input, in bytes; uint32 ``[E]``.
        weights: of the edges, ``[E]``; ``[0]`` if all are 1.
        lanes: how many are needed, 1 to 16; the others may be anything.
    """
    base = (6 if len(weights) > 0 else 0) + (_FEW_SORTS if lanes <= FEW else 0)
    for number in range(len(runs)):
        run = runs[number]
        _run(rows, edges, weights, run[3], run[2], run[4], base + 3 * run[0] + run[1] - 2)


@inner
def run_gate(rows: Any, run: Any, gate: Any, edges: Any, weights: Any) -> None:
    """Compute one gate, in all lanes.

    Args:
        rows: see :func:`run_gates`.
        run: the gate's.
        gate: which one of the run.
        edges: see :func:`run_gates`.
        weights: see :func:`run_gates`.
    """
    sort = (6 if len(weights) > 0 else 0) + 3 * run[0] + run[1] - 2
    _run(rows, edges, weights, run[3] + gate * run[1], 1, run[4] + gate * ROW, sort)


@written
def _leaf(typing: Any, rows: Any, truth: Any, leaf: Any, held: Any) -> Any:
    """Write a leaf's row: one of its two truths in each lane, by 16 bits of a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        numbers, truths = (
            first_item(context, builder, signature.args[i], arguments[i]) for i in range(2)
        )
        first = builder.mul(arguments[2], _WORD(2))
        low = builder.load(builder.gep(truths, [first]))
        high = builder.load(builder.gep(truths, [builder.add(first, _WORD(1))]))
        # Sixteen bits of a word of lanes are a vector of flags as they are.
        bits = builder.trunc(arguments[3], ir.IntType(LANES))
        flags = builder.bitcast(bits, ir.VectorType(ir.IntType(1), LANES))
        row = builder.select(flags, splat(builder, high, LANES), splat(builder, low, LANES))
        vector = builder.bitcast(numbers, row.type.as_pointer())
        builder.store(row, builder.gep(vector, [arguments[2]]), align=64)

    return types.void(rows, truth, leaf, held), generate


@inner
def write_leaves(rows: Any, truth: Any, bits: Any, column: Any, shift: Any) -> None:
    """Write the rows of leaves from words of lanes.

    Args:
        rows: written; float32 ``[N, 16]``, aligned to 64 bytes.
        truth: of each leaf, bit not set and set; ``[K, 2]``.
        bits: word of the column that tells about each leaf; uint32 ``[K]``.
        column: words of 64 lanes; uint64.
        shift: first of the 16 lanes; uint64.
    """
    for leaf in range(len(bits)):
        _leaf(rows, truth, leaf, column[np.uint64(bits[leaf])] >> shift)
