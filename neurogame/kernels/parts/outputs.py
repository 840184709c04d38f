"""From the logic's values and what the parts add to values of roles."""

from __future__ import annotations

import math

import numpy as np

from neurogame.array_types import Float32s1, Float32s2
from neurogame.kernels.parts.limits import LEAST, MOST
from neurogame.kernels.parts.parts import PartWeights
from neurogame.native.compiled import inner

_ONE = np.float32(1)


@inner
def logit(value: float) -> float:
    """Return the logarithm of a value's odds; finite."""
    cut = min(max(np.float64(value), LEAST), 1 - LEAST)
    return math.log(cut / (1 - cut))


@inner
def added(parts: PartWeights, outputs: Float32s1, logic: Float32s2, row: int, role: int) -> float:
    """Return what is added to the logit of a role's value.

    Args:
        parts: the weights.
        outputs: what tables and hidden units add; float32 ``[O]``.
        logic: values of the goal networks, 0.5 where there are none; float32 ``[N, R]``.
        row: which of them.
        role: the role.
    """
    if parts.opposed != 0:
        total = np.float64(outputs[0])
        if role != 0:
            total = -total
    else:
        total = np.float64(outputs[role])
    if parts.gain[role] != 0:
        total += np.float64(parts.gain[role]) * logit(logic[row, role])
    return min(max(total, -MOST), MOST)


@inner
def joined(value: float, added: float) -> np.float32:
    """Return a value whose logit has been raised; the value itself, to the bit, if by 0."""
    odds = np.float32(math.exp(added)) * np.float32(value)
    return odds / (odds + (_ONE - np.float32(value)))
