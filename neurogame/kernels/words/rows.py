"""States, or legal moves, packed one row each: bit ``i % 64`` of word ``i // 64`` is flag ``i``."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import UInt64s
from neurogame.graph.lanes import pack_lanes, unpack_lanes
from neurogame.kernels.words.random_words import mix, signed
from neurogame.splitmix import G1


def pack_rows(flags: Tensor) -> UInt64s:
    """Pack one row of flags per state.

    Args:
        flags: bool ``[N, S]``.

    Returns:
        uint64 ``[N, ceil(S / 64)]``; the bits beyond ``S`` are zero.
    """
    return pack_lanes(flags.numpy())


def hash_states(states: UInt64s) -> UInt64s:
    """Return a hash of each packed state; uint64 ``[N]``.

    Every word is added to the hash of those before it and scrambled.
    """
    words = torch.from_numpy(states.view(np.int64))
    total = torch.zeros(len(states), dtype=torch.int64)
    for place in range(words.shape[1]):
        total = mix(total + words[:, place] + signed((place + 1) * G1))
    return total.numpy().view(np.uint64)


def unpack_rows(packed: UInt64s, signals: int) -> Tensor:
    """Return the flags of packed rows; bool ``[N, signals]``."""
    return torch.from_numpy(unpack_lanes(packed, signals))
