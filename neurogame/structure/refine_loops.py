"""The loop of colour refinement; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools1, Int64s1, UInt64s1
from neurogame.native.compiled import compiled, inner
from neurogame.native.struct import Struct

FIRST = np.uint64(0x9E3779B97F4A7C15)
SECOND = np.uint64(0xD6E8FEB86659FD93)
_FAR, _NEAR = np.uint64(32), np.uint64(29)


class Around(Struct):
    """What lies around the nodes of a graph, and in which cells it is not the same for all.

    ``N`` nodes, ``E`` edges, ``C`` cells or more; what is not given or written is room.

    Attributes:
        starts: given: where the edges that leave each node start, and ``E``; ``[N + 1]``.
        targets: given: head of each edge; ``[E]``.
        salts: given: hash of each edge's label; ``[E]``.
        around: zeros before and after; ``[N]``.
        is_touched: zeros before and after; ``[N]``.
        seen: zeros before and after; ``[C]``.
        least: ``[C]``.
        is_split: ``[C]``.
        touched: written: nodes of the cells that are to be split; ``[N]``.
        hashes: written: their new colours; ``[N]``.
        count: written: number of them.
        work: edges and nodes read are added.
    """

    count: int = 0
    work: int = 0
    starts: Int64s1
    targets: Int64s1
    salts: UInt64s1
    around: UInt64s1
    is_touched: Bools1
    seen: Int64s1
    least: UInt64s1
    is_split: Bools1
    touched: Int64s1
    hashes: UInt64s1


@inner
def _mixed(word: np.uint64) -> np.uint64:
    """Return a hash of a word, as :func:`.refine.mixed` does."""
    word = (word ^ (word >> _FAR)) * FIRST
    word = (word ^ (word >> _NEAR)) * SECOND
    return word ^ (word >> _FAR)


@compiled
def look_around(
    look: Around, active: Int64s1, colours: UInt64s1, cells: Int64s1, sizes: Int64s1
) -> None:
    """Hash what lies around the nodes that touch some nodes; see :class:`Around`.

    A cell is split unless all its nodes are touched, and all alike.

    Args:
        look: where to look, and where to write.
        active: nodes.
        colours: of all nodes; ``[N]``.
        cells: of all nodes; ``[N]``.
        sizes: nodes of each cell; ``[C]``.
    """
    starts, targets, salts, around = look.starts, look.targets, look.salts, look.around
    touched, hashes, is_touched = look.touched, look.hashes, look.is_touched
    seen, least, is_split = look.seen, look.least, look.is_split
    reached = 0
    for place in range(len(active)):
        node = active[place]
        for edge in range(starts[node], starts[node + 1]):
            target = targets[edge]
            if not is_touched[target]:
                is_touched[target] = True
                touched[reached] = target
                reached += 1
            around[target] += _mixed(colours[node] ^ salts[edge])
        look.work += 1 + starts[node + 1] - starts[node]
    for place in range(reached):
        node = touched[place]
        hashed = _mixed(_mixed(colours[node]) + around[node] * FIRST)
        hashes[place], around[node], is_touched[node] = hashed, np.uint64(0), False
        cell = cells[node]
        if seen[cell] == 0:
            least[cell], is_split[cell] = hashed, False
        elif least[cell] != hashed:
            is_split[cell] = True
        seen[cell] += 1
    for place in range(reached):
        cell = cells[touched[place]]
        is_split[cell] |= seen[cell] < sizes[cell]
    look.count = 0
    for place in range(reached):
        node, cell = touched[place], cells[touched[place]]
        seen[cell] = 0
        if is_split[cell]:
            touched[look.count], hashes[look.count] = node, hashes[place]
            look.count += 1
