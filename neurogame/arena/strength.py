"""Elo differences and likelihoods of superiority from results of matches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import final

from neurogame.intervals import clustered_variance, wilson_interval

ELO = 400 / math.log(10)
"""Elo points by which the odds of a point are e times as high."""


def elo_difference(score: float) -> float:
    """Return the difference in Elo at which a score is expected.

    Args:
        score: points per match, above 0 and below 1.

    *Reference:* Elo, The Rating of Chessplayers, Past and Present (1978), with the logistic
    curve that is in use today.

    >>> round(elo_difference(0.75), 1)
    190.8
    """
    return ELO * math.log(score / (1 - score))


def expected_score(elo: float) -> float:
    """Return the points per match that a difference in Elo lets expect; the inverse function.

    Args:
        elo: difference in Elo.

    >>> round(expected_score(50), 4)
    0.5715
    """
    return 1 / (1 + math.exp(-elo / ELO))


@final
@dataclass(frozen=True, kw_only=True)
class Strength:
    """How much stronger one side is than the other, and how sure that is.

    Attributes:
        elo: difference in Elo; a score of 0 or 100 % counts as a quarter of a point more or
            less, so that it stays finite and above that of every lower score.
        elo_ci95: its 95 % interval.
        superiority: likelihood of superiority, 0..1: how likely the true score is above one
            half.
    """

    elo: float
    elo_ci95: tuple[float, float]
    superiority: float


def strength(blocks: Sequence[Sequence[float]], distinct: int | None = None) -> Strength | None:
    """Estimate a difference in strength from blocks of matches with a common seed.

    Matches of a block depend on each other: whoever has the better role may win both. So the
    variance is that of the blocks' totals; for pairs with wins, draws and losses this is the
    pentanomial variance. One virtual block more, half won and half lost, keeps it above zero
    when all blocks are alike. The interval is Wilson's, for the number of independent matches
    that would have this variance.

    Args:
        blocks: per block the points of the matches in it, each in 0..1; blocks may differ in
            length.
        distinct: number of blocks that differ from all others; those that repeat one tell nothing
            new. None: all do.

    Returns:
        The estimate, or None without any match.

    *Reference:* Dean and Pagano, Evaluating confidence interval methods for binomial
    proportions in clustered surveys, JSSM 3 (2015): Wilson's interval with an effective number
    of trials.
    """
    total, count = math.fsum(map(math.fsum, blocks)), sum(map(len, blocks))
    if count == 0:
        return None
    centre, variance = clustered_variance(blocks)
    if distinct is not None:
        variance *= len(blocks) / distinct
    effective = centre * (1 - centre) / variance
    score = min(max(total / count, 0.25 / count), 1 - 0.25 / count)
    low, high = wilson_interval(score * effective, effective)
    return Strength(
        elo=elo_difference(score),
        elo_ci95=(elo_difference(low), elo_difference(high)),
        superiority=NormalDist().cdf((centre - 0.5) / math.sqrt(variance)),
    )
