"""Gates that are still to be computed: a bit each."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.native.compiled import inner

_ONE = np.uint64(1)


@inner
def mark_uses(marks: Any, uses: Any, first: Any, last: Any) -> None:
    """Mark the gates that read a node: some of those listed."""
    for place in range(first, last):
        gate = np.uint64(uses[place])
        marks[gate >> np.uint64(6)] |= _ONE << (gate & np.uint64(63))
