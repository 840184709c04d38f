"""States as rows of bits, one after the other: how they are kept, compared and picked out."""

from __future__ import annotations

import numpy as np
import torch

from neurogame.array_types import Int64s1, UInt64s2
from neurogame.kernels.lane_rows import SPACE, from_lanes, to_lanes
from neurogame.kernels.words.pack import word_count
from neurogame.simulate.states import StateBatch


def rows_of(states: StateBatch) -> UInt64s2:
    """Return states as rows, fluent ``f`` being bit ``f % 64`` of word ``f // 64``.

    Args:
        states: ``B`` states on the CPU.

    Returns:
        uint64 ``[B, ceil(F / 64)]``; the bits beyond ``F`` are zero.
    """
    signals = len(states.words)
    rows = np.empty((len(states), word_count(signals)), np.uint64)
    from_lanes(states.words.numpy(), np.arange(signals), rows, np.zeros(SPACE, np.uint64))
    return rows


def states_of(rows: UInt64s2, index: Int64s1, fluents: int) -> StateBatch:
    """Return chosen rows as states, in any order, with repetition if wanted.

    Args:
        rows: as :func:`rows_of` gives them.
        index: of each state its row, which is not checked; int64 ``[K]``, contiguous.
        fluents: number of fluents, ``F``.
    """
    words = np.empty((fluents, word_count(len(index))), np.int64)
    to_lanes(rows, index, words, np.zeros(SPACE, np.uint64))
    return StateBatch(torch.from_numpy(words), len(index))
