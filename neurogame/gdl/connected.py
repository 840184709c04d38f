"""Which nodes are connected, by arrays of links."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s, Int64s1


def least_connected(count: int, one: Int64s, other: Int64s) -> Int64s1:
    """Return for each node the least one that it is connected with; int64 ``[count]``.

    Args:
        count: the nodes are ``0 .. count - 1``.
        one: an end of each link; int64 ``[n]``.
        other: its other end; int64 ``[n]``.
    """
    label = np.arange(count)
    while True:
        least = np.minimum(label[one], label[other])
        lower = label.copy()
        # Labels are nodes: what is known of one holds of all that have its label.
        np.minimum.at(lower, label[one], least)
        np.minimum.at(lower, label[other], least)
        lower = lower[lower]
        if np.array_equal(lower, label):
            return label
        label = lower
