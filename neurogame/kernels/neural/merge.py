"""Packs functions of few bits into tables of five bits."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s

BITS = 5
"""Leaves that a table may depend on."""

ENTRIES = 1 << BITS
"""Numbers in a table."""

LOOK_BACK = 64
"""How many of a neuron's tables are considered for one more function."""


def merge_patterns(parent: Int64s, columns: Int64s) -> tuple[Int64s, Int64s]:
    """Assign functions to tables: each to the one of its neuron that grows least, if any.

    Args:
        parent: neuron that sums each function, ascending; ``[n]``.
        columns: what each function depends on, -1 for none; ``[n, 5]``.

    Returns:
        Table of each function, in the order of the neurons, ``[n]``, and the columns of each
        table, ascending, then -1; ``[T, 5]``.
    """
    table = np.zeros(len(parent), dtype=np.int64)
    tables: list[frozenset[int]] = []
    first = 0
    for i, dependencies in enumerate(columns.tolist()):
        if i == 0 or parent[i] != parent[i - 1]:
            first = len(tables)
        wanted = frozenset(column for column in dependencies if column >= 0)
        best, growth = -1, BITS + 1
        for other in range(len(tables) - 1, max(first, len(tables) - LOOK_BACK) - 1, -1):
            together = len(wanted | tables[other])
            if together <= BITS and together - len(tables[other]) < growth:
                best, growth = other, together - len(tables[other])
                if growth == 0:
                    break
        if best < 0:
            best = len(tables)
            tables.append(wanted)
        else:
            tables[best] |= wanted
        table[i] = best
    bits = np.full((len(tables), BITS), -1, dtype=np.int64)
    for place, members in zip(bits, tables, strict=True):
        place[: len(members)] = sorted(members)
    return table, bits
