"""What random games say of features: correlation with the goals, stability, cost.

*References:* Draper, "Sancho" (correlation of candidates with scores of random games); Kuhlmann and
Stone, "Approach"; Clune, "Heuristic evaluation functions for general game playing" (stability).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import final

import numpy as np

from neurogame.array_types import Float64s
from neurogame.errors import GameError
from neurogame.features.candidates import find_candidates
from neurogame.features.correlation import fisher_interval
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.feature import Feature
from neurogame.features.play import seen_games
from neurogame.features.selection import select
from neurogame.features.sums import FeatureSums
from neurogame.features.values import FeatureValues
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import play_out

_MEASURED = 64
"""Random games that tell how long games are."""


@final
@dataclass(frozen=True, eq=False)
class FeatureEvidence:
    """What random games say of the features of a game.

    ``K`` features, ``R`` roles. Correlations are Pearson's, with the role's goal at the end.

    Attributes:
        features: the candidates.
        games: that were played to the end.
        ends: of the last state's features; float64 ``[K, R]``.
        means: of their means over the game; float64 ``[K, R]``.
        phases: in a random state of each quarter of the game; float64 ``[PHASES, K, R]``.
        strength: the mean of those over the quarters; float64 ``[K, R]``.
        low: lower bound of the strength, with a correction for all features and roles tried;
            float64 ``[K, R]``.
        high: its upper bound.
        stability: variance over all states / (that + 10 times the mean square of half a step);
            1 for what never moves within a game, near 0 for what jumps; float64 ``[K]``.
        mean: of features, then of goals, over the quarters; float64 ``[K + R]``.
        covariance: of the same within a quarter, over the quarters; float64 ``[K + R, K + R]``.
        chosen: which of them are worth their place, in the order of choice.
        adds: what each of these adds to those before, as a correlation with the goal of the role
            of which it says most.
        reasons: why the others are not; text for each feature, empty where chosen.
    """

    features: tuple[Feature, ...]
    games: int
    ends: Float64s
    means: Float64s
    phases: Float64s
    strength: Float64s
    low: Float64s
    high: Float64s
    stability: Float64s
    mean: Float64s
    covariance: Float64s
    chosen: tuple[int, ...]
    adds: tuple[float, ...]
    reasons: tuple[str, ...]


def find_evidence(
    game: Game,
    config: EvidenceConfig | None = None,
    *,
    seed: int = 0,
    progress: Callable[[int], object] = lambda games: None,
) -> FeatureEvidence:
    """Play random games, and say what each feature of a game is worth.

    Args:
        game: the game.
        config: how.
        seed: of all games.
        progress: called with the number of games that were added.

    Raises:
        GameError: the rules suggest no feature, or no random game ends.
    """
    config = config or EvidenceConfig()
    features = find_candidates(game)
    sums = sum_games(game, features, config, seed=seed, progress=progress)
    return evidence_of(features, sums, config)


def sum_games(
    game: Game,
    features: Sequence[Feature],
    config: EvidenceConfig,
    *,
    seed: int,
    progress: Callable[[int], object] = lambda games: None,
) -> FeatureSums:
    """Play random games, and add up what features were in them.

    Args:
        game: the game.
        features: of the game.
        config: how many games.
        seed: of all games.
        progress: called with the number of games that were added.

    Raises:
        GameError: there are no features, or no random game ends.
    """
    if not features:
        raise GameError(f"the rules of {game.name} suggest no features")
    values = FeatureValues(features)
    # So few states are looked at that plain torch is as fast, and nothing has to be compiled.
    simulator = game.simulator()
    lengths = play_out(simulator, _MEASURED, seed).lengths
    longest = int(lengths.max())
    # Odd, so that states of both roles are looked at where they take turns.
    stride = round(float(lengths.float().mean()) / config.looks) | 1
    sums = FeatureSums(len(features), len(game.roles))
    began = 0.0
    for seen in seen_games(
        simulator, values, config.games, seed, stride=stride, most=2 * longest + stride
    ):
        if game.chance is not None:
            # Its goal is of no interest to anybody: always 0, nothing goes with it.
            seen.results[:, game.chance] = 0
        sums.add(seen)
        progress(len(seen.lengths))
        # In the first block most time goes into making what plays; the others are measured.
        began = began or time.monotonic()
        if time.monotonic() - began > config.seconds:
            break
    if sums.games == 0:
        raise GameError(f"no random game of {game.name} came to its end in {2 * longest} plies")
    return sums


def evidence_of(
    features: Sequence[Feature], sums: FeatureSums, config: EvidenceConfig | None = None
) -> FeatureEvidence:
    """Return what games say of features.

    Args:
        features: of a game.
        sums: over games of it, of these features, one at least.
        config: what is strong, sure, and alike.
    """
    config = config or EvidenceConfig()
    phases = np.stack([phase.with_results() for phase in sums.phases])
    strength = phases.mean(axis=0)
    tried = strength.size
    z = NormalDist().inv_cdf(1 - config.doubt / (2 * tried))
    low, high = fisher_interval(strength, sums.games, z)
    stability = sums.spread / np.maximum(sums.spread + 10 * sums.moved / 4, 1e-12)
    covariance = np.mean([phase.covariance() for phase in sums.phases], axis=0)
    selection = select(features, covariance, sums.games, config)
    return FeatureEvidence(
        features=tuple(features),
        games=sums.games,
        ends=sums.ends.with_results(),
        means=sums.means.with_results(),
        phases=phases,
        strength=strength,
        low=low,
        high=high,
        stability=stability,
        mean=np.mean([phase.mean() for phase in sums.phases], axis=0),
        covariance=covariance,
        chosen=selection.chosen,
        adds=selection.adds,
        reasons=selection.reasons,
    )
