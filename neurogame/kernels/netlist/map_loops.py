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
    Float64s,
    Float64s1,
    Int32s,
    Int32s1,
    Int32s2,
    Int64s,
    Int64s1,
    Int64s2,
    UInt8s,
    UInt8s2,
)
from neurogame.kernels.netlist.compiled import callee, compiled


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


@callee
def _compose(table: int, a: int, b: int, c: int) -> int:
    """Return the table of a gate whose inputs have the given tables."""
    # All eight minterms at once: each number is eight truth values.
    with_ab = (c & -(table >> 7 & 1)) | (~c & -(table >> 6 & 1))
    with_a = (c & -(table >> 5 & 1)) | (~c & -(table >> 4 & 1))
    with_b = (c & -(table >> 3 & 1)) | (~c & -(table >> 2 & 1))
    with_none = (c & -(table >> 1 & 1)) | (~c & -(table & 1))
    both = (a & ((b & with_ab) | (~b & with_a))) | (~a & ((b & with_b) | (~b & with_none)))
    return both & 0xFF


@callee
def _merge(
    leaves: Int32s,
    place: int,
    count: int,
    others: Int32s,
    other_place: int,
    other_count: int,
    merged: Int32s,
) -> int:
    """Unite two ascending sets of rows; return the size, or 4 if there are more than three."""
    i, j, size = 0, 0, 0
    while i < count or j < other_count:
        if size == 3:
            return 4
        if j >= other_count or (i < count and leaves[place + i] < others[other_place + j]):
            merged[size] = leaves[place + i]
            i += 1
        elif i >= count or others[other_place + j] < leaves[place + i]:
            merged[size] = others[other_place + j]
            j += 1
        else:
            merged[size] = leaves[place + i]
            i += 1
            j += 1
        size += 1
    return size


@callee
def _expanded(
    cut: int,
    leaves: Int32s,
    sizes: Int32s,
    tables: Int32s,
    merged: Int32s,
    size: int,
    expansions: UInt8s,
) -> int:
    """Return the table of a cut as one of the rows of a larger cut."""
    where = sizes[cut] << 6
    for leaf in range(sizes[cut]):
        for place in range(size):
            if merged[place] == leaves[3 * cut + leaf]:
                where |= (3 - size + place) << (2 * (sizes[cut] - 1 - leaf))
    table: int = expansions[where, tables[cut]]
    return table


@callee
def _reduce(table: int, merged: Int32s, size: int) -> tuple[int, int]:
    """Drop leaves that the table does not depend on, in place; return table and size."""
    place = 0
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
            merged[index] = merged[index + 1]
        size -= 1
    return table, size


@callee
def _free(
    first: int,
    refs: Int64s,
    best_leaves: Int32s,
    best_count: Int32s,
    leaves: Int32s,
    begin: int,
    count: int,
    change: int,
    stack: Int32s,
) -> int:
    """Count the references of a cut in or out; return how many gates come or go with it."""
    area = 1 if count > 1 else 0
    depth = 0
    for index in range(count):
        stack[depth] = leaves[begin + index]
        depth += 1
    while depth > 0:
        depth -= 1
        row = stack[depth]
        if row < first:
            continue
        if change < 0:
            refs[row] -= 1
        fresh = refs[row] == 0
        if change > 0:
            refs[row] += 1
        if fresh:
            size = best_count[row]
            if size > 1:
                area += 1
            for index in range(size):
                stack[depth] = best_leaves[3 * row + index]
                depth += 1
    return area


@callee
def _insert(
    own: int,
    found: int,
    kept: int,
    leaves: Int32s,
    sizes: Int32s,
    tables: Int32s,
    costs: Float64s,
    merged: Int32s,
    size: int,
    table: int,
    cost: float,
) -> int:
    """Put a cut where its cost belongs among those of a gate; return how many there are."""
    for other in range(own, own + found):
        if sizes[other] == size:
            same = True
            for index in range(size):
                if leaves[3 * other + index] != merged[index]:
                    same = False
            if same:
                return found
    place = found
    while place > 0 and (
        costs[place - 1] > cost or (costs[place - 1] == cost and sizes[own + place - 1] > size)
    ):
        place -= 1
    if place >= kept:
        return found
    found = found + 1 if found < kept else kept
    for other in range(found - 1, place, -1):
        costs[other] = costs[other - 1]
        sizes[own + other] = sizes[own + other - 1]
        tables[own + other] = tables[own + other - 1]
        for index in range(3):
            leaves[3 * (own + other) + index] = leaves[3 * (own + other - 1) + index]
    costs[place] = cost
    sizes[own + place] = size
    tables[own + place] = table
    for index in range(3):
        leaves[3 * (own + place) + index] = merged[index]
    return found


@callee
def _find_cuts(
    own: int,
    cut_a: int,
    cut_b: int,
    cut_c: int,
    cuts_a: int,
    cuts_b: int,
    cuts_c: int,
    table: int,
    kept: int,
    leaves: Int32s,
    sizes: Int32s,
    tables: Int32s,
    costs: Float64s,
    flow: Float64s,
    merged: Int32s,
    merged_all: Int32s,
    expansions: UInt8s,
) -> int:
    """Write the cheapest cuts of a gate, made of those of its inputs; return their number."""
    found = 0
    for i in range(cut_a, cut_a + cuts_a + 1):
        for j in range(cut_b, cut_b + cuts_b + 1):
            size_ab = _merge(leaves, 3 * i, sizes[i], leaves, 3 * j, sizes[j], merged)
            if size_ab > 3:
                continue
            for k in range(cut_c, cut_c + cuts_c + 1):
                size = _merge(merged, 0, size_ab, leaves, 3 * k, sizes[k], merged_all)
                if size > 3:
                    continue
                value = _compose(
                    table,
                    _expanded(i, leaves, sizes, tables, merged_all, size, expansions),
                    _expanded(j, leaves, sizes, tables, merged_all, size, expansions),
                    _expanded(k, leaves, sizes, tables, merged_all, size, expansions),
                )
                value, size = _reduce(value, merged_all, size)
                cost = 1.0 if size > 1 else 0.0
                for index in range(size):
                    cost += flow[merged_all[index]]
                found = _insert(
                    own, found, kept, leaves, sizes, tables, costs, merged_all, size, value, cost
                )
    return found


def cover(
    first: int,
    tables: UInt8s,
    inputs: Int32s,
    roots: Int64s,
    kept: int,
    flow_passes: int,
    exact_passes: int,
) -> tuple[Int32s, Int32s, Int32s, Int64s]:
    """Choose a cut for every gate.

    Args:
        first: number of input rows.
        tables: truth tables of the gates.
        inputs: rows that they read; ``[G, 3]``.
        roots: rows that are wanted.
        kept: cuts kept per gate.
        flow_passes: passes by area flow.
        exact_passes: passes by exact area.

    Returns:
        Per row the leaves of its cut ``[rows, 3]`` flattened, how many they are, the table, and how
        many chosen cuts and roots read the row (0: not needed).
    """
    rows = first + len(tables)
    # The cut of a row by itself is its last; an input has only that.
    leaves = np.zeros((rows, kept + 1, 3), np.int32)
    leaves[:, 0, 0] = np.arange(rows)
    sizes, own_tables = np.zeros((2, rows, kept + 1), np.int32)
    sizes[1:, 0], own_tables[1:, 0] = 1, 0xAA
    wanted = np.bincount(roots, minlength=rows)
    share = np.maximum(np.bincount(inputs.reshape(-1), minlength=rows) + wanted, 1.0)
    best_leaves = np.zeros(3 * rows, np.int32)
    best_size, best_table = np.zeros((2, rows), np.int32)
    refs, cuts, flow = np.zeros(rows, np.int64), np.zeros(rows, np.int64), np.zeros(rows)
    costs, stack = np.zeros(kept + 1), np.zeros(6 * len(tables) + 16, np.int32)
    merged, merged_all = np.zeros((2, 3), np.int32)
    gate_tables = tables.astype(np.int32)
    for number in range(flow_passes + exact_passes):
        _cover(
            first, gate_tables, inputs, kept, number >= flow_passes, leaves.reshape(-1),
            sizes.reshape(-1), own_tables.reshape(-1), best_leaves, best_size, best_table, refs,
            cuts, flow, share, costs, stack, merged, merged_all, _expansions(),
        )  # fmt: skip
        refs[:] = wanted
        _count_references(first, best_leaves, best_size, refs)
        used = refs > 0
        share[used] = np.maximum(1.0, (share[used] + 2.0 * refs[used]) / 3.0)
    return best_leaves, best_size, best_table, refs


@compiled
def _count_references(first: int, best_leaves: Int32s1, best_size: Int32s1, refs: Int64s1) -> None:
    """Add how many chosen cuts of rows that are needed read each row."""
    for row in range(len(refs) - 1, first - 1, -1):
        if refs[row] > 0:
            for index in range(best_size[row]):
                refs[best_leaves[3 * row + index]] += 1


@compiled
def _cover(
    first: int,
    gate_tables: Int32s1,
    inputs: Int32s2,
    kept: int,
    exact: bool,
    leaves: Int32s1,
    sizes: Int32s1,
    tables: Int32s1,
    best_leaves: Int32s1,
    best_size: Int32s1,
    best_table: Int32s1,
    refs: Int64s1,
    cuts: Int64s1,
    flow: Float64s1,
    share: Float64s1,
    costs: Float64s1,
    stack: Int32s1,
    merged: Int32s1,
    merged_all: Int32s1,
    expansions: UInt8s2,
) -> None:
    """Choose a cut for every gate, once, by area flow or by exact area."""
    stride = kept + 1
    for gate in range(len(gate_tables)):
        row = first + gate
        own = row * stride
        a, b, c = inputs[gate, 0], inputs[gate, 1], inputs[gate, 2]
        precise = exact and refs[row] > 0
        if precise:
            _free(
                first, refs, best_leaves, best_size, best_leaves, 3 * row, best_size[row], -1, stack
            )
        found = _find_cuts(
            own, a * stride, b * stride, c * stride, cuts[a], cuts[b], cuts[c],
            gate_tables[gate], kept, leaves, sizes, tables, costs, flow, merged,
            merged_all, expansions,
        )  # fmt: skip
        chosen, least = 0, -1
        if precise:
            for index in range(found):
                begin, count = 3 * (own + index), sizes[own + index]
                area = 0
                for change in range(1, -2, -2):
                    # What comes with it goes again.
                    turned = _free(
                        first, refs, best_leaves, best_size, leaves, begin, count, change, stack
                    )
                    area = turned if change > 0 else area
                if least < 0 or area < least:
                    least, chosen = area, index
        best_size[row] = sizes[own + chosen]
        best_table[row] = tables[own + chosen]
        for index in range(3):
            best_leaves[3 * row + index] = leaves[3 * (own + chosen) + index]
        flow[row] = costs[chosen] / share[row]
        if precise:
            _free(
                first, refs, best_leaves, best_size, best_leaves, 3 * row, best_size[row], 1, stack
            )
        cuts[row] = found
        last = own + found
        leaves[3 * last], sizes[last], tables[last] = row, 1, 0xAA
        if found and sizes[own] <= 1:
            # A constant, or another row or its complement: nothing else is needed.
            cuts[row] = 0


def rebuild(
    first: int,
    best_leaves: Int32s,
    best_size: Int32s,
    best_table: Int32s,
    refs: Int64s,
) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Make the chosen gates.

    Args:
        first: number of input rows.
        best_leaves: see :func:`cover`, like the following.
        best_size: see there.
        best_table: see there.
        refs: see there.

    Returns:
        Tables, rows ``[G, 3]``, the old row of each gate, and the literal of each old row.
    """
    rows = len(best_size)
    table, origin, literal = np.zeros((3, rows), np.int64)
    inputs = np.zeros((rows, 3), np.int64)
    literal[:first] = 2 * np.arange(first)
    made = _rebuild(first, best_leaves, best_size, best_table, refs, table, inputs, origin, literal)
    return table[:made], inputs[:made], origin[:made], literal


@compiled
def _rebuild(
    first: int,
    best_leaves: Int32s1,
    best_size: Int32s1,
    best_table: Int32s1,
    refs: Int64s1,
    table: Int64s1,
    inputs: Int64s2,
    origin: Int64s1,
    literal: Int64s1,
) -> int:
    """Write what :func:`rebuild` returns; return the number of gates."""
    made = 0
    for row in range(first, len(best_size)):
        if refs[row] == 0:
            continue
        size = best_size[row]
        value = best_table[row]
        if size == 0:
            literal[row] = value & 1
            continue
        if size == 1:
            literal[row] = literal[best_leaves[3 * row]] ^ (value & 1)
            continue
        for index in range(size):
            place = 3 - size + index
            below = literal[best_leaves[3 * row + index]]
            inputs[made, place] = below >> 1
            if below & 1:
                stride = 4 >> place
                flipped = 0
                for minterm in range(8):
                    flipped |= (value >> (minterm ^ stride) & 1) << minterm
                value = flipped
        table[made] = value
        origin[made] = row
        literal[row] = 2 * (first + made)
        made += 1
    return made
