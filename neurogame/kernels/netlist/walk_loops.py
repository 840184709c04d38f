"""Loops over the gates of a netlist; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools1, Int32s2, Int64s, Int64s1
from neurogame.native.compiled import compiled


@compiled
def mark_cone(first: int, inputs: Int32s2, wanted: Bools1) -> None:
    """Mark every row that a wanted row depends on, in place; ``wanted`` is bool ``[I + G]``."""
    for gate in range(len(inputs) - 1, -1, -1):
        if wanted[first + gate]:
            for place in range(3):
                wanted[inputs[gate, place]] = True


@compiled
def mark_late(first: int, inputs: Int32s2, late: Bools1) -> None:
    """Mark every gate that reads a marked row, in place; ``late`` is bool ``[I + G]``."""
    for gate in range(len(inputs)):
        for place in range(3):
            if late[inputs[gate, place]]:
                late[first + gate] = True


@compiled(arrays=True)
def depth_first(first: int, inputs: Int32s2, rows: Int64s1) -> Int64s:
    """Return the gates that some rows need, each after its inputs, as late as possible.

    ``first`` is the number of input rows, ``inputs`` are those of the gates, int32 ``[G, 3]``, and
    ``rows`` int64 ``[n]``. Gates are int64 ``[m]``.
    """
    count, made = len(inputs), 0
    order, seen = np.empty(count, np.int64), np.zeros(count, np.bool_)
    stack = np.empty(3 * count + 1, np.int64)
    for index in range(len(rows)):
        if rows[index] < first or seen[rows[index] - first]:
            continue
        stack[0] = rows[index] - first
        depth = 1
        while depth > 0:
            gate = stack[depth - 1]
            if seen[gate]:
                depth -= 1
                continue
            waiting = False
            for place in range(3):
                below = inputs[gate, 2 - place] - first
                if below >= 0 and not seen[below]:
                    stack[depth] = below
                    depth += 1
                    waiting = True
            if not waiting:
                seen[gate] = True
                order[made] = gate
                made += 1
                depth -= 1
    return order[:made]
