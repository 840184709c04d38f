"""One rating list for many players: maximum likelihood Elo from comparisons in pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.arena.strength import ELO
from neurogame.array_types import Float64s
from neurogame.intervals import Z95

_STEPS = 100
_PRECISE = 1e-10
_LONGEST_STEP = 1.0


@final
@dataclass(frozen=True)
class PairedComparison:
    """One player's result against another.

    Attributes:
        cluster: comparisons with the same cluster depend on each other; those of all matches
            with a common seed have the same one.
        first: number of a player.
        second: number of another player.
        points: 1 if the first did better, 0.5 if equal, 0 if worse.
    """

    cluster: Hashable
    first: int
    second: int
    points: float


@final
@dataclass(frozen=True, kw_only=True)
class RatingList:
    """Elo ratings of all players, the best first.

    Attributes:
        game: the game, or None for all games together.
        limit: text of the common limit.
        players: labels.
        elo: ratings; their mean is 0.
        elo_ci95: 95 % interval of each rating.
        comparisons: how many comparisons with another player each rating rests on.
    """

    game: str | None
    limit: str
    players: tuple[str, ...]
    elo: tuple[float, ...]
    elo_ci95: tuple[tuple[float, float], ...]
    comparisons: tuple[int, ...]


def rating_list(
    labels: Sequence[str],
    comparisons: Sequence[PairedComparison],
    *,
    game: str | None = None,
    limit: str = "",
) -> RatingList:
    """Rate players by all their comparisons at once.

    The model is that of Bradley and Terry: a player whose rating is higher by d gets
    1 / (1 + 10 ** (-d / 400)) points per comparison; a draw is half a win. Each two players
    have one virtual comparison more, half won and half lost, so that ratings stay finite where
    somebody won or lost everything.

    Intervals are by the Fisher information, corrected for dependence (the sandwich estimator):
    what the comparisons of a cluster say together counts as one observation. Each two players
    have one virtual cluster more, half won and half lost, as in
    :func:`neurogame.arena.strength.strength`.

    Args:
        labels: the players' labels; there are at least two.
        comparisons: results; at least one.
        game: noted in the list.
        limit: noted in the list.

    *References:* Bradley and Terry, Rank analysis of incomplete block designs, Biometrika 39
    (1952); Liang and Zeger, Longitudinal data analysis using generalized linear models,
    Biometrika 73 (1986), for the sandwich.
    """
    count = len(labels)
    played, points = _matrices(count, comparisons)
    ratings = _most_likely(played, points)
    covariance = _covariance(ratings, played, comparisons)
    errors = Z95 * np.sqrt(np.diag(covariance))
    order = sorted(range(count), key=lambda player: (-ratings[player], player))
    return RatingList(
        game=game,
        limit=limit,
        players=tuple(labels[p] for p in order),
        elo=tuple(ELO * float(ratings[p]) for p in order),
        elo_ci95=tuple(
            (
                ELO * float(ratings[p] - errors[p]),
                ELO * float(ratings[p] + errors[p]),
            )
            for p in order
        ),
        comparisons=tuple(sum(p in (c.first, c.second) for c in comparisons) for p in order),
    )


def _matrices(count: int, comparisons: Sequence[PairedComparison]) -> tuple[Float64s, Float64s]:
    """Return comparisons and points of each player against each, the virtual ones included."""
    played = np.ones((count, count)) - np.eye(count)
    points = played / 2
    for comparison in comparisons:
        played[comparison.first, comparison.second] += 1
        played[comparison.second, comparison.first] += 1
        points[comparison.first, comparison.second] += comparison.points
        points[comparison.second, comparison.first] += 1 - comparison.points
    return played, points


def _expected(ratings: Float64s) -> Float64s:
    """Return the points that each player is expected to get against each."""
    return np.asarray(1 / (1 + np.exp(ratings[None, :] - ratings[:, None])))


def _information(ratings: Float64s, played: Float64s) -> Float64s:
    """Return the Fisher information: minus the second derivatives of the log-likelihood."""
    expected = _expected(ratings)
    weights = played * expected * (1 - expected)
    return np.asarray(np.diag(weights.sum(axis=1)) - weights)


def _most_likely(played: Float64s, points: Float64s) -> Float64s:
    """Return the ratings of mean 0 that make the results most likely, in units of log odds."""
    ratings = np.zeros(len(played))
    for _ in range(_STEPS):
        slope = (points - played * _expected(ratings)).sum(axis=1)
        # The pseudo-inverse keeps the mean: adding the same to all ratings changes nothing.
        step = np.linalg.pinv(_information(ratings, played), hermitian=True) @ slope
        longest = float(np.abs(step).max())
        ratings = ratings + step * min(1.0, _LONGEST_STEP / max(longest, _PRECISE))
        if longest < _PRECISE:
            break
    return np.asarray(ratings - ratings.mean())


def _covariance(
    ratings: Float64s, played: Float64s, comparisons: Sequence[PairedComparison]
) -> Float64s:
    """Return the sandwich estimate of the ratings' covariance."""
    count = len(ratings)
    expected = _expected(ratings)
    clusters = dict.fromkeys(comparison.cluster for comparison in comparisons)
    rows = {cluster: row for row, cluster in enumerate(clusters)}
    slopes = np.zeros((len(rows), count))
    sizes: Counter[tuple[Hashable, int, int]] = Counter()
    for comparison in comparisons:
        surprise = comparison.points - expected[comparison.first, comparison.second]
        slopes[rows[comparison.cluster], comparison.first] += surprise
        slopes[rows[comparison.cluster], comparison.second] -= surprise
        sizes[comparison.cluster, comparison.first, comparison.second] += 1
    middle = slopes.T @ slopes
    size = max(sizes.values(), default=1)
    spread = size**2 * (expected**2 + (1 - expected) ** 2) / 2
    np.fill_diagonal(spread, 0.0)
    middle += np.diag(spread.sum(axis=1)) - spread
    bread = np.linalg.pinv(_information(ratings, played), hermitian=True)
    return np.asarray(bread @ middle @ bread)
