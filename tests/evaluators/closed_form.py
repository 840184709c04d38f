"""The weight of C-IL2P as a function of alpha, and the alpha for which it is least."""

from __future__ import annotations

import math

from neurogame.evaluators.cilp_weights import DEFAULT_ALPHA


def sound_weight_of_alpha(k: int, alpha: float = DEFAULT_ALPHA, beta: float = 1.0) -> float:
    """Return the same weight in closed form, ``ln((k + 1) / alpha - 1) / (beta (1 - alpha))``.

    Args:
        k: largest number of children of a node, at least 1.
        alpha: in the open (0, 1).
        beta: steepness of the activation, positive.

    *Reference:* equation (5) put into equation (4).
    """
    return math.log((k + 1) / alpha - 1.0) / (beta * (1.0 - alpha))


def best_alpha(k: int) -> float:
    """Return the alpha with the smallest sound weight for nodes of up to ``k`` children.

    The paper reports "0.15 to 0.3", which holds for k from 4 to 43 only; its fixed 0.2 costs
    at most 6 % more weight for every k from 2 to 1000.

    Args:
        k: largest number of children of a node, at least 2 (at 1 the weight falls all the way).
    """

    def slope(alpha: float) -> float:
        return math.log((k + 1) / alpha - 1.0) - (1.0 - alpha) * (k + 1) / (alpha * (k + 1 - alpha))

    low, high = 1e-9, 1.0 - 1e-9
    for _ in range(200):
        middle = 0.5 * (low + high)
        # Below the minimiser the weight still falls: its derivative has the sign of `slope`.
        if slope(middle) < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
