"""Packs functions of few bits into tables of five bits, and neurons that are the same into one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurogame.array_types import Float32s, Int32s, Int64s
from neurogame.graph.groups import places_in_groups

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


def merge_neurons(
    structure: Sequence[Int32s], numbers: Sequence[Float32s]
) -> tuple[list[Int32s], list[Float32s]]:
    """Return networks without the neurons that compute bit for bit what another one does.

    Before training there are many: the goals of a game have conditions in common, and each goal's
    network has neurons and weights of its own for them.

    Args:
        structure: :attr:`~neurogame.kernels.neural.layout.Layout.structure`.
        numbers: tables, edges, nodes and offsets of a kind whose edges have parameters.
    """
    pattern, table_pattern, table_start, edge_start, edge_child, output = structure
    tables, edges, nodes, offsets = numbers
    count = nodes.shape[1]
    place, child = np.zeros(count + 1, np.int32), np.zeros_like(edge_child)
    known: dict[tuple[bytes, ...], int] = {}
    kept: list[int] = []
    of_neuron, of_edge = np.concatenate([nodes, offsets]).T.copy(), edges.T.copy()
    for n in range(count):
        some, below = slice(*table_start[n : n + 2]), slice(*edge_start[n : n + 2])
        child[below] = 2 * place[edge_child[below] >> 1] + (edge_child[below] & 1)
        parts = table_pattern[some], tables[some], child[below], of_edge[below], of_neuron[n]
        place[n] = known.setdefault(tuple(part.tobytes() for part in parts), len(known))
        if len(known) > len(kept):
            kept.append(n)
    unit = np.array(kept, np.int64)
    table, table_start = _taken(table_start, unit)
    edge, edge_start = _taken(edge_start, unit)
    place[count] = -1
    columns = (edges, edge), (nodes, unit), (offsets, unit)
    return (
        [pattern, table_pattern[table], table_start, edge_start, child[edge], place[output]],
        [tables[table], *(each.take(at, axis=1) for each, at in columns)],
    )


def _taken(start: Int32s, unit: Int64s) -> tuple[Int64s, Int32s]:
    """Return the items of some groups, and where each of these groups begins then."""
    sizes = start[unit + 1] - start[unit]
    items = np.repeat(start[unit], sizes) + places_in_groups(sizes)
    return items.astype(np.int64), np.append(0, np.cumsum(sizes)).astype(np.int32)
