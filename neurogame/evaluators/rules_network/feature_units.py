"""First weights of hidden units: features found in the rules, such as who has more pieces.

A unit adds up what a feature counts, and answers where it is above, or below, a value that random
games have shown. Several units of one feature with thresholds of their own are a basis in which
what the feature is worth can be learned as any curve. So what a number of the whole board says is
there from the first game of learning on; it costs nothing, as the units are there anyway, and asks
for no evidence that the feature is worth anything.

*Reference:* Towell and Shavlik, "Knowledge-based artificial neural networks" (1994); Kuhlmann and
Stone, "Automatic heuristic construction for general game playing" (2006).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from neurogame.array_types import Bools, Float32s
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.layout import RulesNetworkLayout
from neurogame.evaluators.rules_network.perspective import find_perspectives
from neurogame.features.candidates import find_candidates
from neurogame.features.feature import Feature, FeatureKind
from neurogame.features.play import random_looks
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import play_out
from neurogame.simulate.states import StateBatch
from neurogame.structure.symmetries import Symmetry

_GAMES, _LOOKS, _LONGEST = 64, 16, 1000
_OF_ONE = 8
"""Units of one feature, at most: as many thresholds make any curve, all others learn better."""
_NOISE = 0.03
"""Standard deviation of what is added to all weights, so that no two units are the same."""
_SAME = 1e-4
"""Differences up to this are those of rounding."""


def feature_units(
    game: Game, layout: RulesNetworkLayout, config: RulesNetworkConfig, seed: int
) -> tuple[Float32s, Float32s]:
    """Return the embeddings and biases of the units that begin as features.

    Args:
        game: the game.
        layout: the perspectives in which states are seen.
        config: how many hidden units there are, ``H``, and which share of them is
            features, at most; ``U`` units.
        seed: decides thresholds and noise.

    Returns:
        float32 ``[F, U]`` and ``[U]``; no units where random games show no feature that fits.
    """
    most = int(config.features * config.hidden)
    fluents = layout.sizes.fluents
    none = np.zeros((fluents, 0), np.float32), np.zeros(0, np.float32)
    if not most:
        return none
    kept = find_perspectives(game.structure, mode=config.mode, symmetries=config.symmetries).kept
    weights = unit_features(find_candidates(game), kept)
    if not weights.shape[1]:
        return none
    values, ceased = _values_in_play(game, layout, weights)
    # Where what has been placed stays for good, patterns are the better inputs.
    telling = _tells_games_apart(values) & weights[ceased].any(axis=0)
    weights, values = weights[:, telling], values[:, :, telling]
    count = weights.shape[1]
    if not count:
        return none
    units = min(most, _OF_ONE * count)
    random = np.random.default_rng(seed)
    shown = values[~np.isnan(values[:, :, 0])]
    spread = shown.std(axis=0)
    feature = random.permutation(count)[np.arange(units) % count]
    sign = random.choice([-1.0, 1.0], units) / spread[feature]
    # Near the threshold it answers a little, so that it learns from the first games on.
    bias = 0.5 - sign * shown[random.integers(len(shown), size=units), feature]
    embedding = sign * weights[:, feature] + _NOISE * random.standard_normal((fluents, units))
    return embedding.astype(np.float32), bias.astype(np.float32)


def unit_features(features: Sequence[Feature], kept: Sequence[Symmetry]) -> Float32s:
    """Return the weights of fluents in those features that a hidden unit can be.

    They are sums over fluents alone, and the same under every symmetry that positions are learned
    under: what differs says nothing by itself. What each role has is left out where the difference
    says it, and regions are: units of the whole board are learned to count what squares are worth.

    Args:
        features: the candidates of a game.
        kept: symmetries that map a position to one with the same value.

    Returns:
        float32 ``[F, K]``.
    """
    fitting = [
        feature
        for feature in features
        if feature.fluents.any() and feature.lookups is None and feature.reads_fluents_alone
        if feature.kind is not FeatureKind.REGION
        if all(np.allclose(feature.fluents[g.fluents], feature.fluents, atol=1e-6) for g in kept)
    ]
    compared = [
        feature for feature in fitting if feature.against is not None or feature.owner is None
    ]
    columns = [feature.fluents for feature in compared or fitting]
    fluents = len(features[0].fluents) if features else 0
    return np.stack(columns, axis=1) if columns else np.zeros((fluents, 0), np.float32)


def _values_in_play(
    game: Game, layout: RulesNetworkLayout, weights: Float32s
) -> tuple[Float32s, Bools]:
    """Return sums over the fluents of states of random games, as their modes see them.

    Returns:
        float32 ``[T, G, K]``: ``T`` times ``G`` games, NaN where a game is over; and which fluents
        ceased to hold in any of them, bool ``[F]``.
    """
    simulator = game.simulator()
    lengths = play_out(simulator, _GAMES, 0, _LONGEST).lengths
    # Odd, so that states of both roles are looked at where they take turns.
    stride = round(float(lengths.float().mean()) / _LOOKS) | 1
    most = int(lengths.max()) + stride
    before, ceased, looks = None, np.zeros(len(weights), np.bool_), []
    for look in random_looks(simulator, 0, _GAMES, 0, stride=stride, most=most):
        playing = look.playing
        if not playing.any():
            break
        held = StateBatch(look.words, _GAMES).to_bool().float()
        now = held.numpy() > 0
        if before is not None:
            ceased |= (before & ~now)[playing].any(axis=0)
        before = now
        modes = layout.mode_of(held).numpy()
        values = np.full((_GAMES, weights.shape[1]), np.nan, np.float32)
        for mode in np.unique(modes[playing]).tolist():
            rows = playing & (modes == mode)
            values[rows] = layout.seen(held[torch.from_numpy(rows)], mode).numpy() @ weights
        looks.append(values)
    return np.stack(looks), ceased


def _tells_games_apart(values: Float32s) -> Bools:
    """Return which features ever differ between games at the same time; bool ``[K]``.

    Others are clocks, as the number of stones where everybody places one in turn.
    """
    there = ~np.isnan(values)
    highest = np.where(there, values, -np.inf).max(axis=1)
    lowest = np.where(there, values, np.inf).min(axis=1)
    telling: Bools = (highest > lowest + _SAME).any(axis=0)
    return telling
