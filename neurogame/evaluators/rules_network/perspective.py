"""Perspectives: modes that a symmetry exchanges are seen alike, and share weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.structure.structure import Structure
from neurogame.structure.symmetries import Symmetry


@final
@dataclass(frozen=True, eq=False)
class Perspectives:
    """How states of each mode are seen.

    ``F`` fluents, ``M`` modes, ``R`` roles.

    Attributes:
        fluents: fluents that say which mode it is, in the order of the modes; int64 ``[K]``;
            without any there is one mode.
        views: the symmetry by which a state of each mode is seen; ``[M]``.
        weights: the set of weights of each mode; int64 ``[M]``.
        kept: symmetries that keep roles and the modes that are seen as they are: what they map to
            each other shares weights; the identity first.
    """

    fluents: Int64s
    views: tuple[Symmetry, ...]
    weights: Int64s
    kept: tuple[Symmetry, ...]


def find_perspectives(structure: Structure, *, mode: bool, symmetries: bool) -> Perspectives:
    """Return how states are seen.

    Args:
        structure: of the game.
        mode: whether modes have weights of their own, or all are one.
        symmetries: whether to use any but the identity.
    """
    group = structure.symmetries if symmetries else structure.symmetries[:1]
    identity = structure.symmetries[0]
    roles = np.arange(len(identity.roles))
    if not mode or structure.mode is None:
        kept = tuple(g for g in group if np.array_equal(g.roles, roles))
        return Perspectives(np.zeros(0, np.int64), (identity,), np.zeros(1, np.int64), kept)
    fluents = structure.mode_fluents
    views: list[Symmetry] = []
    weights: list[int] = []
    seen_as_they_are: list[int] = []
    for fluent in fluents.tolist():
        view = next(
            (
                (place, g)
                for place, other in enumerate(seen_as_they_are)
                for g in group
                if g.fluents[fluent] == other
            ),
            None,
        )
        if view is None:
            view = (len(seen_as_they_are), identity)
            seen_as_they_are.append(fluent)
        weights.append(view[0])
        views.append(view[1])
    fixed_fluents = np.array(seen_as_they_are)
    kept = tuple(
        g
        for g in group
        if np.array_equal(g.roles, roles)
        and np.array_equal(g.fluents[fixed_fluents], fixed_fluents)
    )
    return Perspectives(fluents, tuple(views), np.array(weights), kept)
