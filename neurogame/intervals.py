"""Confidence intervals of proportions and of means."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""


def wilson_interval(successes: float, trials: float, z: float = Z95) -> tuple[float, float]:
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


def student_quantile(freedom: int) -> float:
    """Return the two-sided 95 % quantile of Student's t distribution.

    Exact for one and two degrees of freedom; above by an expansion around the normal quantile
    that is right to 0.12 % at three degrees of freedom and better for more.

    Args:
        freedom: degrees of freedom, at least 1.

    *Reference:* Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.

    >>> [round(student_quantile(n), 2) for n in (1, 2, 5, 30)]
    [12.71, 4.3, 2.57, 2.04]
    """
    if freedom == 1:
        return math.tan(0.475 * math.pi)
    if freedom == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    z = Z95
    terms: tuple[float, ...] = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, 1))


def mean_interval(blocks: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % confidence interval of a mean, by Student's t distribution.

    Args:
        blocks: independent observations; matches with a common seed are not independent, their
            mean is one observation.

    Returns:
        Lower and upper bound; None for fewer than two observations, or where all are equal:
        they do not show how much they vary, and an interval of no width would promise too much.
    """
    count = len(blocks)
    if count < 2 or min(blocks) == max(blocks):
        return None
    mean = math.fsum(blocks) / count
    variance = math.fsum((block - mean) ** 2 for block in blocks) / (count - 1)
    half = student_quantile(count - 1) * math.sqrt(variance / count)
    return mean - half, mean + half
