"""Confidence intervals for results of matches."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""


def wilson_interval(successes: float, trials: int, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of a proportion.

    Args:
        successes: number of successes, 0..trials; may be fractional where a draw counts as
            half, the interval is then somewhat too wide (draws vary less than wins and losses).
        trials: number of trials, at least 0; without any the interval is (0, 1).
        z: quantile of the normal distribution.

    Returns:
        Lower and upper bound in 0..1.

    *Reference:* Wilson, Probable inference, the law of succession, and statistical inference,
    JASA 22 (1927).

    >>> [round(bound, 4) for bound in wilson_interval(8, 10)]
    [0.4902, 0.9433]
    """
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, centre - half), min(1.0, centre + half)


def mean_interval(blocks: Sequence[float], z: float = Z95) -> tuple[float, float] | None:
    """Return the normal confidence interval of a mean.

    Args:
        blocks: independent observations; matches with a common seed are not independent, their
            mean is one observation.
        z: quantile of the normal distribution.

    Returns:
        Lower and upper bound, or None for fewer than two observations.
    """
    count = len(blocks)
    if count < 2:
        return None
    mean = math.fsum(blocks) / count
    variance = math.fsum((block - mean) ** 2 for block in blocks) / (count - 1)
    half = z * math.sqrt(variance / count)
    return mean - half, mean + half
