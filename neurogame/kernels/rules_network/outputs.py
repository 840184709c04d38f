"""From outputs to values of roles."""

from __future__ import annotations

import math

import numpy as np

from neurogame.array_types import Float32s1
from neurogame.kernels.rules_network.limits import LEAST, MOST
from neurogame.kernels.rules_network.weights import RulesNetworkWeights
from neurogame.native.compiled import inner

_ONE = np.float32(1)


@inner
def logit(value: float) -> float:
    """Return the logarithm of a value's odds; finite."""
    cut = min(max(np.float64(value), LEAST), 1 - LEAST)
    return math.log(cut / (1 - cut))


@inner
def added(network: RulesNetworkWeights, outputs: Float32s1, role: int) -> float:
    """Return the logit of a role's value.

    Args:
        network: the weights.
        outputs: what tables and hidden units add; float32 ``[O]``.
        role: the role.
    """
    if network.opposed != 0:
        total = np.float64(outputs[0])
        if role != 0:
            total = -total
    else:
        total = np.float64(outputs[role])
    return min(max(total, -MOST), MOST)


@inner
def value_of(logit: float) -> np.float32:
    """Return the value that has a logit."""
    odds = np.float32(math.exp(logit))
    return odds / (odds + _ONE)
