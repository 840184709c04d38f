"""All features that the rules of a game suggest, from their structure alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from neurogame.features.feature import Feature, FeatureKind
from neurogame.features.lines import line_features
from neurogame.features.maker import FeatureMaker
from neurogame.features.off_boards import (
    fact_features,
    goal_features,
    move_features,
    quantity_features,
)
from neurogame.features.on_boards import board_features
from neurogame.features.roles import role_images
from neurogame.features.ways import way_features
from neurogame.simulate.game import Game

MOST = 256
"""Candidates of a game, at most: kinds of which there are too many are left out."""


def find_candidates(game: Game) -> tuple[Feature, ...]:
    """Return the features that the rules of a game suggest; none says the same as another one.

    What a role has is a feature, and what it has more than each other role; what chance has, none.
    The names of the game have no influence but on the texts.
    """
    maker = FeatureMaker(game.circuit)
    images = role_images(game)
    candidates: dict[bytes, Feature] = {}
    for feature in _all(maker, game):
        if feature.owner is not None and feature.owner == game.chance:
            continue
        _add(candidates, feature)
        for tied in images:
            if game.chance in (tied[0].source, tied[0].target):
                continue
            # What belongs to nobody in particular is compared where a symmetry exchanges it.
            if feature.owner == tied[0].source or (
                feature.owner is None and tied[0].source == game.players[0]
            ):
                more = [maker.difference(feature, image, game.roles) for image in tied]
                some = [difference for difference in more if difference is not None]
                if len(some) == len(tied) and len({one.key() for one in some}) == 1:
                    _add(candidates, some[0])
    return tuple(_few(candidates.values()))


def _few(features: Iterable[Feature]) -> list[Feature]:
    """Return the features without kinds that are too many, so that names cannot decide."""
    kinds: dict[FeatureKind, list[Feature]] = {}
    for feature in features:
        kinds.setdefault(feature.kind, []).append(feature)
    kept: list[Feature] = []
    for group in kinds.values():
        if len(kept) + len(group) <= MOST:
            kept += group
    return kept


def _all(maker: FeatureMaker, game: Game) -> Iterator[Feature]:
    yield from way_features(maker, game.relations)
    yield from board_features(maker, game.structure, game.relations)
    yield from quantity_features(maker, game.relations)
    yield from fact_features(maker, game.relations)
    yield from move_features(maker)
    yield from line_features(maker, game.structure, game.relations)
    yield from goal_features(maker)


def _add(features: dict[bytes, Feature], feature: Feature) -> None:
    """Add a feature, unless the same, or the same with a minus, is there."""
    if feature.constant:
        return
    key, negative = (feature.key(sign) for sign in (1.0, -1.0))
    if key not in features and negative not in features:
        features[key] = feature
