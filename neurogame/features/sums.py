"""What was seen of features in any number of games, as sums: it can be added up and kept."""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.array_types import Float64s, Int64s
from neurogame.features.correlation import Correlations
from neurogame.features.play import PHASES, SeenGames
from neurogame.files import Arrays


@final
class FeatureSums:
    """Sums over games of ``K`` features and the goals of ``R`` roles.

    Attributes:
        games: that were played to the end.
        ends: of the last state's features.
        means: of their means over the game.
        phases: of those in a random state of each quarter of the game.
        moved: sum over games of the mean square of a step; float64 ``[K]``.
        spread: sum over games of the variance over states; float64 ``[K]``.
    """

    def __init__(self, features: int, roles: int) -> None:
        """Begin with no games."""
        self.games = 0
        self.ends, self.means, *self.phases = (
            Correlations(features, roles) for _ in range(2 + PHASES)
        )
        self.moved, self.spread = np.zeros(features), np.zeros(features)

    def add(self, seen: SeenGames) -> None:
        """Take more games."""
        self.ends.add(seen.ends, seen.results)
        self.means.add(seen.means, seen.results)
        for mine, phase in zip(self.phases, seen.phases, strict=True):
            there = ~np.isnan(phase).any(axis=1)
            mine.add(phase[there], seen.results[there])
        count = len(seen.lengths)
        self.moved += count * seen.steps
        self.spread += count * seen.spread
        self.games += count

    def merge(self, other: FeatureSums) -> None:
        """Take all games that another one has taken."""
        for mine, more in zip(self._all(), other._all(), strict=True):
            mine.merge(more)
        self.moved += other.moved
        self.spread += other.spread
        self.games += other.games

    def reordered(self, features: Int64s, sign: Float64s, roles: Int64s) -> FeatureSums:
        """Return what the same games give for other features: these in another order.

        Args:
            features: which of these each is; int64 ``[K]``.
            sign: 1, or -1 where it is the negative; float64 ``[K]``.
            roles: which of these roles each is; int64 ``[R]``.
        """
        order = np.concatenate([features, len(features) + roles])
        signs = np.concatenate([sign, np.ones(len(roles))])
        permuted = FeatureSums(len(features), len(roles))
        permuted.ends, permuted.means, *permuted.phases = (
            part.reordered(order, signs) for part in self._all()
        )
        permuted.moved, permuted.spread = self.moved[features], self.spread[features]
        permuted.games = self.games
        return permuted

    def packed(self) -> Arrays:
        """Return all of it as arrays, for :meth:`unpacked`."""
        return {
            "games": np.array([self.games]),
            "steps": np.stack([self.moved, self.spread]),
            "sums": np.stack([part.packed() for part in self._all()]),
        }

    @classmethod
    def unpacked(cls, arrays: Arrays) -> FeatureSums:
        """Return what :meth:`packed` has packed.

        Raises:
            ValueError: the arrays are not of that form.
            KeyError: one is missing.
        """
        steps = arrays["steps"].astype(np.float64)
        sums = [Correlations.unpacked(part, steps.shape[1]) for part in arrays["sums"]]
        if len(steps) != 2 or len(sums) != 2 + PHASES or not np.isfinite(steps).all():
            raise ValueError("these are no sums of games")
        feature_sums = cls(steps.shape[1], arrays["sums"].shape[2] - steps.shape[1])
        feature_sums.ends, feature_sums.means, *feature_sums.phases = sums
        feature_sums.moved, feature_sums.spread = steps
        feature_sums.games = int(arrays["games"][0])
        return feature_sums

    def _all(self) -> tuple[Correlations, ...]:
        return self.ends, self.means, *self.phases
