"""Candidates for rules: what might be worth something, with all its images under symmetries.

Names play no part: lines, variables, modes and symmetries come from the game's structure, and the
contents of squares from its boards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TypeAlias, final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.evaluators.rules.ground_rule import GroundCount, GroundRule
from neurogame.evaluators.rules.of_rules import mode_fluents
from neurogame.simulate.game import Game

MOST_SHAPES = 60_000
"""Pairs of variables with values, at most; of larger games only neighbours are paired."""

Counts: TypeAlias = tuple[GroundCount, ...]
Family: TypeAlias = tuple[str | int | tuple[tuple[int, ...], int, int], ...]
_Key: TypeAlias = tuple[int, tuple[tuple[tuple[int, ...], int, int], ...]]


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class RuleCandidate:
    """One thing that might be worth something, wherever symmetries put it.

    Attributes:
        kind: ``constant``, ``turn``, ``square``, ``line``, ``threat`` or ``pair``.
        family: equal for candidates that one written rule may stand for: they count the same
            contents.
        instances: the images, of weight 1; their counts and fluents correspond in order.
    """

    kind: str
    family: Family
    instances: tuple[GroundRule, ...]


@final
class CandidateMaker:
    """Makes the candidates of a game."""

    def __init__(
        self, game: Game, *, opposed: bool, needs: Mapping[int, Counts] | None = None
    ) -> None:
        """Look at the structure of a game.

        Args:
            game: the game.
            opposed: whether there are two roles, and what is worth to one costs the other as much.
            needs: what must hold for a fluent to hold after the next move, see
                :func:`~neurogame.inspect.rules.needs.find_needs`.
        """
        self._needs = needs or {}
        self._rank = np.argsort(
            sorted(range(len(game.fluents)), key=lambda f: _natural(game.fluents[f]))
        )
        self.game, self.opposed = game, opposed
        self.structure = game.structure
        self.modes = mode_fluents(game)
        self.content = contents(game, self.modes)
        self._seen: set[_Key] = set()

    def base(self) -> Iterator[RuleCandidate]:
        """Yield constants, whose turn it is, single fluents and lines."""
        yield from self._scoped("constant", [()], turns=False)
        yield from self._scoped("turn", [(GroundCount((f,), 1, 1),) for f in self.modes], False)
        squares = [(one,) for v in self._variables() for one in self._values(v, none=False)]
        yield from self._scoped("square", squares)
        yield from self._scoped("line", self._lines())
        yield from self._scoped("threat", self._threats())

    def pairs(self) -> Iterator[RuleCandidate]:
        """Yield two values of two variables: of any two if they are few, else of neighbours."""
        variables = self._variables()
        pairs = list(combinations(variables, 2))
        values = max((len(self._values(v)) for v in variables), default=0)
        if len(pairs) * values**2 > MOST_SHAPES:
            near = {v: set(self.structure.geometry.neighbours(v)[0].tolist()) for v in variables}
            pairs = [(a, b) for a, b in pairs if b in near[a]]
        shapes = (both for a, b in pairs for both in product(self._values(a), self._values(b)))
        yield from self._scoped("pair", shapes)

    def _variables(self) -> list[int]:
        told = set(self.structure.variable_of[self.modes].tolist())
        return [v for v in range(len(self.structure.variables)) if v not in told]

    def _values(self, variable: int, *, none: bool = True) -> list[GroundCount]:
        """Return that a variable has a value, one for each, and that it has none."""
        group = self.structure.variables[variable]
        values = [GroundCount((f,), 1, 1) for f in group.fluents.tolist()]
        if none and not group.exactly:
            values.append(GroundCount(tuple(group.fluents.tolist()), 0, 0))
        return values

    def _lines(self) -> Iterator[Counts]:
        """Yield how many fluents hold of each condition that is about the same variables."""
        of = self.structure.variable_of
        by_variables: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        for condition in self.structure.conditions:
            line = tuple(sorted(condition, key=lambda f: int(of[f])))
            variables = tuple(dict.fromkeys(of[list(line)].tolist()))
            by_variables.setdefault(variables, []).append(line)
        for variables, conditions in by_variables.items():
            size = len(variables)
            for numbers in product(range(size + 1), repeat=len(conditions)):
                if 0 < sum(numbers) <= size:
                    yield tuple(
                        GroundCount(one, number, number)
                        for one, number in zip(conditions, numbers, strict=True)
                    )

    def _threats(self) -> Iterator[Counts]:
        """Yield conditions of which one fluent is missing that can be made at once, or not yet."""
        for condition, missing in ((c, f) for c in self.structure.conditions for f in c):
            needs = self._needs.get(missing, ())
            of = self.structure.variable_of
            alternatives = self.structure.variables[int(of[missing])].fluents
            free = [one for one in needs if set(one.fluents) == set(alternatives.tolist())]
            support = [one for one in needs if one not in free]
            if len(support) == 1 and condition:
                others = tuple(f for f in condition if of[f] != of[missing])
                count = len(set(of[[*others]]))
                rest = (GroundCount(others, count, count), *free)
                yield (*rest, support[0])
                low, high = support[0].low, support[0].high
                yield (*rest, replace(support[0], low=1 - low, high=1 - high))

    def _scoped(
        self, kind: str, shapes: Iterable[Counts], turns: bool = True
    ) -> Iterator[RuleCandidate]:
        """Yield candidates for shapes, for every role, and for each turn besides."""
        scopes: list[Counts] = [()]
        if turns:
            scopes += [(GroundCount((f,), 1, 1),) for f in self.modes]
        roles = 1 if self.opposed else len(self.game.roles)
        for shape in shapes:
            for scope, role in product(scopes, range(roles)):
                candidate = self._candidate(kind, role, (*scope, *shape))
                if candidate is not None:
                    yield candidate

    def _candidate(self, kind: str, role: int, counts: Counts) -> RuleCandidate | None:
        """Return a candidate with all its images; None if it is known, or they cancel out."""
        if self._key(role, counts) in self._seen:
            return None
        images = self._images(role, counts)
        keys = {self._key(one.role, one.counts) for one in images}
        self._seen |= keys
        if len(keys) < len(images):
            # What is worth the same to both of two opponents is worth nothing.
            return None
        # The same image first for all of a family, with its counts in the same order.
        family, first = min(((self._family(one), one) for one in images), key=lambda pair: pair[0])
        ordered = tuple(sorted(first.counts, key=lambda one: (self._told(one), one.fluents)))
        aligned = [self._sorted(one) for one in self._images(first.role, ordered)]
        return RuleCandidate(kind=kind, family=(kind, *family), instances=tuple(aligned))

    def _images(self, role: int, counts: Counts) -> list[GroundRule]:
        """Return all images, each once."""
        images: dict[tuple[int, _Key], GroundRule] = {}
        for symmetry in self.structure.symmetries:
            moved = tuple(
                GroundCount(tuple(symmetry.fluents[list(c.fluents)].tolist()), c.low, c.high)
                for c in counts
            )
            image_role = int(symmetry.roles[role])
            images.setdefault(
                (image_role, self._key(image_role, moved)), GroundRule(image_role, 1.0, moved)
            )
        return list(images.values())

    def _sorted(self, rule: GroundRule) -> GroundRule:
        """Return an instance with fluents in the order of their texts, side by side in counts."""
        wide = [count for count in rule.counts if len(count.fluents) > 1]
        if len({len(count.fluents) for count in wide}) != 1:
            return rule
        order = np.argsort(self._rank[list(wide[0].fluents)])
        if len({int(self.structure.variable_of[f]) for f in wide[0].fluents}) == 1:
            return rule
        return replace(
            rule,
            counts=tuple(
                replace(one, fluents=tuple(one.fluents[k] for k in order.tolist()))
                if one in wide
                else one
                for one in rule.counts
            ),
        )

    def _key(self, role: int, counts: Counts) -> _Key:
        """Return what two candidates that say the same have in common, sign apart."""
        told = tuple(sorted((tuple(sorted(c.fluents)), c.low, c.high) for c in counts))
        return (0 if self.opposed else role), told

    def _told(self, count: GroundCount) -> tuple[tuple[int, ...], int, int]:
        """Return what a count counts, by contents."""
        return tuple(sorted(int(self.content[f]) for f in count.fluents)), count.low, count.high

    def _family(self, rule: GroundRule) -> tuple[int | tuple[tuple[int, ...], int, int], ...]:
        return (rule.role, *sorted(map(self._told, rule.counts)))


def contents(game: Game, modes: Iterable[int]) -> Int64s:
    """Return a number for each fluent, the same for the same content of squares; ``[F]``.

    Of a relation that is no board all fluents are alike; those that say whose turn it is differ.

    Args:
        game: the game.
        modes: these latter.
    """
    numbers = np.zeros(len(game.fluents), np.int64)
    board_of = {id(board.relation): board for board in game.relations.boards}
    first = 0
    for relation in game.relations.state:
        board = board_of.get(id(relation))
        content = np.zeros(len(relation.fluents), np.int64) if board is None else board.content_of
        numbers[relation.fluents] = first + content
        first += int(content.max()) + 1
    for number, fluent in enumerate(modes):
        numbers[fluent] = -1 - number
    return numbers


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Return what texts are sorted by, so that numbers are in their order."""
    return [
        (0, int(word), "") if word.isdigit() else (1, 0, word)
        for word in re.findall(r"\d+|\D+", text)
    ]
