"""The weights that turn a logical formula into neurons: equations (1)-(6) of C-IL2P.

``k`` is the largest number of children of any node of the formula, ``n`` the number of children
of one node, ``A`` the truth threshold A_min: outputs in ``(A, 1]`` mean true, in ``[-1, -A)``
false. Thresholds are *bias weights*: they are added to the weighted sum of the children.

*Reference:* Michulke & Thielscher, "Neural Networks for State Evaluation in General Game
Playing", section 3.2; d'Avila Garcez et al., "Neural-Symbolic Learning Systems", 2002.
"""

from __future__ import annotations

import math

from neurogame.errors import ConfigurationError

DEFAULT_ALPHA = 0.2


def a_min_bound(k: int) -> float:
    """Return the lower bound that A_min has to exceed, ``(k - 1) / (k + 1)``.

    Args:
        k: largest number of children of a node, at least 1.

    *Reference:* equation (3). It says that ``k (A - 1) + A + 1`` is positive.
    """
    if k < 1:
        raise ConfigurationError(f"a node has {k} children; a formula's node has at least 1")
    return (k - 1) / (k + 1)


def a_min(k: int, alpha: float = DEFAULT_ALPHA) -> float:
    """Return the truth threshold A_min, ``1 - 2 alpha / (k + 1)``.

    Args:
        k: largest number of children of a node, at least 1.
        alpha: where A_min lies between 1 (0) and its lower bound (1); in the open (0, 1).

    *Reference:* equations (5) and (6).
    """
    if not 0.0 < alpha < 1.0:
        raise ConfigurationError(f"alpha is {alpha}; it must lie strictly between 0 and 1")
    return (a_min_bound(k) - 1.0) * alpha + 1.0


def sound_weight(k: int, threshold: float, beta: float = 1.0) -> float:
    """Return the smallest weight that keeps the network logically sound.

    Args:
        k: largest number of children of a node, at least 1.
        threshold: A_min, strictly between its bound of equation (3) and 1.
        beta: steepness of the activation, positive.

    *Reference:* equation (4).
    """
    if not a_min_bound(k) < threshold < 1.0:
        raise ConfigurationError(
            f"A_min is {threshold}; for nodes of up to {k} children it must lie strictly "
            f"between {a_min_bound(k)} and 1 (equation 3)"
        )
    if beta <= 0.0:
        raise ConfigurationError(f"beta is {beta}; the steepness must be positive")
    logarithm = math.log1p(threshold) - math.log1p(-threshold)
    return 2.0 / beta * logarithm / (k * (threshold - 1.0) + threshold + 1.0)


def disjunction_bias(n: int, threshold: float, weight: float) -> float:
    """Return the bias weight of a disjunction of ``n`` children.

    Args:
        n: number of children, at least 1.
        threshold: A_min.
        weight: W, the absolute weight of every edge.

    *Reference:* equation (1).
    """
    return (1.0 + threshold) * (n - 1) / 2.0 * weight


def conjunction_bias(n: int, threshold: float, weight: float) -> float:
    """Return the bias weight of a conjunction of ``n`` children.

    Args:
        n: number of children, at least 1.
        threshold: A_min.
        weight: W, the absolute weight of every edge.

    *Reference:* equation (2).
    """
    return (1.0 + threshold) * (1 - n) / 2.0 * weight
