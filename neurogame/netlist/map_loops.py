"""Covering gates by three-input gates; import this module only where it is needed.

A *cut* of a gate is a set of at most three rows that decide it. Every gate keeps a few of the
cheapest; among those the gates of the new netlist are chosen, first by area flow, which spreads the
cost of a gate over its readers, then by the exact number of gates that a choice adds.

*Reference:* Mishchenko, Cho, Chatterjee and Brayton, "Combinational and sequential mapping with
priority cuts" (2007), sections 3 and 4; Chen and Mishchenko's area flow and exact area as there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from neurogame.ground.atoms import IntArray
from neurogame.netlist.compiled import compiled

FloatArray = npt.NDArray[np.float64]


@compiled
def _expand(table: int, where: int) -> int:
    """Return a table of a cut's leaves as a table of three rows.

    The leaves of a cut are its last inputs: leaf ``i`` of ``n`` is input ``3 - n + i``.

    Args:
        table: of ``n`` leaves, which the first inputs do not change.
        where: position 0..2 of each leaf among the three rows, two bits each, the last leaf's
            lowest; then the number of leaves.
    """
    count = where >> 6
    result = 0
    for minterm in range(8):
        source = 0
        for leaf in range(count):
            position = min(where >> (2 * (count - 1 - leaf)) & 3, 2)
            source |= (minterm >> (2 - position) & 1) << (count - 1 - leaf)
        result |= (table >> source & 1) << minterm
    return result


@compiled
def _compose(table: int, a: int, b: int, c: int) -> int:
    """Return the table of a gate whose inputs have the given tables."""
    result = 0
    for minterm in range(8):
        source = (a >> minterm & 1) << 2 | (b >> minterm & 1) << 1 | (c >> minterm & 1)
        result |= (table >> source & 1) << minterm
    return result


@compiled
def make_expansions() -> npt.NDArray[np.uint8]:
    """Return :func:`_expand` for all arguments that occur; uint8 ``[256, 256]``."""
    result = np.zeros((256, 256), np.uint8)
    for where in range(256):
        for table in range(256):
            result[where, table] = _expand(table, where)
    return result


@compiled
def _merge(
    leaves: IntArray, count: int, others: IntArray, other_count: int, merged: IntArray
) -> int:
    """Unite two ascending sets of rows; return the size, or 4 if there are more than three."""
    i, j, size = 0, 0, 0
    while i < count or j < other_count:
        if size == 3:
            return 4
        if j >= other_count or (i < count and leaves[i] < others[j]):
            merged[size] = leaves[i]
            i += 1
        elif i >= count or others[j] < leaves[i]:
            merged[size] = others[j]
            j += 1
        else:
            merged[size] = leaves[i]
            i += 1
            j += 1
        size += 1
    return size


@compiled
def _where(leaves: IntArray, count: int, merged: IntArray, size: int) -> int:
    """Return the positions of leaves among the last ``size`` of three rows, for `_expand`."""
    result = count << 6
    for leaf in range(count):
        for place in range(size):
            if merged[place] == leaves[leaf]:
                result |= (3 - size + place) << (2 * (count - 1 - leaf))
    return result


@compiled
def _reduce(table: int, merged: IntArray, size: int) -> tuple[int, int]:
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


@compiled
def _free(
    first: int,
    refs: IntArray,
    best_leaves: IntArray,
    best_count: IntArray,
    leaves: IntArray,
    count: int,
    change: int,
    stack: IntArray,
) -> int:
    """Count the references of a cut in or out; return how many gates come or go with it."""
    area = 1 if count > 1 else 0
    depth = 0
    for index in range(count):
        stack[depth] = leaves[index]
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
                stack[depth] = best_leaves[row, index]
                depth += 1
    return area


@compiled
def cover(
    first: int,
    tables: npt.NDArray[np.uint8],
    inputs: npt.NDArray[np.int32],
    roots: IntArray,
    kept: int,
    flow_passes: int,
    exact_passes: int,
    expansions: npt.NDArray[np.uint8],
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Choose a cut for every gate.

    Args:
        first: number of input rows.
        tables: truth tables of the gates.
        inputs: rows that they read; ``[G, 3]``.
        roots: rows that are wanted.
        kept: cuts kept per gate.
        flow_passes: passes by area flow.
        exact_passes: passes by exact area.
        expansions: of :func:`make_expansions`.

    Returns:
        Per row the leaves of its cut ``[rows, 3]``, how many they are, the table, and how many
        chosen cuts and roots read the row (0: not needed).
    """
    count = len(tables)
    rows = first + count
    cut_leaves = np.zeros((rows, kept + 1, 3), np.int64)
    cut_size = np.zeros((rows, kept + 1), np.int64)
    cut_table = np.zeros((rows, kept + 1), np.int64)
    cuts = np.zeros(rows, np.int64)
    best_leaves = np.zeros((rows, 3), np.int64)
    best_size = np.zeros(rows, np.int64)
    best_table = np.zeros(rows, np.int64)
    refs = np.zeros(rows, np.int64)
    flow = np.zeros(rows, np.float64)
    share = np.ones(rows, np.float64)
    costs = np.zeros(kept + 1, np.float64)
    stack = np.zeros(6 * count + 16, np.int64)
    merged = np.zeros(3, np.int64)
    merged_all = np.zeros(3, np.int64)
    # The cut of a row by itself is its last; an input has only that.
    for row in range(rows):
        cut_leaves[row, 0, 0] = row
        cut_size[row, 0] = 1
        cut_table[row, 0] = 0xAA
    cut_size[0, 0] = 0
    cut_table[0, 0] = 0
    for gate in range(count):
        for place in range(3):
            share[inputs[gate, place]] += 1
    for row in roots:
        share[row] += 1
    for row in range(rows):
        share[row] = max(share[row] - 1, 1)
    for number in range(flow_passes + exact_passes):
        exact = number >= flow_passes
        for gate in range(count):
            row = first + gate
            a, b, c = inputs[gate, 0], inputs[gate, 1], inputs[gate, 2]
            table = int(tables[gate])
            if exact and refs[row] > 0:
                _free(
                    first, refs, best_leaves, best_size, best_leaves[row], best_size[row], -1, stack
                )
            found = 0
            for i in range(cuts[a] + 1):
                for j in range(cuts[b] + 1):
                    size_ab = _merge(
                        cut_leaves[a, i], cut_size[a, i], cut_leaves[b, j], cut_size[b, j], merged
                    )
                    if size_ab > 3:
                        continue
                    for k in range(cuts[c] + 1):
                        size = _merge(merged, size_ab, cut_leaves[c, k], cut_size[c, k], merged_all)
                        if size > 3:
                            continue
                        value = _compose(
                            table,
                            expansions[
                                _where(cut_leaves[a, i], cut_size[a, i], merged_all, size),
                                cut_table[a, i],
                            ],
                            expansions[
                                _where(cut_leaves[b, j], cut_size[b, j], merged_all, size),
                                cut_table[b, j],
                            ],
                            expansions[
                                _where(cut_leaves[c, k], cut_size[c, k], merged_all, size),
                                cut_table[c, k],
                            ],
                        )
                        value, size = _reduce(value, merged_all, size)
                        cost = 1.0 if size > 1 else 0.0
                        for index in range(size):
                            cost += flow[merged_all[index]]
                        place = found
                        known = False
                        for other in range(found):
                            if cut_size[row, other] == size:
                                same = True
                                for index in range(size):
                                    if cut_leaves[row, other, index] != merged_all[index]:
                                        same = False
                                if same:
                                    known = True
                                    break
                        if known:
                            continue
                        while place > 0 and (
                            costs[place - 1] > cost
                            or (costs[place - 1] == cost and cut_size[row, place - 1] > size)
                        ):
                            place -= 1
                        if place >= kept:
                            continue
                        found = min(found + 1, kept)
                        for other in range(found - 1, place, -1):
                            costs[other] = costs[other - 1]
                            cut_size[row, other] = cut_size[row, other - 1]
                            cut_table[row, other] = cut_table[row, other - 1]
                            for index in range(3):
                                cut_leaves[row, other, index] = cut_leaves[row, other - 1, index]
                        costs[place] = cost
                        cut_size[row, place] = size
                        cut_table[row, place] = value
                        for index in range(3):
                            cut_leaves[row, place, index] = merged_all[index]
            chosen = 0
            if exact and refs[row] > 0:
                least = -1
                for index in range(found):
                    area = _free(
                        first, refs, best_leaves, best_size,
                        cut_leaves[row, index], cut_size[row, index], 1, stack,
                    )  # fmt: skip
                    _free(
                        first, refs, best_leaves, best_size,
                        cut_leaves[row, index], cut_size[row, index], -1, stack,
                    )  # fmt: skip
                    if least < 0 or area < least:
                        least, chosen = area, index
            best_size[row] = cut_size[row, chosen]
            best_table[row] = cut_table[row, chosen]
            for index in range(3):
                best_leaves[row, index] = cut_leaves[row, chosen, index]
            flow[row] = costs[chosen] / share[row]
            if exact and refs[row] > 0:
                _free(
                    first, refs, best_leaves, best_size, best_leaves[row], best_size[row], 1, stack
                )
            cuts[row] = found
            cut_leaves[row, found, 0] = row
            cut_size[row, found] = 1
            cut_table[row, found] = 0xAA
            if found and cut_size[row, 0] <= 1:
                # A constant, or another row or its complement: nothing else is needed.
                cuts[row] = 0
        refs[:] = 0
        for row in roots:
            refs[row] += 1
        for row in range(rows - 1, first - 1, -1):
            if refs[row] > 0:
                for index in range(best_size[row]):
                    refs[best_leaves[row, index]] += 1
        for row in range(rows):
            if refs[row] > 0:
                share[row] = max(1.0, (share[row] + 2.0 * refs[row]) / 3.0)
    return best_leaves, best_size, best_table, refs


@compiled
def rebuild(
    first: int,
    best_leaves: IntArray,
    best_size: IntArray,
    best_table: IntArray,
    refs: IntArray,
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
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
    table = np.zeros(rows, np.int64)
    inputs = np.zeros((rows, 3), np.int64)
    origin = np.zeros(rows, np.int64)
    literal = np.zeros(rows, np.int64)
    for row in range(first):
        literal[row] = 2 * row
    made = 0
    for row in range(first, rows):
        if refs[row] == 0:
            continue
        size = best_size[row]
        value = best_table[row]
        if size == 0:
            literal[row] = value & 1
            continue
        if size == 1:
            literal[row] = literal[best_leaves[row, 0]] ^ (value & 1)
            continue
        for index in range(size):
            place = 3 - size + index
            below = literal[best_leaves[row, index]]
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
    return table[:made], inputs[:made], origin[:made], literal
