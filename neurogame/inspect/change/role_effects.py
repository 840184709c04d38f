"""Do two roles value the same things? What fluents add for one, beside their images for another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import final

import numpy as np

from neurogame.inspect.change.agreement import RunAgreement, agreement
from neurogame.inspect.change.fluent_effects import FluentEffects
from neurogame.simulate.game import Game
from neurogame.structure.symmetries import Symmetry


@final
@dataclass(frozen=True, kw_only=True)
class RoleDifference:
    """A fluent that counts for more, or less, for one role than its image does for another.

    Attributes:
        fluent: of the first role, as text.
        image: what it is for the second role, under a symmetry of the rules that exchanges them.
        mine: what the fluent adds for the first role, in log-odds, over runs.
        yours: what the image adds for the second role.
        difference: the first less the second, over runs.
    """

    fluent: str
    image: str
    mine: RunAgreement
    yours: RunAgreement
    difference: RunAgreement


@final
@dataclass(frozen=True, kw_only=True)
class RolesCompared:
    """What two roles make of the same things.

    Attributes:
        role: the first role.
        other: the second one.
        correlation: of effects and those of their images, of the mean over runs, -1..1.
        differences: the largest mean difference first.
    """

    role: str
    other: str
    correlation: float
    differences: tuple[RoleDifference, ...]


def role_effects(game: Game, effects: Sequence[FluentEffects]) -> list[RolesCompared]:
    """Compare what things are worth to roles that a symmetry of the rules exchanges.

    Args:
        game: the game.
        effects: of each run; what holds in no state is left out.

    Returns:
        One for each pair of roles that are alike; none where the rules treat roles differently.
    """
    seen = np.all([effect.states > 0 for effect in effects], axis=0)
    comparisons = []
    for role, other, symmetry in _alike(game):
        image = symmetry.fluents
        both = np.flatnonzero(seen & seen[image])
        if (image[image] == np.arange(len(image))).all():
            # Else what differs would be listed twice, from either side.
            both = both[both <= image[both]]
        mine = np.stack([effect.amounts[both, role] for effect in effects])
        yours = np.stack([effect.amounts[image[both], other] for effect in effects])
        apart = mine - yours
        order = np.argsort(-np.abs(apart.mean(axis=0)), kind="stable")
        means = mine.mean(axis=0), yours.mean(axis=0)
        differs = len(both) > 1 and all(mean.std() > 0 for mean in means)
        comparisons.append(
            RolesCompared(
                role=game.roles[role],
                other=game.roles[other],
                correlation=float(np.corrcoef(*means)[0, 1]) if differs else 0.0,
                differences=tuple(
                    RoleDifference(
                        fluent=game.fluents[both[place]],
                        image=game.fluents[image[both[place]]],
                        mine=agreement(mine[:, place]),
                        yours=agreement(yours[:, place]),
                        difference=agreement(apart[:, place]),
                    )
                    for place in order.tolist()
                ),
            )
        )
    return comparisons


def _alike(game: Game) -> Iterator[tuple[int, int, Symmetry]]:
    """Yield pairs of roles with a symmetry that takes the first to the second.

    One that leaves as many things as possible where they are: of the other's stones, the one on the
    same square is the image, not one on the other side of the board.
    """
    variable_of = game.structure.variable_of
    for role, other in combinations(range(len(game.roles)), 2):
        exchanging = [
            symmetry for symmetry in game.structure.symmetries if symmetry.roles[role] == other
        ]
        if exchanging:
            stays = [
                int((variable_of[symmetry.fluents] == variable_of).sum()) for symmetry in exchanging
            ]
            yield role, other, exchanging[int(np.argmax(stays))]
