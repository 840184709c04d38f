"""Random layered games for the search tests, with slow searches written from the definitions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from neurogame.search.alphabeta.tree_search import TreeSearch
from neurogame.search.opposition import Opposition
from tests.search.callback_rules import ports

OPPOSED = Opposition(constant_sum=True, competitive=True)
FREE = Opposition(constant_sum=False, competitive=False)
MOVES = 10
Joint = tuple[int, ...]


@dataclass(frozen=True)
class Position:
    """One state: ``children`` is empty exactly if it is terminal."""

    counts: tuple[int, ...]
    children: dict[Joint, int]
    values: tuple[float, ...]


class RandomTree:
    """A random acyclic game: states of layer t lead to layer t + 1, many to the same state."""

    fluents = 12

    def __init__(
        self,
        seed: int,
        *,
        roles: int,
        plies: int,
        width: int,
        simultaneous: bool,
        zero_sum: bool,
        ends: float = 0.2,
    ) -> None:
        random = np.random.default_rng(seed)
        self._roles = roles
        self.moves = MOVES
        self.offsets = [MOVES * role for role in range(roles + 1)]
        self.expanded = 0
        self.calls = 0
        self.on_call: Callable[[], None] | None = None
        self.positions: list[Position] = []
        layers = [list(range(t * width, (t + 1) * width)) for t in range(plies + 1)]
        for ply, layer in enumerate(layers):
            for _ in layer:
                terminal = ply == plies or (ply > 0 and random.random() < ends)
                counts = self._counts(random, ply, simultaneous)
                children = {}
                if not terminal:
                    for joint in itertools.product(*map(range, counts)):
                        children[joint] = int(random.choice(layers[ply + 1]))
                self.positions.append(
                    Position(
                        counts if not terminal else (0,) * roles,
                        children,
                        self._values(random, terminal, zero_sum),
                    )
                )

    def _counts(self, random: np.random.Generator, ply: int, simultaneous: bool) -> tuple[int, ...]:
        if simultaneous:
            return tuple(int(n) for n in random.integers(1, 4, self._roles))
        mover = ply % self._roles
        return tuple(int(random.integers(1, 5)) if r == mover else 1 for r in range(self._roles))

    def _values(
        self, random: np.random.Generator, terminal: bool, zero_sum: bool
    ) -> tuple[float, ...]:
        if terminal:
            values = [float(v) for v in random.choice([0.0, 0.5, 1.0], self._roles)]
        else:
            # A coarse grid, so that equal values are common.
            values = [float(v) / 16 for v in random.integers(1, 16, self._roles)]
        if zero_sum:
            if self._roles == 2:
                values[1] = 1 - values[0]
            elif terminal:
                winner = int(random.integers(self._roles))
                values = [float(r == winner) for r in range(self._roles)]
        return tuple(values)

    @property
    def role_count(self) -> int:
        return self._roles

    def follow(self, state: int, joint: list[int]) -> int:
        self.expanded += 1
        return self.positions[state].children[tuple(move % self.moves for move in joint)]

    def look(self, state: int) -> tuple[list[int], bool, list[float]]:
        position = self.positions[state]
        legal = [
            self.moves * r + m for r, count in enumerate(position.counts) for m in range(count)
        ]
        return legal, not position.children, list(position.values)

    def value(self, state: int) -> list[float]:
        if self.on_call is not None:
            self.on_call()
        return list(self.positions[state].values)


def packed(state: int) -> Any:
    """Return a state of a random tree as a search takes it; uint64 ``[1]``."""
    return np.array([state], np.uint64)


def numbered(key: bytes) -> int:
    """Return the state of a key of ``proved_states``."""
    bits = np.unpackbits(np.frombuffer(key, np.uint8))
    return int(sum(int(bit) << place for place, bit in enumerate(bits)))


def plain_chance(
    tree: RandomTree, state: int, role: int, depth: int, *, chance: int, united: bool = False
) -> tuple[float, ...]:
    """As :func:`plain_maxn`, but what chance decides, after all others, is averaged.

    Args:
        tree: the game.
        state: where.
        role: who searches.
        depth: plies.
        chance: which role is chance; its values are 0.
        united: whether the others want the worst for ``role``.
    """
    others = [r for r in range(tree.role_count) if r not in (role, chance)]

    def own(values: tuple[float, ...]) -> tuple[float, ...]:
        kept = [1 - values[role] if united else value for value in values]
        kept[role], kept[chance] = values[role], 0.0
        return tuple(float(np.float32(value)) for value in kept)

    @cache
    def value(state: int, depth: int) -> tuple[float, ...]:
        position = tree.positions[state]
        if depth == 0 or not position.children:
            return own(position.values)
        return choose(state, depth, {}, [role, *others, chance])

    def choose(state: int, depth: int, fixed: dict[int, int], rest: list[int]) -> tuple[float, ...]:
        if not rest:
            joint = tuple(fixed[r] for r in range(tree.role_count))
            return value(tree.positions[state].children[joint], depth - 1)
        chooser, *later = rest
        moves = range(tree.positions[state].counts[chooser])
        found = [choose(state, depth, {**fixed, chooser: move}, later) for move in moves]
        if chooser == chance:
            # Of single precision, as the search has them: so the same ones are equal.
            return tuple(float(np.float32(np.mean(one))) for one in zip(*found, strict=True))
        return max(found, key=lambda values: (values[chooser], -values[role]))

    return value(state, depth)


def searcher(tree: Any, opposition: Opposition, **options: Any) -> TreeSearch:
    """Return a search of a random tree."""
    leaves, values = ports(tree)
    return TreeSearch(
        leaves, values, offsets=tree.offsets, fluents=tree.fluents, opposition=opposition, **options
    )


def plain_paranoid(tree: RandomTree, state: int, role: int, depth: int) -> float:
    """Best own move against the worst joint answer, from the definition."""

    @cache
    def best(state: int, depth: int) -> float:
        position = tree.positions[state]
        if depth == 0 or not position.children:
            return position.values[role]
        worst: dict[int, float] = {}
        for joint, child in position.children.items():
            value = best(child, depth - 1)
            worst[joint[role]] = min(value, worst.get(joint[role], 2.0))
        return max(worst.values())

    return best(state, depth)


def plain_maxn(tree: RandomTree, state: int, role: int, depth: int) -> tuple[float, ...]:
    """Everybody maximises their own value, choosing one after the other, ``role`` first.

    Ties are broken against ``role``, then towards the lowest move.
    """
    if depth == 0 or not tree.positions[state].children:
        return tree.positions[state].values
    return max(replies_maxn(tree, state, role, depth), key=lambda values: values[role])


def margin(values: tuple[float, ...], role: int) -> float:
    """Return how far a role's value is above that of its best rival."""
    rivals = [value for other, value in enumerate(values) if other != role]
    return values[role] - max(rivals, default=0.0)


def played_maxn(tree: RandomTree, state: int, role: int, depth: int) -> tuple[float, ...]:
    """As :func:`plain_maxn`, but of equal moves ``role`` plays the one with the best margin."""

    def preference(values: tuple[float, ...]) -> tuple[float, float]:
        return values[role], margin(values, role)

    return max(replies_maxn(tree, state, role, depth), key=preference)


def replies_maxn(tree: RandomTree, state: int, role: int, depth: int) -> list[tuple[float, ...]]:
    """Return what each move of ``role`` leads to where everybody plays for themselves."""
    others = [r for r in range(tree.role_count) if r != role]

    @cache
    def replies(state: int, depth: int) -> list[tuple[float, ...]]:
        position = tree.positions[state]
        values = {joint: value(child, depth - 1) for joint, child in position.children.items()}

        def choose(fixed: dict[int, int], rest: list[int]) -> tuple[float, ...]:
            if not rest:
                return values[tuple(fixed[r] for r in range(tree.role_count))]
            chooser, *later = rest
            moves = range(position.counts[chooser])
            found = [choose({**fixed, chooser: move}, later) for move in moves]
            return max(found, key=lambda values: (values[chooser], -values[role]))

        return [choose({role: move}, others) for move in range(position.counts[role])]

    def value(state: int, depth: int) -> tuple[float, ...]:
        position = tree.positions[state]
        if depth == 0 or not position.children:
            return position.values
        return max(replies(state, depth), key=lambda values: values[role])

    return replies(state, depth)
