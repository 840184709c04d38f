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
    # The share itself always lies within, whatever rounding does.
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def clustered_variance(clusters: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return mean and variance of the mean of observations that come in clusters.

    One virtual cluster more, half of it 0 and half 1, keeps the variance above zero where all
    clusters are alike, and moves the mean a little towards one half.

    Args:
        clusters: observations in 0..1; those of a cluster depend on each other, clusters do not.
            At least one observation.
    """
    sums, sizes = [math.fsum(one) for one in clusters], [len(one) for one in clusters]
    virtual, count = max(sizes), sum(sizes)
    mean = (math.fsum(sums) + virtual / 2) / (count + virtual)
    squares = math.fsum((p - mean * n) ** 2 for p, n in zip(sums, sizes, strict=True))
    squares += virtual**2 * (mean**2 + (1 - mean) ** 2) / 2
    return mean, squares / (count + virtual) ** 2


def paired_interval(
    clusters: Sequence[Sequence[float]], distinct: int | None = None
) -> tuple[float, float]:
    """Return the 95 % interval of a score from matches that come in pairs or larger clusters.

    The matches of an opening, one in each role order, are a cluster: whoever has the better role
    may win all of them, and then they say for certain that nobody is better; or their results may
    depend on the opening alone, and then they say no more than one match. So the variance is that
    between clusters. The interval is Wilson's for the number of independent matches that would
    have this variance, with Student's quantile: it never leaves 0..1, and where all or nothing was
    won it is as wide as if each cluster were little more than one match.

    Args:
        clusters: per opening the points of its matches, each 0..1; clusters may differ in length.
        distinct: number of clusters that differ from all others: the same match played again
            tells nothing new. None: all do.

    Returns:
        Lower and upper bound in 0..1; (0, 1) without any match.

    *References:* Korn and Graubard, Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data, Survey Methodology 24 (1998); Dean and
    Pagano, Evaluating confidence interval methods for binomial proportions in clustered surveys,
    JSSM 3 (2015).

    >>> [round(bound, 2) for bound in paired_interval([[1, 0]] * 20)]
    [0.45, 0.55]
    >>> [round(bound, 2) for bound in paired_interval([[1, 1], [0, 0]] * 10)]
    [0.29, 0.71]
    """
    filled = [one for one in clusters if one]
    if not filled:
        return 0.0, 1.0
    score = math.fsum(map(math.fsum, filled)) / sum(map(len, filled))
    different = len(filled) if distinct is None else min(distinct, len(filled))
    mean, variance = clustered_variance(filled)
    trials = mean * (1 - mean) / variance * different / len(filled)
    # The virtual cluster is one of those that the variance is estimated from.
    return wilson_interval(score * trials, trials, student_quantile(different))


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
    return _around_mean(blocks, student_quantile(count - 1))


def normal_interval(observations: Sequence[float]) -> tuple[float, float] | None:
    """Return the mean less and more 1.96 standard errors: the usual interval of published tables.

    It takes matches for independent of each other, which those of an opening are not: see
    :func:`paired_interval` and :func:`mean_interval`.

    Args:
        observations: one for each match.

    Returns:
        Lower and upper bound; None for fewer than two observations.

    >>> [round(bound, 1) for bound in normal_interval([0, 100, 100, 50])]
    [15.6, 109.4]
    """
    return None if len(observations) < 2 else _around_mean(observations, Z95)


def _around_mean(observations: Sequence[float], quantile: float) -> tuple[float, float]:
    """Return the mean of two or more less and more so many standard errors."""
    count = len(observations)
    mean = math.fsum(observations) / count
    variance = math.fsum((one - mean) ** 2 for one in observations) / (count - 1)
    half = quantile * math.sqrt(variance / count)
    return mean - half, mean + half
