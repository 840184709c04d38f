"""Gates that are still to be computed: a bit each."""

from __future__ import annotations

import numpy as np

from neurogame.kernels.native.compiled import inner
from neurogame.kernels.native.layout import UInt32s1, UInt64s1

_ONE = np.uint64(1)


@inner
def mark_uses(marks: UInt64s1, uses: UInt32s1, first: int, last: int) -> None:
    """Mark the gates that read a node: some of those listed."""
    for place in range(first, last):
        gate = np.uint64(uses[place])
        marks[gate >> np.uint64(6)] |= _ONE << (gate & np.uint64(63))
