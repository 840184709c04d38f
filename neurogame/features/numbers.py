"""Features of numbers in the state: quantities, and the goals that a state already has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neurogame.features.feature import Feature, FeatureKind
from neurogame.features.maker import FeatureMaker
from neurogame.features.roles import owner_of
from neurogame.structure.evidence import split_groups
from neurogame.structure.relations import Relations

_MOST_QUANTITIES = 32
"""Quantities of one relation that are features, at most: of more, none is."""


def quantity_features(maker: FeatureMaker, relations: Relations) -> Iterator[Feature]:
    """Yield the numbers that the state holds, by their places in their order."""
    for quantity in relations.quantities:
        argument = quantity.argument
        relation = argument.relation
        others = relation.others([argument.place])
        groups = split_groups(np.arange(len(relation.fluents)), relation.groups(others))
        if len(groups) > _MOST_QUANTITIES:
            continue
        place = {code: i for i, code in enumerate(argument.order)}
        for group in groups:
            values = {p: relation.domains[p][int(relation.codes[group[0], p])] for p in others}
            inner = " ".join(values.get(p, "n") for p in range(relation.arity))
            weights = [float(place.get(int(c), 0)) for c in relation.codes[group, argument.place]]
            yield maker.of_fluents(
                FeatureKind.QUANTITY,
                f"n in ({relation.name} {inner})",
                relation.fluents[group],
                weights,
                owner_of(maker.circuit, list(values.values())),
            )


def goal_features(maker: FeatureMaker) -> Iterator[Feature]:
    """Yield each role's goal in the state itself, where it has several values."""
    for role, name in enumerate(maker.circuit.roles):
        if len(maker.circuit.goal_values[role]) > 1:
            feature = maker.feature(FeatureKind.GOAL, f"goal of {name} in this state", role)
            feature.goals[role] = 1.0
            yield feature
