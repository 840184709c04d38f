"""Which features are worth their place: what each adds to those already chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import final

import numpy as np

from neurogame.array_types import Float64s
from neurogame.features.correlation import correlations_of, fisher_interval
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.feature import Feature


@final
@dataclass(frozen=True)
class ChosenFeatures:
    """Features that are chosen, and why the others are not.

    Attributes:
        chosen: their numbers, in the order of choice.
        adds: correlation of each with a role's goal, the largest one, once what the features
            chosen before say of both is taken away; in -1..1, in the order of choice.
        reasons: a text for each feature, empty where chosen.
    """

    chosen: tuple[int, ...]
    adds: tuple[float, ...]
    reasons: tuple[str, ...]


def select(
    features: Sequence[Feature],
    covariance: Float64s,
    games: int,
    config: EvidenceConfig,
    fit: Callable[[Feature], bool] = lambda feature: True,
) -> ChosenFeatures:
    """Choose features one by one, each time the one that adds most to those before.

    So a feature is chosen that says nothing by itself but much beside another one, as coins do
    beside what they have bought, and one that others say is not.

    Args:
        features: ``K`` candidates.
        covariance: of them and of the goals of ``R`` roles; float64 ``[K + R, K + R]``.
        games: on which it rests.
        config: what is strong, sure, and alike.
        fit: whether a feature can be used at all.

    *Reference:* Draper and Smith, "Applied regression analysis", forward selection.
    """
    count = len(features)
    left = covariance.astype(np.float64).copy()
    first = np.diagonal(covariance).copy()
    goals = first[count:] > 0
    z = NormalDist().inv_cdf(1 - config.doubt / (2 * count * max(len(goals), 1)))
    fits = np.array([fit(feature) for feature in features], np.bool_)
    open_ = fits & (first[:count] > 0)
    chosen: list[int] = []
    adds: list[float] = []
    while open_.any() and goals.any():
        partial = correlations_of(left, 1e-9)[:count, count:][:, goals]
        partial[~open_] = 0
        best, role = np.unravel_index(np.abs(partial).argmax(), partial.shape)
        value = partial[best, role]
        low, high = fisher_interval(np.array([value]), games, z)
        if abs(value) < config.weakest or low[0] <= 0 <= high[0]:
            break
        chosen.append(int(best))
        adds.append(float(value))
        left -= np.outer(left[:, best], left[best]) / left[best, best]
        open_[best] = False
        open_ &= np.diagonal(left)[:count] > (1 - config.alike**2) * first[:count]
    said = np.diagonal(left)[:count] <= (1 - config.alike**2) * first[:count]
    reasons = []
    for k in range(count):
        if k in chosen:
            reasons.append("")
        elif not fits[k]:
            reasons.append("cannot be used here")
        elif first[k] <= 0:
            reasons.append("never changes")
        elif said[k]:
            reasons.append("those chosen say it")
        else:
            reasons.append("adds too little, or by luck")
    return ChosenFeatures(tuple(chosen), tuple(adds), tuple(reasons))
