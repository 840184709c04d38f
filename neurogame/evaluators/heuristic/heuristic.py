"""Heuristics of a game: the most or the least of a feature is what a role wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from neurogame.features.bounds import feature_bounds
from neurogame.features.feature import Feature
from neurogame.features.maker import FeatureMaker
from neurogame.features.roles import role_images
from neurogame.simulate.game import Game

_MARGIN = 1.0
"""Goal points between a heuristic's values and the lowest and the highest goal."""


@final
@dataclass(frozen=True, eq=False)
class FeatureHeuristic:
    """The maximisation or the minimisation of a feature.

    Attributes:
        feature: the feature.
        maximise: whether its most is best, else its least.
    """

    feature: Feature
    maximise: bool = True

    def __str__(self) -> str:
        """Return the text by which player strings name it."""
        return f"{'max' if self.maximise else 'min'}({self.feature.text})"

    @property
    def opposite(self) -> FeatureHeuristic:
        """What wants the opposite."""
        return FeatureHeuristic(self.feature, not self.maximise)

    def line(self, goals: Sequence[int]) -> tuple[float, float]:
        """Return base and slope of ``H(s) / 100`` as a function of the feature.

        With ``R-`` and ``R+`` the lowest and the highest goal, and ``V(s)`` the feature on a scale
        from 0 to 1, its bounds, ``H(s) = 1 + R- + (R+ - R- - 2) V(s)`` where the most is best, and
        with ``1 - V(s)`` where the least is; see also :func:`value_range`.

        Args:
            goals: values that the rules name for the role, 0..100; at least one.

        *Reference:* Kuhlmann and Stone, equations (1) and (2).
        """
        low, high = feature_bounds(self.feature)
        first, last = value_range(goals)
        if high <= low:
            return (first + last) / 2, 0.0
        if not self.maximise:
            first, last = last, first
        slope = (last - first) / (high - low)
        return first - slope * low, slope


def value_range(goals: Sequence[int]) -> tuple[float, float]:
    """Return the least and the most that a heuristic says of a state, in 0..1: strictly inside.

    Where the lowest and the highest goal are less than 4 points apart the margin is a quarter of
    that, not one point, as values would turn round otherwise.

    Args:
        goals: values that the rules name for the role, 0..100; at least one.
    """
    worst, best = min(goals), max(goals)
    margin = min(_MARGIN, (best - worst) / 4)
    return (worst + margin) / 100, (best - margin) / 100


def all_heuristics(features: Sequence[Feature]) -> tuple[FeatureHeuristic, ...]:
    """Return the candidate heuristics: the most and the least of each feature."""
    return tuple(
        FeatureHeuristic(feature, maximise) for feature in features for maximise in (True, False)
    )


def for_all_roles(game: Game, heuristic: FeatureHeuristic) -> tuple[FeatureHeuristic, ...]:
    """Return for each role what a heuristic of the first role is for it.

    A symmetry of the rules, or the symbols of the roles, say what a role has in the place of what
    the first role has. Where nothing says so the feature stays as it is.

    Args:
        game: the game.
        heuristic: as the first role sees it.
    """
    maker = FeatureMaker(game.circuit)
    heuristics = [heuristic] * len(game.roles)
    for image, *_ in role_images(game):
        if image.source == 0:
            other = maker.image(heuristic.feature, image)
            if other is not None:
                heuristics[image.target] = FeatureHeuristic(other, heuristic.maximise)
    return tuple(heuristics)


def for_one_role(
    game: Game, heuristic: FeatureHeuristic, role: int
) -> tuple[FeatureHeuristic, ...]:
    """Return a role's heuristic with, for all other roles, that they want the opposite."""
    return tuple(
        heuristic if other == role else heuristic.opposite for other in range(len(game.roles))
    )


def blind(game: Game) -> tuple[FeatureHeuristic, ...]:
    """Return heuristics that know nothing, for each role: all states are worth the same."""
    maker = FeatureMaker(game.circuit)
    nothing = FeatureHeuristic(maker.nothing())
    return (nothing,) * len(game.roles)
