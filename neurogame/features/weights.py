"""Weights under which features foretell the goals: linear discriminants of random games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Float32s, Float64s, Int64s
from neurogame.errors import GameError
from neurogame.features.evidence import FeatureEvidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.feature import Feature
from neurogame.features.selection import select

_RIDGE = 1e-3
"""What is added to the variance of each feature, as a share of it."""


@final
@dataclass(frozen=True, eq=False)
class WeightedFeatures:
    """Features, and what they add to the logarithm of the odds of goals.

    ``K`` features, ``O`` outputs.

    Attributes:
        features: none that reads moves or goals.
        weights: what each adds for every unit; float32 ``[O, K]``.
        constants: what is added in every state; float32 ``[O]``.
        opposed: whether there is one output, the first role's, and the second role's odds are the
            reverse; else there is one for each role.
    """

    features: tuple[Feature, ...]
    weights: Float32s
    constants: Float32s
    opposed: bool


def weigh(evidence: FeatureEvidence, config: EvidenceConfig | None = None) -> WeightedFeatures:
    """Return the features of a game that are worth their place, with their weights.

    The weights are those of Fisher's linear discriminant, which for goals of 0 and 100 are the
    logistic regression's if features are normally distributed. They need no more than the
    covariances that the evidence holds. Quarters of the game are compared with themselves only.

    Args:
        evidence: on the features of a game.
        config: what is strong and sure enough.

    Raises:
        GameError: none is.

    *Reference:* Hastie, Tibshirani and Friedman, "The elements of statistical learning", sections
    4.3 and 4.4.
    """
    selection = select(
        evidence.features,
        evidence.covariance,
        evidence.games,
        config or EvidenceConfig(),
        lambda feature: feature.reads_fluents_alone,
    )
    if not selection.chosen:
        raise GameError(
            f"none of {len(evidence.features)} features of this game tells who wins; take another "
            "evaluator, such as cilp"
        )
    count, chosen = len(evidence.features), list(selection.chosen)
    covariance, mean = evidence.covariance, evidence.mean
    goals = np.arange(count, len(mean))
    opposed = len(goals) == 2 and _always_one(covariance, mean, goals)
    between = covariance[np.ix_(chosen, chosen)]
    between = between + np.diag(_RIDGE * np.diagonal(between) + 1e-9)
    weights, constants = [], []
    for goal in goals[: 1 if opposed else len(goals)].tolist():
        share = float(mean[goal].clip(1e-3, 1 - 1e-3))
        coefficients = np.linalg.solve(between, covariance[chosen, goal]) / (share * (1 - share))
        weights.append(coefficients)
        constants.append(np.log(share / (1 - share)) - coefficients @ mean[chosen])
    return WeightedFeatures(
        features=tuple(evidence.features[k] for k in chosen),
        weights=np.array(weights, np.float32),
        constants=np.array(constants, np.float32),
        opposed=opposed,
    )


def _always_one(covariance: Float64s, mean: Float64s, goals: Int64s) -> bool:
    """Return whether the goals of two roles, 0..1, added up to 1 in all games."""
    spread = covariance[np.ix_(goals, goals)].sum()
    return bool(abs(spread) < 1e-9 and abs(mean[goals].sum() - 1) < 1e-6)
