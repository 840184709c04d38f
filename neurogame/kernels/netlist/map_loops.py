"""Covering gates by three-input gates; import this module only where it is needed.

A *cut* of a gate is a set of at most three rows that decide it. Every gate keeps a few of the
cheapest; among those the gates of the new netlist are chosen, first by area flow, which spreads the
cost of a gate over its readers, then by the exact number of gates that a choice adds.

*Reference:* Mishchenko, Cho, Chatterjee and Brayton, "Combinational and sequential mapping with
priority cuts" (2007), sections 3 and 4; Chen and Mishchenko's area flow and exact area as there.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from neurogame.array_types import (
    Float64s1,
    Int32s1,
    Int32s2,
    Int64s,
    Int64s1,
    Int64s2,
    UInt8s,
    UInt8s2,
)
from neurogame.kernels.netlist.emit import absorbed
from neurogame.kernels.netlist.netlist import Netlist
from neurogame.native.compiled import compiled, inner
from neurogame.native.struct import Struct


class _Cuts(Struct):
    """The cuts of all rows, and which is chosen.

    A cut is a row of ``leaves``, ``sizes`` and ``tables``: ``kept`` cuts of each row and, as its
    last, the row by itself; then the chosen cut of each row, from ``chosen`` on; then two in which
    others are united. ``N`` rows, of which the first are inputs, ``G`` gates.

    Attributes:
        first: number of input rows.
        kept: cuts kept per gate.
        chosen: the first chosen cut.
        exact: whether cuts are chosen by exact area.
        gate_tables: truth tables of the gates; ``[G]``.
        inputs: rows that they read; ``[G, 3]``.
        leaves: the rows of each cut, ascending; its first ``size`` count.
        sizes: how many; 0..3.
        tables: of each cut; its leaves are the last inputs.
        costs: of the cuts of the gate at hand; ``[kept + 1]``.
        counts: number of cuts of each row besides itself; ``[N]``.
        refs: how many chosen cuts and roots read each row; ``[N]``.
        flow: area flow of each row; ``[N]``.
        share: by how many readers it is taken to be shared; ``[N]``.
        stack: rows whose references are counted.
        expansions: see :func:`_expansions`.
    """

    first: int
    kept: int
    chosen: int
    exact: int = 0
    gate_tables: Int32s1
    inputs: Int32s2
    leaves: Int32s2
    sizes: Int32s1
    tables: Int32s1
    costs: Float64s1
    counts: Int64s1
    refs: Int64s1
    flow: Float64s1
    share: Float64s1
    stack: Int32s1
    expansions: UInt8s2


@cache
def _expansions() -> UInt8s:
    """Return tables of a cut's leaves as tables of three rows; uint8 ``[where, table]``.

    The leaves of a cut are its last inputs: leaf ``i`` of ``n`` is input ``3 - n + i``; the first
    inputs do not change a table of ``n`` leaves. ``where`` has the position 0..2 of each leaf among
    the three rows, two bits each, the last leaf's lowest; then the number of leaves.
    """
    where, table = np.arange(256)[:, None], np.arange(256)
    count = where >> 6
    result = np.zeros((256, 256), np.int64)
    for minterm in range(8):
        source = np.zeros_like(where)
        for leaf in range(3):
            after = np.maximum(count - 1 - leaf, 0)
            position = np.minimum(where >> (2 * after) & 3, 2)
            source |= np.where(leaf < count, (minterm >> (2 - position) & 1) << after, 0)
        result |= (table >> source & 1) << minterm
    return result.astype(np.uint8)


@inner
def _compose(table: int, a: int, b: int, c: int) -> int:
    """Return the table of a gate whose inputs have the given tables."""
    # All eight minterms at once: each number is eight truth values.
    with_ab = (c & -(table >> 7 & 1)) | (~c & -(table >> 6 & 1))
    with_a = (c & -(table >> 5 & 1)) | (~c & -(table >> 4 & 1))
    with_b = (c & -(table >> 3 & 1)) | (~c & -(table >> 2 & 1))
    with_none = (c & -(table >> 1 & 1)) | (~c & -(table & 1))
    both = (a & ((b & with_ab) | (~b & with_a))) | (~a & ((b & with_b) | (~b & with_none)))
    return both & 0xFF


@inner
def _merge(cuts: _Cuts, one: int, other: int, to: int) -> bool:
    """Unite two cuts in a third one; return whether it has three leaves at most."""
    leaves, count, other_count = cuts.leaves, cuts.sizes[one], cuts.sizes[other]
    i, j, size = 0, 0, 0
    while i < count or j < other_count:
        if size == 3:
            return False
        if j >= other_count or (i < count and leaves[one, i] < leaves[other, j]):
            leaves[to, size] = leaves[one, i]
            i += 1
        elif i >= count or leaves[other, j] < leaves[one, i]:
            leaves[to, size] = leaves[other, j]
            j += 1
        else:
            leaves[to, size] = leaves[one, i]
            i += 1
            j += 1
        size += 1
    cuts.sizes[to] = size
    return True


@inner
def _expanded(cuts: _Cuts, cut: int, wider: int) -> int:
    """Return the table of a cut as one of the rows of a wider cut."""
    sizes, size = cuts.sizes, cuts.sizes[wider]
    where = sizes[cut] << 6
    for leaf in range(sizes[cut]):
        for place in range(size):
            if cuts.leaves[wider, place] == cuts.leaves[cut, leaf]:
                where |= (3 - size + place) << (2 * (sizes[cut] - 1 - leaf))
    table: int = cuts.expansions[where, cuts.tables[cut]]
    return table


@inner
def _reduce(cuts: _Cuts, cut: int) -> None:
    """Drop leaves that the table of a cut does not depend on."""
    table, size = cuts.tables[cut], cuts.sizes[cut]
    leaves, place = cuts.leaves, 0
    while place < size:
        stride = 1 << (size - 1 - place)
        depends = False
        for minterm in range(1 << size):
            if (table >> minterm & 1) != (table >> (minterm ^ stride) & 1):
                depends = True
        if depends:
            place += 1
            continue
        result = 0
        for minterm in range(8):
            low = minterm & (stride - 1)
            high = (minterm & ((1 << (size - 1)) - 1)) >> (size - 1 - place)
            result |= (table >> (high << (size - place) | low) & 1) << minterm
        table = result
        for index in range(place, size - 1):
            leaves[cut, index] = leaves[cut, index + 1]
        size -= 1
    cuts.tables[cut], cuts.sizes[cut] = table, size


@inner
def _copy(cuts: _Cuts, cut: int, to: int) -> None:
    """Write a cut over another one."""
    cuts.sizes[to], cuts.tables[to] = cuts.sizes[cut], cuts.tables[cut]
    for index in range(3):
        cuts.leaves[to, index] = cuts.leaves[cut, index]


@inner
def _free(cuts: _Cuts, cut: int, change: int) -> int:
    """Count the references of a cut in or out; return how many gates come or go with it."""
    refs, stack, sizes = cuts.refs, cuts.stack, cuts.sizes
    area = 1 if sizes[cut] > 1 else 0
    depth = 0
    for index in range(sizes[cut]):
        stack[depth] = cuts.leaves[cut, index]
        depth += 1
    while depth > 0:
        depth -= 1
        row = stack[depth]
        if row < cuts.first:
            continue
        if change < 0:
            refs[row] -= 1
        fresh = refs[row] == 0
        if change > 0:
            refs[row] += 1
        if fresh:
            size = sizes[cuts.chosen + row]
            if size > 1:
                area += 1
            for index in range(size):
                stack[depth] = cuts.leaves[cuts.chosen + row, index]
                depth += 1
    return area


@inner
def _insert(cuts: _Cuts, begin: int, count: int, cut: int, cost: float) -> int:
    """Put a cut where its cost belongs among those of a gate; return how many there are.

    Args:
        cuts: changed.
        begin: first cut of the gate.
        count: how many it has so far.
        cut: the cut.
        cost: of it.
    """
    sizes, costs = cuts.sizes, cuts.costs
    for other in range(begin, begin + count):
        if sizes[other] == sizes[cut]:
            same = True
            for index in range(sizes[cut]):
                if cuts.leaves[other, index] != cuts.leaves[cut, index]:
                    same = False
            if same:
                return count
    place = count
    while place > 0 and (
        costs[place - 1] > cost
        or (costs[place - 1] == cost and sizes[begin + place - 1] > sizes[cut])
    ):
        place -= 1
    if place >= cuts.kept:
        return count
    count = min(count + 1, cuts.kept)
    for other in range(count - 1, place, -1):
        costs[other] = costs[other - 1]
        _copy(cuts, begin + other - 1, begin + other)
    costs[place] = cost
    _copy(cuts, cut, begin + place)
    return count


@inner
def _find_cuts(cuts: _Cuts, gate: int) -> int:
    """Write the cheapest cuts of a gate, made of those of its inputs; return their number."""
    stride = cuts.kept + 1
    a, b, c = cuts.inputs[gate, 0], cuts.inputs[gate, 1], cuts.inputs[gate, 2]
    pair = cuts.chosen + len(cuts.refs)
    united = pair + 1
    count = 0
    for i in range(a * stride, a * stride + cuts.counts[a] + 1):
        for j in range(b * stride, b * stride + cuts.counts[b] + 1):
            if not _merge(cuts, i, j, pair):
                continue
            for k in range(c * stride, c * stride + cuts.counts[c] + 1):
                if not _merge(cuts, pair, k, united):
                    continue
                cuts.tables[united] = _compose(
                    cuts.gate_tables[gate],
                    _expanded(cuts, i, united),
                    _expanded(cuts, j, united),
                    _expanded(cuts, k, united),
                )
                _reduce(cuts, united)
                cost = 1.0 if cuts.sizes[united] > 1 else 0.0
                for index in range(cuts.sizes[united]):
                    cost += cuts.flow[cuts.leaves[united, index]]
                count = _insert(cuts, (cuts.first + gate) * stride, count, united, cost)
    return count


def cover(
    netlist: Netlist, roots: Int64s, kept: int, flow_passes: int, exact_passes: int
) -> tuple[Netlist, Int64s, Int64s]:
    """Choose a cut for every gate, and make the gates that are needed then.

    Args:
        netlist: the gates.
        roots: rows that are wanted.
        kept: cuts kept per gate.
        flow_passes: passes by area flow.
        exact_passes: passes by exact area.

    Returns:
        The new gates, the old row of each, and the literal of each old row.
    """
    first, rows, every = netlist.input_count, netlist.row_count, netlist.row_count * (kept + 1)
    wanted = np.bincount(roots, minlength=rows)
    sizes, tables = np.zeros((2, every + rows + 2), np.int32)
    cuts = _Cuts(
        first=first,
        kept=kept,
        chosen=every,
        gate_tables=netlist.table.astype(np.int32),
        inputs=netlist.inputs,
        leaves=np.zeros((every + rows + 2, 3), np.int32),
        sizes=sizes,
        tables=tables,
        costs=np.zeros(kept + 1),
        counts=np.zeros(rows, np.int64),
        refs=np.zeros(rows, np.int64),
        flow=np.zeros(rows),
        share=np.maximum(np.bincount(netlist.inputs.reshape(-1), minlength=rows) + wanted, 1.0),
        stack=np.zeros(6 * netlist.gate_count + 16, np.int32),
        expansions=_expansions(),
    )
    # The cut of a row by itself is its last; an input has only that, and row 0, the constant,
    # has no leaves.
    itself = slice(kept + 1, every, kept + 1)
    cuts.leaves[itself, 0], sizes[itself], tables[itself] = np.arange(1, rows), 1, 0xAA
    for number in range(flow_passes + exact_passes):
        cuts.exact = int(number >= flow_passes)
        _cover(cuts)
        cuts.refs[:] = wanted
        _count_references(cuts)
        used = cuts.refs > 0
        cuts.share[used] = np.maximum(1.0, (cuts.share[used] + 2.0 * cuts.refs[used]) / 3.0)
    origin, literal = np.zeros((2, rows), np.int64)
    inputs = np.zeros((rows, 3), np.int64)
    literal[:first] = 2 * np.arange(first)
    made = _rebuild(cuts, inputs, origin, literal)
    origin, inputs = origin[:made], inputs[:made]
    table = absorbed(tables[every + origin].astype(np.uint8), inputs & 1)
    return Netlist(first, table, (inputs >> 1).astype(np.int32)), origin, literal


@compiled
def _count_references(cuts: _Cuts) -> None:
    """Add how many chosen cuts of rows that are needed read each row."""
    for row in range(len(cuts.refs) - 1, cuts.first - 1, -1):
        if cuts.refs[row] > 0:
            for index in range(cuts.sizes[cuts.chosen + row]):
                cuts.refs[cuts.leaves[cuts.chosen + row, index]] += 1


@compiled
def _cover(cuts: _Cuts) -> None:
    """Choose a cut for every gate, once, by area flow or by exact area."""
    for gate in range(len(cuts.gate_tables)):
        row = cuts.first + gate
        begin, chosen = row * (cuts.kept + 1), cuts.chosen + row
        precise = cuts.exact != 0 and cuts.refs[row] > 0
        if precise:
            _free(cuts, chosen, -1)
        count = _find_cuts(cuts, gate)
        best, least = 0, -1
        if precise:
            for index in range(count):
                area = _free(cuts, begin + index, 1)
                # What comes with it goes again.
                _free(cuts, begin + index, -1)
                if least < 0 or area < least:
                    least, best = area, index
        _copy(cuts, begin + best, chosen)
        cuts.flow[row] = cuts.costs[best] / cuts.share[row]
        if precise:
            _free(cuts, chosen, 1)
        last = begin + count
        cuts.leaves[last, 0], cuts.sizes[last], cuts.tables[last] = row, 1, 0xAA
        # Where the first cut is a constant, another row or its complement, nothing else is needed.
        cuts.counts[row] = 0 if count and cuts.sizes[begin] <= 1 else count


@compiled
def _rebuild(cuts: _Cuts, inputs: Int64s2, origin: Int64s1, literal: Int64s1) -> int:
    """Write which gates are needed, what they read and how others read them; return how many.

    Args:
        cuts: with references counted.
        inputs: written: literals that each new gate reads; ``[N, 3]``.
        origin: written: the old row of each.
        literal: written: of each old row; those of the inputs are there.
    """
    made = 0
    for row in range(cuts.first, len(cuts.refs)):
        if cuts.refs[row] == 0:
            continue
        cut = cuts.chosen + row
        size, table = cuts.sizes[cut], cuts.tables[cut]
        if size == 0:
            literal[row] = table & 1
        elif size == 1:
            literal[row] = literal[cuts.leaves[cut, 0]] ^ (table & 1)
        else:
            for index in range(size):
                inputs[made, 3 - size + index] = literal[cuts.leaves[cut, index]]
            origin[made] = row
            literal[row] = 2 * (cuts.first + made)
            made += 1
    return made
