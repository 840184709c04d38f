"""Boards: relations of the state whose arguments are squares and what stands on them.

A relation is a board if some of its arguments determine the others in the states seen that are not
terminal (a square has one content), and two of these arguments span a grid. Exceptions are allowed
where they are rare (2 % of the squares on which something stands; 10 % where only pieces can
meet), and for one content that rules leave under all others, as the ground they stand on: that is
the blank one.

*Reference:* Kuhlmann and Stone, "Approach" (a ternary relation of which one argument never has two
values at the same time); Michulke and Thielscher, section 2.3 (boards of several numbers).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import final

import numpy as np

from neurogame.analysis.verdict import Verdict
from neurogame.array_types import Int64s, UInt64s
from neurogame.graph.lanes import popcount
from neurogame.structure.evidence import GroupEvidence, split_groups
from neurogame.structure.fluent_relations import FluentRelation

_LONGEST_AXIS = 40
_FILLED_GRID = 0.5
_SHARED_SQUARES = 0.02
_SHARED_BY_PIECES = 0.1
_MOST_SLICES = 36
_MOST_COORDINATES = 5
_BLANK_CHANGES = 0.9


@final
@dataclass(frozen=True, eq=False)
class GameBoard:
    """A relation of the state read as one or more boards; ``K`` fluents, ``C`` contents.

    Attributes:
        relation: the relation.
        axes: the arguments, two or three, that span a board.
        index: the other arguments of a square: they number the boards of one relation.
        content: the arguments that say what stands on a square.
        contents: the different contents, each the values of ``content``; a single empty tuple
            where there is no such argument.
        content_of: content of each fluent; int64 ``[K]``.
        square_of: number of each fluent's square; int64 ``[K]``.
        blank: the content that means that nothing stands on a square, if there is one. In other
            games an empty square simply has no content.
        exclusive: whether a square never has two contents at a time; where that was seen, it is
            the rare exception, or one of the two is blank.
    """

    relation: FluentRelation
    axes: tuple[int, ...]
    index: tuple[int, ...]
    content: tuple[int, ...]
    contents: tuple[tuple[str, ...], ...]
    content_of: Int64s
    square_of: Int64s
    blank: int | None
    exclusive: Verdict

    @property
    def board_count(self) -> int:
        """Number of boards."""
        return math.prod(len(self.relation.domains[place]) for place in self.index)

    @property
    def empty_fluents(self) -> Int64s:
        """Fluents that say that nothing stands on a square; none where empty ones say nothing."""
        blank = -1 if self.blank is None else self.blank
        empty: Int64s = self.relation.fluents[self.content_of == blank]
        return empty


def find_boards(
    relations: Sequence[FluentRelation],
    ordered: Collection[tuple[FluentRelation, int]],
    evidence: GroupEvidence,
) -> tuple[GameBoard, ...]:
    """Return the boards of a game.

    Args:
        relations: of its state.
        ordered: which arguments are ordered.
        evidence: states of the game.
    """
    boards = []
    for relation in relations:
        if relation.arity < 2:
            continue
        search = _Search(relation, {p for r, p in ordered if r is relation}, evidence)
        squares = search.best()
        if squares is not None:
            boards.append(_board(relation, squares, evidence))
    return tuple(boards)


@final
@dataclass(frozen=True)
class _Squares:
    """How a relation is read as a board.

    Attributes:
        axes: the arguments that span a grid.
        key: the arguments that number the squares, the axes among them.
        ground: number, among the different values of the other arguments, of what stays on a
            square under its content; None if nothing does.
    """

    axes: tuple[int, ...]
    key: tuple[int, ...]
    ground: int | None


@final
class _Search:
    """Looks for the squares of one relation."""

    def __init__(
        self, relation: FluentRelation, ordered: set[int], evidence: GroupEvidence
    ) -> None:
        self.relation, self.ordered, self.evidence = relation, ordered, evidence
        self.several = bool(evidence.counts(relation.fluents)[1].any())
        self.left = evidence.witnesses.left
        self.states = max(popcount(self.left), 1)

    def best(self) -> _Squares | None:
        """Return the squares, or None if this is no board.

        They determine the other arguments, no part of them does, and two of them span a grid. Of
        several such sets, the smallest wins, then the one that fills its squares best. Where only
        one fluent ever holds, all arguments determine all; it is the place of one piece if just
        the ordered ones span a grid.
        """
        if not self.several:
            key = tuple(sorted(self.ordered))
            axes = self._axes(key) if 1 < len(key) < self.relation.arity else ()
            return _Squares(axes, key, None) if axes and axes == key else None
        keys: list[tuple[int, ...]] = []
        for size in range(1, min(self.relation.arity, _MOST_COORDINATES) + 1):
            best: tuple[tuple[float, float], _Squares] | None = None
            for key in combinations(range(self.relation.arity), size):
                if any(set(smaller) < set(key) for smaller in keys):
                    continue
                axes = self._axes(key)
                filled, ground = self._filled(key, bool(axes))
                if filled is None:
                    continue
                keys.append(key)
                if not axes:
                    continue
                score = (filled, self._overlap(axes[0], axes[1]))
                if filled > 0 and (best is None or score > best[0]):
                    best = score, _Squares(axes, key, ground)
            if best is not None:
                return best[1]
        return None

    def _filled(self, key: tuple[int, ...], grid: bool) -> tuple[float | None, int | None]:
        """Return the mean contents of a square, None if too many squares have several.

        And the number of a content that stays under the others, if only without it squares have
        one content.

        Args:
            key: arguments that may number squares.
            grid: whether they span a grid.
        """
        relation = self.relation
        squares = relation.groups(key)
        one, two = self._count(relation.fluents, squares)
        ground = None
        if two > _SHARED_SQUARES * one and grid and len(key) < relation.arity:
            content = relation.groups(relation.others(key))
            groups = split_groups(relation.fluents, content)
            pieces = all(not self.evidence.counts(group)[1].any() for group in groups)
            ground = None if pieces else self._ground(groups, int(squares.max()) + 1)
            if pieces and two <= _SHARED_BY_PIECES * one:
                two = 0
            elif ground is not None:
                rest = content != ground
                one, two = self._count(relation.fluents[rest], squares[rest])
        if two > _SHARED_SQUARES * one:
            return None, None
        return (one + two) / ((int(squares.max()) + 1) * self.states), ground

    def _count(self, fluents: Int64s, squares: Int64s) -> tuple[int, int]:
        """Return how often one or more, and two or more, of the fluents of a square hold."""
        one = two = 0
        _, squares = np.unique(squares, return_inverse=True)
        for group in split_groups(fluents, squares.reshape(-1)):
            some, several = self.evidence.counts(group)
            one, two = one + popcount(some & self.left), two + popcount(several & self.left)
            # Far from being a key: no need to look at all squares.
            if two > 1000 and two > one // 2:
                break
        return one, two

    def _ground(self, contents: Sequence[Int64s], squares: int) -> int | None:
        """Return the content that holds on half of all squares or more; of three or more."""
        states = self.evidence.witnesses.states
        held = [popcount(states[fluents] & self.left) for fluents in contents]
        most = int(np.argmax(held))
        return most if len(contents) > 2 and 2 * held[most] >= squares * self.states else None

    def _axes(self, key: tuple[int, ...]) -> tuple[int, ...]:
        """Return the coordinates that span a board, or nothing if none do.

        The ordered ones, if there are two or three. Otherwise two that are alike and long: of
        equal ones, the first two of three and the last two of more (a board of boards); three
        that are all alike are a cube.
        """
        relation = self.relation
        sizes = [len(domain) for domain in relation.domains]
        cells = math.prod(sizes[axis] for axis in key)
        ordered = [axis for axis in key if axis in self.ordered]
        whole = len(key) == relation.arity
        if len(ordered) > 3:
            return ()
        pairs = [
            pair
            for pair in combinations(ordered if len(ordered) > 1 else key, 2)
            if self._spans_grid(pair)
            and cells <= _MOST_SLICES * sizes[pair[0]] * sizes[pair[1]]
            and not (whole and len(ordered) < 2 and not self._overlap(*pair))
        ]
        if not pairs:
            return ()
        if len(ordered) > 1:
            return tuple(ordered)
        if len(ordered) == 1:
            pairs = [pair for pair in pairs if ordered[0] in pair] or pairs
        if len(key) > 3:
            pairs.reverse()
        best = max(pairs, key=lambda p: (self._overlap(*p), sizes[p[0]] * sizes[p[1]]))
        alike = all(set(relation.domains[a]) == set(relation.domains[best[0]]) for a in key)
        return key if len(key) == 3 and alike else best

    def _spans_grid(self, pair: tuple[int, ...]) -> bool:
        width, height = (len(self.relation.domains[axis]) for axis in pair)
        if min(width, height) < 2 or max(width, height) > _LONGEST_AXIS:
            return False
        return int(self.relation.groups(pair).max()) + 1 >= _FILLED_GRID * width * height

    def _overlap(self, first: int, second: int) -> float:
        """Return how alike two arguments are: common values / all values, 0 below a half."""
        one, other = set(self.relation.domains[first]), set(self.relation.domains[second])
        share = len(one & other) / len(one | other)
        return share if share >= 0.5 else 0.0


def _board(relation: FluentRelation, squares: _Squares, evidence: GroupEvidence) -> GameBoard:
    content = relation.others(squares.key)
    content_of = relation.groups(content)
    _, first = np.unique(content_of, return_index=True)
    square_of = relation.groups(squares.key)
    blank = squares.ground
    if blank is None:
        blank = _blank(relation, square_of, content_of, evidence)
    return GameBoard(
        relation=relation,
        axes=squares.axes,
        index=tuple(place for place in squares.key if place not in squares.axes),
        content=content,
        contents=tuple(
            tuple(relation.domains[place][relation.codes[i, place]] for place in content)
            for i in first.tolist()
        ),
        content_of=content_of,
        square_of=square_of,
        blank=blank,
        exclusive=evidence.at_most_one(split_groups(relation.fluents, square_of)),
    )


def _blank(
    relation: FluentRelation, square_of: Int64s, content_of: Int64s, evidence: GroupEvidence
) -> int | None:
    """Return the content that means an empty square.

    There is one only where every square that can have several contents always has one. It comes
    or goes in nearly every step that changes the board; of several such, it is the one on most
    squares at the start.
    """
    several = [g for g in split_groups(relation.fluents, square_of) if len(g) > 1]
    present = evidence.witnesses.present
    if not several or any((present & ~evidence.counts(group)[0]).any() for group in several):
        return None
    contents = split_groups(relation.fluents, content_of)
    changes = [_changes(fluents, evidence) for fluents in contents]
    total = popcount(np.bitwise_or.reduce(changes, axis=0))
    at_start = [
        int((evidence.witnesses.states[fluents, 0] & np.uint64(1)).sum()) for fluents in contents
    ]
    likely = [
        i for i, change in enumerate(changes) if popcount(change) >= _BLANK_CHANGES * total > 0
    ]
    return max(likely, key=lambda i: (at_start[i], popcount(changes[i])), default=None)


def _changes(fluents: Int64s, evidence: GroupEvidence) -> UInt64s:
    """Return the steps that change some of the fluents; uint64 ``[P]``."""
    before, after, moved = evidence.witnesses.steps(fluents)
    changed: UInt64s = np.bitwise_or.reduce(before ^ after, axis=0) & moved
    return changed
