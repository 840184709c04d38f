"""The heuristics of a role in the order of what random games say of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.evaluators.heuristic.heuristic import FeatureHeuristic, all_heuristics
from neurogame.features.correlation import correlations_of
from neurogame.features.evidence import FeatureEvidence

_ALIKE = 0.95
"""Correlation with a better heuristic from which on one comes after all that say something else."""


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class RankedHeuristic:
    """A heuristic with what random games say of it, for one role.

    Attributes:
        heuristic: the heuristic.
        strength: correlation with the role's goal at the end, in a random state of each quarter
            of the game, averaged; in -1..1.
    """

    heuristic: FeatureHeuristic
    strength: float

    def __str__(self) -> str:
        """Return its text and its strength."""
        return f"{self.heuristic} {self.strength:+.3f}"


def rank(evidence: FeatureEvidence, role: int) -> tuple[RankedHeuristic, ...]:
    """Return the candidate heuristics of a role, two for each feature, the strongest first.

    Those that go along with a better one come last, but before those that are worth less than
    nothing: the others are in their place.

    Args:
        evidence: on the features of the game.
        role: the role.
    """
    count = len(evidence.features)
    ranked: list[tuple[int, RankedHeuristic]] = []
    for number, heuristic in enumerate(all_heuristics(evidence.features)):
        k, sign = number // 2, 1.0 if heuristic.maximise else -1.0
        strength = sign * float(evidence.strength[k, role])
        ranked.append((k, RankedHeuristic(heuristic=heuristic, strength=strength)))
    ranked.sort(key=lambda pair: -pair[1].strength)
    alike = np.abs(correlations_of(evidence.covariance[:count, :count], 1e-9)) >= _ALIKE
    first: list[int] = []
    order: list[tuple[int, int, RankedHeuristic]] = []
    for place, (k, one) in enumerate(ranked):
        said = bool(alike[k, first].any())
        if not said and one.strength > 0:
            first.append(k)
        group = 2 if one.strength <= 0 else int(said)
        order.append((group, place, one))
    return tuple(one for _, _, one in sorted(order, key=lambda entry: entry[:2]))
