"""A feature: one number of a state, as a sum over what holds in it and what may be done in it.

*Reference:* Kuhlmann and Stone, "Approach"; Michulke and Thielscher, section 2.3; Draper, "Sancho"
(pieces, mobility).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import final

import numpy as np

from neurogame.array_types import Float32s, Int64s


class FeatureKind(Enum):
    """What a feature is about."""

    COUNT = "number"
    REGION = "number in a region"
    COORDINATE = "coordinates"
    DISTANCE = "distance to a goal"
    APART = "distance between pieces"
    SUPPORT = "neighbours"
    LINES = "lines"
    QUANTITY = "quantity"
    MOBILITY = "mobility"
    GOAL = "goal value"


@final
@dataclass(frozen=True, eq=False)
class LookUps:
    """Tables that are read by what holds: the row is the sum of the addends of fluents that hold.

    ``L`` look-ups, ``T`` addends, ``N`` rows of all tables.

    Attributes:
        fluent: of each addend; int64 ``[T]``.
        lookup: whose row it raises; int64 ``[T]``.
        addend: by how much, at least 0; int64 ``[T]``.
        first: of its rows, where no fluent of a look-up holds; ascending; int64 ``[L]``.
        values: of the rows of one look-up after the other; float32 ``[N]``.
    """

    fluent: Int64s
    lookup: Int64s
    addend: Int64s
    first: Int64s
    values: Float32s

    def columns(self, fluents: int) -> Iterator[tuple[Int64s, Float32s]]:
        """Yield of each look-up the addends of all fluents, int64 ``[F]``, and its rows."""
        for read, addends, rows in self.tables():
            column = np.zeros(fluents, np.int64)
            column[read] = addends
            yield column, rows

    def tables(self) -> Iterator[tuple[Int64s, Int64s, Float32s]]:
        """Yield of each look-up its fluents in order, their addends, and its rows."""
        order = np.lexsort((self.fluent, self.lookup))
        ends = np.searchsorted(self.lookup[order], np.arange(len(self.first) + 1))
        rows = np.split(self.values, self.first[1:])
        for (begin, end), values in zip(pairwise(ends.tolist()), rows, strict=True):
            entries = order[begin:end]
            yield self.fluent[entries], self.addend[entries], values

    def scaled(self, factor: float) -> LookUps:
        """Return the same with all values multiplied."""
        values = (factor * self.values).astype(np.float32)
        return LookUps(self.fluent, self.lookup, self.addend, self.first, values)

    def under(self, image: Int64s) -> LookUps:
        """Return look-ups that read the image of each fluent; int64 ``[F]``."""
        return LookUps(image[self.fluent], self.lookup, self.addend, self.first, self.values)

    def joined(self, other: LookUps) -> LookUps:
        """Return all look-ups of both."""
        return LookUps(
            np.concatenate([self.fluent, other.fluent]),
            np.concatenate([self.lookup, len(self.first) + other.lookup]),
            np.concatenate([self.addend, other.addend]),
            np.concatenate([self.first, len(self.values) + other.first]),
            np.concatenate([self.values, other.values]),
        )


@final
@dataclass(frozen=True, eq=False)
class Feature:
    """A number of a state.

    It is the sum of the weights of the fluents that hold and of the moves that are legal, of the
    rows that look-ups read, and of the roles' goals in this state, 0..1. ``F`` fluents, ``M`` moves
    of all roles, ``R`` roles.

    Attributes:
        kind: what it is about.
        text: what it is, in words and terms of the rules.
        fluents: a weight for each fluent; float32 ``[F]``.
        moves: a weight for each move; float32 ``[M]``.
        goals: a weight for each role's goal; float32 ``[R]``.
        lookups: or None.
        owner: the role whose thing it is; None where the rules do not say so, and for differences
            of roles, which are the first role's, see ``against``.
        against: the role whose like is subtracted, or None.
    """

    kind: FeatureKind
    text: str
    fluents: Float32s
    moves: Float32s
    goals: Float32s
    lookups: LookUps | None = None
    owner: int | None = None
    against: int | None = None

    @property
    def reads_fluents_alone(self) -> bool:
        """Whether what holds is all that counts, not what is legal or a goal."""
        return not (self.moves.any() or self.goals.any())

    @property
    def constant(self) -> bool:
        """Whether nothing counts."""
        parts = (self.fluents, self.moves, self.goals)
        return self.lookups is None and not any(part.any() for part in parts)

    def key(self, sign: float = 1.0) -> bytes:
        """Return 32 bytes that two features of a game share if they are the same in every state.

        Args:
            sign: 1 for this feature, -1 for its negative.
        """
        digest = hashlib.sha256()
        for part in (self.fluents, self.moves, self.goals):
            digest.update((sign * part + 0.0).tobytes())
        if self.lookups is not None:
            tables = [
                b"".join(part.tobytes() for part in (fluents, addends, sign * rows + 0.0))
                for fluents, addends, rows in self.lookups.tables()
            ]
            digest.update(b"".join(sorted(tables)))
        return digest.digest()
