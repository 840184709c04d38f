"""Groups of values stored one after the other: ``values[start[g]:start[g + 1]]`` is group g."""

from __future__ import annotations

import numpy as np

from neurogame.ground.atoms import IntArray


def group_starts(sizes: IntArray) -> IntArray:
    """Return where each group starts, and the total at the end; int64 ``[n + 1]``."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def gather_groups(start: IntArray, values: IntArray, groups: IntArray) -> IntArray:
    """Concatenate the values of some groups, in the order in which they are named."""
    sizes = start[groups + 1] - start[groups]
    offset = np.repeat(start[groups] - (np.cumsum(sizes) - sizes), sizes)
    gathered: IntArray = values[np.arange(len(offset)) + offset]
    return gathered
