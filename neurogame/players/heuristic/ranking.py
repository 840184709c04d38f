"""The heuristics of a role in the order of what random games say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Float64s
from neurogame.evaluators.heuristic.heuristic import FeatureHeuristic, all_heuristics, value_range
from neurogame.features.correlation import correlations_of
from neurogame.features.evidence import FeatureEvidence
from neurogame.features.play import PHASES

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
        quarters: the same for each quarter; float64 ``[PHASES]``.
        offset: the goal, 0..1, that may be expected where the heuristic's value is 0.
        slope: by how much more for every unit of its value; at least 0.
        spread: standard deviation of the goal that may be expected, in states of random games.
        range: the least and the most of its value.
    """

    heuristic: FeatureHeuristic
    strength: float
    quarters: Float64s
    offset: float
    slope: float
    spread: float
    range: tuple[float, float]

    def __str__(self) -> str:
        """Return its text and its strength."""
        return f"{self.heuristic} {self.strength:+.3f}"

    def expected(self, value: float) -> float:
        """Return the goal, 0..1, that may be expected where a search has found a value.

        So values of different heuristics can be compared. What lies outside a heuristic's range
        is no estimate but a goal.
        """
        low, high = self.range
        if value < low - 1e-6 or value > high + 1e-6:
            return value
        return min(max(self.offset + self.slope * value, low), high)


def rank(evidence: FeatureEvidence, role: int, goals: Sequence[int]) -> tuple[RankedHeuristic, ...]:
    """Return the candidate heuristics of a role, two for each feature, the strongest first.

    Those that go along with a better one come last, but before those that are worth less than
    nothing: the others are in their place.

    Args:
        evidence: on the features of the game.
        role: the role.
        goals: values that the rules name for it, 0..100; at least one.
    """
    count = len(evidence.features)
    goal = count + role
    spreads = np.sqrt(np.maximum(np.diagonal(evidence.covariance), 0.0))
    found: list[tuple[int, RankedHeuristic]] = []
    for number, heuristic in enumerate(all_heuristics(evidence.features)):
        k, sign = number // 2, 1.0 if heuristic.maximise else -1.0
        base, rise = heuristic.line(goals)
        varies = spreads[k] > 1e-9 and rise != 0
        moved = float(evidence.covariance[k, goal] / spreads[k] ** 2) if varies else 0.0
        # With the sign of the direction: who maximises believes that more is better.
        slope = abs(moved / rise) if varies else 0.0
        mean = base + rise * float(evidence.mean[k])
        one = RankedHeuristic(
            heuristic=heuristic,
            strength=sign * float(evidence.strength[k, role]),
            quarters=sign * evidence.phases[:, k, role],
            offset=float(evidence.mean[goal]) - slope * mean,
            slope=slope,
            spread=abs(moved) * float(spreads[k]),
            range=value_range(goals),
        )
        found.append((k, one))
    found.sort(key=lambda pair: -pair[1].strength)
    alike = np.abs(correlations_of(evidence.covariance[:count, :count], 1e-9)) >= _ALIKE
    first: list[int] = []
    order: list[tuple[int, int, RankedHeuristic]] = []
    for place, (k, one) in enumerate(found):
        said = bool(alike[k, first].any())
        if not said and one.strength > 0:
            first.append(k)
        group = 2 if one.strength <= 0 else int(said)
        order.append((group, place, one))
    return tuple(one for _, _, one in sorted(order, key=lambda entry: entry[:2]))


def quarter_of(plies_left: float, plies: float) -> int:
    """Return which quarter of the game it is, 0 to ``PHASES - 1``.

    Args:
        plies_left: mean length of random games from here on.
        plies: mean length of random games.
    """
    passed = 1 - plies_left / plies if plies > 0 else 0.0
    return min(max(int(PHASES * passed), 0), PHASES - 1)
