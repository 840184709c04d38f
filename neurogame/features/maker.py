"""Making features of one game: the shapes that all of them share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.features.feature import Feature, FeatureKind, LookUps
from neurogame.features.roles import RoleImage
from neurogame.graph.groups import group_starts


@final
class FeatureMaker:
    """Makes features of a game.

    Attributes:
        circuit: of the game.
    """

    def __init__(self, circuit: Circuit) -> None:
        """Take a game."""
        self.circuit = circuit
        self._sizes = (len(circuit.fluents), circuit.move_count, len(circuit.roles))

    def feature(self, kind: FeatureKind, text: str, owner: int | None = None) -> Feature:
        """Return a feature for which nothing counts yet."""
        fluents, moves, goals = (np.zeros(size, np.float32) for size in self._sizes)
        return Feature(kind, text, fluents, moves, goals, owner=owner)

    def of_fluents(
        self,
        kind: FeatureKind,
        text: str,
        fluents: Int64s,
        weights: Sequence[float] | float = 1.0,
        owner: int | None = None,
    ) -> Feature:
        """Return the sum of the weights of those of some fluents that hold."""
        feature = self.feature(kind, text, owner)
        feature.fluents[fluents] = weights
        return feature

    def of_look_ups(
        self, kind: FeatureKind, text: str, tables: LookUps, owner: int | None = None
    ) -> Feature:
        """Return the sum of the rows that look-ups read."""
        return replace(self.feature(kind, text, owner), lookups=tables)

    def of_moves(self, text: str, moves: Int64s, owner: int) -> Feature:
        """Return the number of some moves that are legal."""
        feature = self.feature(FeatureKind.MOBILITY, text, owner)
        feature.moves[moves] = 1.0
        return feature

    def nothing(self) -> Feature:
        """Return the feature that is 0 in every state."""
        return self.feature(FeatureKind.COUNT, "nothing")

    def image(self, feature: Feature, image: RoleImage) -> Feature | None:
        """Return what another role has in place of a feature; None where it has no such thing.

        Args:
            feature: a feature as the image's source sees it.
            image: what the other role has in place of each thing.
        """
        fluents, moves = np.zeros_like(feature.fluents), np.zeros_like(feature.moves)
        for weights, of, places in (
            (fluents, feature.fluents, image.fluents),
            (moves, feature.moves, image.moves),
        ):
            read = np.flatnonzero(of)
            if (places[read] < 0).any():
                return None
            np.add.at(weights, places[read], of[read])
        lookups = feature.lookups
        if lookups is not None:
            if (image.fluents[lookups.fluent] < 0).any():
                return None
            lookups = lookups.under(image.fluents)
        goals = feature.goals.copy()
        both = [image.source, image.target]
        goals[both] = goals[both[::-1]]
        return replace(feature, fluents=fluents, moves=moves, goals=goals, lookups=lookups)

    def difference(
        self, feature: Feature, image: RoleImage, names: Sequence[str]
    ) -> Feature | None:
        """Return what a role has more than another one; None where the other has no such thing.

        Args:
            feature: a feature that belongs to the image's source.
            image: what the other role has in place of each thing.
            names: of the roles.
        """
        other_one = self.image(feature, image)
        if other_one is None:
            return None
        lookups = feature.lookups
        if lookups is not None and other_one.lookups is not None:
            lookups = lookups.joined(other_one.lookups.scaled(-1.0))
        other = "the reverse" if feature.owner is None else f"that of {names[image.target]}"
        return replace(
            feature,
            text=f"{feature.text}, less {other}",
            fluents=feature.fluents - other_one.fluents,
            moves=feature.moves - other_one.moves,
            goals=feature.goals - other_one.goals,
            lookups=lookups,
            owner=image.source,
            against=image.target,
        )


def look_ups(rows: Sequence[tuple[Int64s, Int64s, Sequence[float]]]) -> LookUps:
    """Return look-ups: of each the fluents, their addends, and the rows' values."""
    fluents, addends, values = zip(*rows, strict=True)
    return LookUps(
        fluent=np.concatenate(fluents).astype(np.int64),
        lookup=np.repeat(np.arange(len(rows)), [*map(len, fluents)]),
        addend=np.concatenate(addends).astype(np.int64),
        first=group_starts(np.array([*map(len, values)], np.int64))[:-1],
        values=np.concatenate([np.asarray(part, np.float32) for part in values]),
    )
