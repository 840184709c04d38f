"""Patterns: n-tuples of variables, each with a table of one weight per combination of values.

Lines come first, then random walks over the geometry. The images of a pattern under the symmetries
of the game read the same table.

*Reference:* Lucas, "Learning to play Othello with n-tuple systems" (2008), section III; Thill, Koch
and Konen, "Reinforcement learning with n-tuples on the game Connect-4" (2012), section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.splitmix import seed_word
from neurogame.structure.structure import Structure
from neurogame.structure.symmetries import Symmetry
from neurogame.structure.walks import walks

_FRUITLESS = 200
"""Walks in a row that add nothing before no more are drawn."""

_Key: TypeAlias = tuple[bytes, bytes]


@final
@dataclass(frozen=True, eq=False)
class PatternSet:
    """The patterns of a game for code that knows fluents only.

    ``L`` look-ups, ``T`` tables, ``F`` fluents. The row that look-up ``l`` reads in a state is the
    sum of ``addends[f, l]`` over the fluents ``f`` that hold, but at most
    ``table_size[table[l]] - 1``.

    Attributes:
        table: table that each look-up reads; int64 ``[L]``.
        table_size: rows of each table; int64 ``[T]``.
        addends: at least 0; int64 ``[F, L]``.
    """

    table: Int64s
    table_size: Int64s
    addends: Int64s


def draw_patterns(
    structure: Structure,
    symmetries: Sequence[Symmetry],
    *,
    seed: int,
    lookups: int,
    length: int,
    most_values: int,
    line_share: float,
) -> PatternSet:
    """Draw the patterns of a game.

    Args:
        structure: of the game.
        symmetries: under which images of a pattern read its table; a group that exchanges no
            roles. Those that do not map the mode to itself are left out.
        seed: of the walks.
        lookups: most look-ups in one state; 0: no patterns.
        length: most variables of a random walk.
        most_values: most combinations of values of one pattern.
        line_share: most of the look-ups that lines take; random ones of them if they are more.
    """
    drawn = _Drawn(structure, symmetries, lookups, most_values)
    walks_left = lookups - int(line_share * lookups)
    drawn.left -= walks_left
    order = np.random.default_rng(seed_word(seed)).permutation(len(structure.lines))
    for line in (structure.lines[i] for i in order.tolist()):
        if drawn.mode not in line:
            drawn.add(line)
    drawn.left += walks_left
    fruitless = 0
    for walk in _all_walks(structure, drawn.mode, length, most_values, seed):
        if fruitless == _FRUITLESS or drawn.left <= 0:
            break
        fruitless = 0 if drawn.add(walk) else fruitless + 1
    return drawn.finished()


def _all_walks(
    structure: Structure, mode: int, length: int, most_values: int, seed: int
) -> Iterator[tuple[int, ...]]:
    values = np.array([v.value_count for v in structure.variables], np.int64)
    starts = np.flatnonzero(np.arange(len(values)) != mode)
    if len(starts):
        yield from walks(
            structure.geometry,
            values,
            starts,
            length=length,
            most_values=most_values,
            random=np.random.default_rng(seed_word(seed)),
        )


@final
class _Drawn:
    """The patterns drawn so far, and their images."""

    def __init__(
        self,
        structure: Structure,
        symmetries: Sequence[Symmetry],
        lookups: int,
        most_values: int,
    ) -> None:
        """Choose the symmetries to use: those that map the mode to itself."""
        self.structure, self.left, self.most_values = structure, lookups, most_values
        self.mode = -1 if structure.mode is None else structure.mode.variable
        self.mode_fluents = structure.mode_fluents
        self.used = [
            s.fluents
            for s in symmetries
            if np.isin(s.fluents[self.mode_fluents], self.mode_fluents).all()
        ]
        self.known: set[_Key] = set()
        self.lookups: list[tuple[int, Int64s, Int64s]] = []
        self.sizes: list[int] = []

    def add(self, pattern: tuple[int, ...]) -> bool:
        """Add a pattern and its images, unless it is known, too large, or they are too many."""
        size = 1
        fluents, addends = [], []
        for variable in (self.structure.variables[v] for v in pattern):
            values = np.arange(len(variable.fluents)) + (not variable.exactly)
            fluents.append(variable.fluents)
            addends.append(size * values)
            size *= variable.value_count
        if size > self.most_values:
            return False
        fluent, addend = np.concatenate(fluents), np.concatenate(addends)
        images: dict[_Key, tuple[int, Int64s, Int64s]] = {}
        for symmetry in self.used:
            image = symmetry[fluent]
            order = np.argsort(image)
            order = order[addend[order] > 0]
            key = (
                image[order].tobytes() + addend[order].tobytes(),
                symmetry[self.mode_fluents].tobytes(),
            )
            if key in self.known:
                return False
            images.setdefault(key, (len(self.sizes), image[order], addend[order]))
        if len(images) > self.left:
            return False
        self.left -= len(images)
        self.known |= set(images)
        self.lookups += images.values()
        self.sizes.append(size)
        return True

    def finished(self) -> PatternSet:
        """Return everything as arrays."""
        addends = np.zeros((len(self.structure.variable_of), len(self.lookups)), np.int64)
        for number, (_, fluent, addend) in enumerate(self.lookups):
            addends[fluent, number] = addend
        return PatternSet(
            table=np.array([table for table, _, _ in self.lookups], np.int64),
            table_size=np.array(self.sizes, np.int64),
            addends=addends,
        )
