"""Patterns: n-tuples of variables, each with a table of one weight per combination of values.

Lines come first, then random walks over the geometry. The images of a pattern under the symmetries
of the game read the same table.

*Reference:* Lucas, "Learning to play Othello with n-tuple systems" (2008), section III; Thill, Koch
and Konen, "Reinforcement learning with n-tuples on the game Connect-4" (2012), section 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias, final

import numpy as np

from neurogame.analysis.verdict import Evidence
from neurogame.array_types import Bools, Int64s
from neurogame.graph.groups import group_starts
from neurogame.structure.structure import Structure
from neurogame.structure.subgroup import composition_table, small_subgroup
from neurogame.structure.symmetries import Symmetry
from neurogame.structure.walks import walks

_FRUITLESS = 200
"""Walks in a row that add nothing before no more are drawn."""

_Key: TypeAlias = tuple[bytes, bytes, bytes]


@final
@dataclass(frozen=True, kw_only=True)
class PatternLimits:
    """How many patterns there are, and how large they are.

    Attributes:
        lookups: most look-ups in one state; 0: no patterns.
        length: most variables of a random walk.
        most_values: most combinations of values of one pattern.
        images: most symmetries to use; of a larger group a smaller one in it.
        line_share: most of the look-ups that lines take; random ones of them if they are more.
        exchange: whether to use symmetries that exchange roles.
    """

    lookups: int = 160
    length: int = 8
    most_values: int = 20_000
    images: int = 16
    line_share: float = 0.5
    exchange: bool = True


@final
@dataclass(frozen=True, eq=False)
class PatternSet:
    """The patterns of a game for code that knows fluents only.

    ``L`` look-ups, ``T`` tables, ``F`` fluents, ``R`` roles, ``K`` values of the mode (1 if there
    is none), ``E`` entries.

    The row that look-up ``l`` reads in a state is the sum of ``addend[e]`` over those of its
    entries ``start[l] <= e < start[l + 1]`` whose ``fluent[e]`` holds, but at most
    ``table_size[table[l]] - 1``. For role ``r`` in mode ``k`` it reads that row of the weights of
    role ``roles[l, r]`` in mode ``modes[l, k]``.

    Attributes:
        table: table that each look-up reads; int64 ``[L]``.
        table_size: rows of each table; int64 ``[T]``.
        start: int64 ``[L + 1]``.
        fluent: ascending per look-up; int64 ``[E]``.
        addend: > 0; int64 ``[E]``.
        symmetry: index of the symmetry that maps the table's pattern to the look-up;
            int64 ``[L]``.
        roles: role whose weights the look-up reads for each role; int64 ``[L, R]``.
        modes: mode whose weights the look-up reads in each mode; int64 ``[L, K]``.
        certain: it is proved that the sum of addends never exceeds the table; bool ``[L]``.
        patterns: variables of each table's pattern.
        line_count: the first so many tables are those of lines.
    """

    table: Int64s
    table_size: Int64s
    start: Int64s
    fluent: Int64s
    addend: Int64s
    symmetry: Int64s
    roles: Int64s
    modes: Int64s
    certain: Bools
    patterns: tuple[tuple[int, ...], ...]
    line_count: int

    @property
    def lookup_count(self) -> int:
        """Number of look-ups, ``L``."""
        return len(self.table)


def draw_patterns(
    structure: Structure, *, seed: int = 0, limits: PatternLimits | None = None
) -> PatternSet:
    """Draw the patterns of a game.

    Args:
        structure: of the game.
        seed: of the walks.
        limits: how many there are, and how large.
    """
    limits = limits or PatternLimits()
    drawn = _Drawn(structure, limits)
    walks_left = limits.lookups - int(limits.line_share * limits.lookups)
    drawn.left -= walks_left
    order = np.random.default_rng(seed).permutation(len(structure.lines))
    for line in (structure.lines[i] for i in order.tolist()):
        if drawn.mode not in line:
            drawn.add(line)
    line_count = len(drawn.patterns)
    drawn.left += walks_left
    fruitless = 0
    for walk in _all_walks(structure, drawn.mode, limits, seed):
        if fruitless == _FRUITLESS or drawn.left <= 0:
            break
        fruitless = 0 if drawn.add(walk) else fruitless + 1
    return drawn.finished(line_count)


def _all_walks(
    structure: Structure, mode: int, limits: PatternLimits, seed: int
) -> Iterator[tuple[int, ...]]:
    values = np.array([v.value_count for v in structure.variables], np.int64)
    starts = np.flatnonzero(np.arange(len(values)) != mode)
    if len(starts):
        yield from walks(
            structure.geometry,
            values,
            starts,
            length=limits.length,
            most_values=limits.most_values,
            random=np.random.default_rng(seed),
        )


@final
@dataclass(eq=False)
class _Drawn:
    """The patterns drawn so far, and their images."""

    structure: Structure
    limits: PatternLimits
    patterns: list[tuple[int, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Choose the symmetries to use: those that map the mode to itself."""
        structure = self.structure
        self.left = self.limits.lookups
        self.mode = -1 if structure.mode is None else structure.mode.variable
        self.mode_fluents = (
            np.zeros(0, np.int64) if self.mode < 0 else structure.variables[self.mode].fluents
        )
        usable = np.array(
            [
                np.isin(s.fluents[self.mode_fluents], self.mode_fluents).all()
                and (self.limits.exchange or bool((s.roles == np.arange(len(s.roles))).all()))
                for s in self.symmetries
            ]
        )
        table = composition_table(self.symmetries)
        self.used = small_subgroup(table, usable, self.limits.images)
        self.known: set[_Key] = set()
        self.lookups: list[tuple[int, int, Int64s, Int64s]] = []
        self.sizes: list[int] = []
        self.proved = {
            v.fluents.tobytes(): v.evidence is not Evidence.SAMPLED for v in structure.variables
        }
        self.certain: list[bool] = []

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """All symmetries of the game."""
        return self.structure.symmetries

    def add(self, pattern: tuple[int, ...]) -> bool:
        """Add a pattern and its images, unless it is known, too large, or they are too many."""
        variables = [self.structure.variables[v] for v in pattern]
        size = 1
        fluents, addends = [], []
        for variable in variables:
            values = np.arange(len(variable.fluents)) + (not variable.exactly)
            fluents.append(variable.fluents)
            addends.append(size * values)
            size *= variable.value_count
        if size > self.limits.most_values:
            return False
        fluent, addend = np.concatenate(fluents), np.concatenate(addends)
        images: dict[_Key, tuple[int, int, Int64s, Int64s]] = {}
        sure = []
        for index in self.used:
            symmetry = self.symmetries[index]
            image = symmetry.fluents[fluent]
            order = np.argsort(image)
            order = order[addend[order] > 0]
            entry = (len(self.patterns), index, image[order], addend[order])
            key = (
                image[order].tobytes() + addend[order].tobytes(),
                symmetry.roles.tobytes(),
                symmetry.fluents[self.mode_fluents].tobytes(),
            )
            if key in self.known:
                return False
            if key not in images:
                images[key] = entry
                moved = (np.sort(symmetry.fluents[v.fluents]).tobytes() for v in variables)
                sure.append(all(self.proved.get(one, False) for one in moved))
        if len(images) > self.left:
            return False
        self.left -= len(images)
        self.known |= set(images)
        self.lookups += images.values()
        self.certain += sure
        self.patterns.append(pattern)
        self.sizes.append(size)
        return True

    def finished(self, line_count: int) -> PatternSet:
        """Return everything as arrays."""
        none = np.zeros(0, np.int64)
        symmetry = np.array([one[1] for one in self.lookups], np.int64)
        symmetries = [self.symmetries[index] for index in symmetry.tolist()]
        count = len(self.symmetries[0].roles)
        modes = [self._modes(one) for one in symmetries]
        return PatternSet(
            table=np.array([one[0] for one in self.lookups], np.int64),
            table_size=np.array(self.sizes, np.int64),
            start=group_starts(np.array([len(one[2]) for one in self.lookups], np.int64)),
            fluent=np.concatenate([none, *(one[2] for one in self.lookups)]),
            addend=np.concatenate([none, *(one[3] for one in self.lookups)]),
            symmetry=symmetry,
            roles=np.array([np.argsort(one.roles) for one in symmetries], np.int64).reshape(
                -1, count
            ),
            modes=np.array(modes, np.int64).reshape(-1, max(len(self.mode_fluents), 1)),
            certain=np.array(self.certain, np.bool_),
            patterns=tuple(self.patterns),
            line_count=line_count,
        )

    def _modes(self, symmetry: Symmetry) -> Int64s:
        """Return the mode that a symmetry maps to each mode."""
        if not len(self.mode_fluents):
            return np.zeros(1, np.int64)
        images = np.searchsorted(self.mode_fluents, symmetry.fluents[self.mode_fluents])
        return np.argsort(images)
