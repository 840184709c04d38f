"""How far forecasts can be taken at their word: reliability curve, Brier score, expected error.

*Reference:* Brier, "Verification of forecasts expressed in terms of probability" (1950); Guo et
al., "On calibration of modern neural networks" (2017), for the expected calibration error; Platt,
"Probabilistic outputs for support vector machines" (1999), for the logistic recalibration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Float64s1, Int64s1

_LEAST = 1e-6
"""Values are kept this far from 0 and 1 before their log-odds are taken."""
_STEPS, _SHORTEST = 100, 1e-9
"""Newton steps of a recalibration, at most, and which are too short to matter."""
_PULL = 1e-3
"""How much a correction is pulled towards none."""


@final
@dataclass(frozen=True, kw_only=True)
class ReliabilityBin:
    """Forecasts in one range.

    Attributes:
        low: least forecast of the range, 0..1.
        high: where the next range begins; 1 belongs to the last.
        count: forecasts in it, at least 1.
        forecast: their mean, 0..1.
        outcome: mean of what came, 0..1.
    """

    low: float
    high: float
    count: int
    forecast: float
    outcome: float


@final
@dataclass(frozen=True, kw_only=True)
class Reliability:
    """What a number of forecasts were worth.

    Attributes:
        count: number of forecasts.
        brier: mean squared difference between forecast and outcome, 0..1.
        constant: what the Brier score would be if every forecast were the mean outcome.
        error: expected calibration error, 0..1: mean over forecasts of how far the mean forecast
            of their bin is from its mean outcome.
        loss: mean log-loss, in nats: the cross-entropy between outcome and forecast.
        absolute: mean absolute difference between forecast and outcome, 0..1.
        bins: of equal widths, those in which there is a forecast; ascending.
    """

    count: int
    brier: float
    constant: float
    error: float
    loss: float
    absolute: float
    bins: tuple[ReliabilityBin, ...]


@final
@dataclass(frozen=True, kw_only=True)
class Recalibration:
    """A correction ``sigmoid(slope logit(v) + shift)`` of forecasts ``v``.

    Attributes:
        slope: below 1 where forecasts are too sure, above 1 where they are not sure enough.
        shift: in log-odds, above 0 where outcomes are better than forecasts.
    """

    slope: float
    shift: float

    def __call__(self, forecasts: Float64s1) -> Float64s1:
        """Return the corrected forecasts; float64 ``[N]`` in 0..1."""
        return _sigmoid(self.slope * log_odds(forecasts) + self.shift)


def log_odds(values: Float64s1) -> Float64s1:
    """Return the log-odds of values, float64 of any shape; 0 and 1 count as nearly so."""
    sure = np.clip(values, _LEAST, 1 - _LEAST)
    return np.log(sure / (1 - sure))


def reliability(forecasts: Float64s1, outcomes: Float64s1, bins: int = 10) -> Reliability:
    """Compare forecasts with what came.

    Args:
        forecasts: float64 ``[N]`` in 0..1, at least one.
        outcomes: float64 ``[N]`` in 0..1; of games the goals / 100.
        bins: number of ranges of equal width, at least 1.

    >>> found = reliability(np.array([0.2, 0.8]), np.array([0.0, 1.0]))
    >>> round(found.brier, 2), round(found.error, 2)
    (0.04, 0.2)
    """
    number = np.minimum((forecasts * bins).astype(np.int64), bins - 1)
    counts = np.bincount(number, minlength=bins)
    said = np.bincount(number, forecasts, bins) / np.maximum(counts, 1)
    came = np.bincount(number, outcomes, bins) / np.maximum(counts, 1)
    return Reliability(
        count=len(forecasts),
        brier=float(np.mean((forecasts - outcomes) ** 2)),
        constant=float(outcomes.var()),
        error=float((counts * np.abs(said - came)).sum() / len(forecasts)),
        loss=float(_log_losses(log_odds(forecasts), outcomes).mean()),
        absolute=float(np.abs(forecasts - outcomes).mean()),
        bins=tuple(
            ReliabilityBin(
                low=i / bins,
                high=(i + 1) / bins,
                count=int(counts[i]),
                forecast=float(said[i]),
                outcome=float(came[i]),
            )
            for i in np.flatnonzero(counts).tolist()
        ),
    )


def fit_recalibration(forecasts: Float64s1, outcomes: Float64s1) -> Recalibration:
    """Return the correction under which the outcomes are most likely, by Newton's method.

    A small pull towards no correction keeps it finite where forecasts tell outcomes perfectly.

    Args:
        forecasts: float64 ``[N]`` in 0..1, at least one.
        outcomes: float64 ``[N]`` in 0..1.
    """
    inputs = np.stack([log_odds(forecasts), np.ones(len(forecasts))], axis=1)
    start = np.array([1.0, 0.0])

    def loss(weights: Float64s1) -> float:
        fit = _log_losses(inputs @ weights, outcomes)
        return float(fit.sum() + _PULL / 2 * ((weights - start) ** 2).sum())

    weights, cost = start, loss(start)
    for _ in range(_STEPS):
        chance = _sigmoid(inputs @ weights)
        slope = inputs.T @ (chance - outcomes) + _PULL * (weights - start)
        curve = (inputs * (chance * (1 - chance))[:, None]).T @ inputs + _PULL * np.eye(2)
        step = np.linalg.solve(curve, slope)
        # Where forecasts are all but certain the curve is flat, and a whole step overshoots.
        size = 1.0
        while size > _SHORTEST and loss(weights - size * step) > cost:
            size /= 2
        if size <= _SHORTEST or float(np.abs(step).max()) < _SHORTEST:
            break
        weights = weights - size * step
        cost = loss(weights)
    return Recalibration(slope=float(weights[0]), shift=float(weights[1]))


def spread_over_games(
    forecasts: Float64s1, outcomes: Float64s1, games: Int64s1
) -> tuple[float, float]:
    """Return the standard errors of Brier score and expected calibration error.

    Games are drawn with repetition, as the positions of one game have a common outcome.

    Args:
        forecasts: float64 ``[N]`` in 0..1.
        outcomes: float64 ``[N]`` in 0..1.
        games: the game of each; int64 ``[N]``.
    """
    _, place = np.unique(games, return_inverse=True)
    count = int(place.max()) + 1
    random = np.random.default_rng(0)
    drawn = []
    for _ in range(_DRAWS):
        times = np.bincount(random.integers(count, size=count), minlength=count)[place]
        drawn.append(reliability(forecasts.repeat(times), outcomes.repeat(times)))
    return float(np.std([one.brier for one in drawn])), float(np.std([one.error for one in drawn]))


_DRAWS = 100
"""Repetitions of the bootstrap."""


def _log_losses(odds: Float64s1, outcomes: Float64s1) -> Float64s1:
    losses: Float64s1 = np.logaddexp(0, odds) - outcomes * odds
    return losses


def _sigmoid(values: Float64s1) -> Float64s1:
    half: Float64s1 = 0.5 * (1 + np.tanh(values / 2))
    return half
