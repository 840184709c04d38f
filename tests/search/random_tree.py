"""Random layered games for the search tests, with slow searches written from the definitions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from neurogame.search.opposition import Opposition
from neurogame.search.run import Root
from neurogame.search.tree import Bytes, Frontier

OPPOSED = Opposition(constant_sum=True, competitive=True)
FREE = Opposition(constant_sum=False, competitive=False)
Joint = tuple[int, ...]


@dataclass(frozen=True)
class Position:
    """One state: ``children`` is empty exactly if it is terminal."""

    counts: tuple[int, ...]
    children: dict[Joint, int]
    values: tuple[float, ...]


class RandomTree:
    """A random acyclic game: states of layer t lead to layer t + 1, many to the same state."""

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
        self.expanded = 0
        self.calls = 0
        self.on_expand: Callable[[], None] | None = None
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

    def root(self, role: int) -> Root:
        counts = np.array(self.positions[0].counts)
        return Root(
            state=self._pack([0]),
            legal=np.zeros((1, 1), dtype=np.uint8),
            counts=counts,
            own_moves=np.arange(counts[role]),
        )

    @staticmethod
    def _pack(states: list[int]) -> Bytes:
        return np.array(states, dtype=np.uint32).view(np.uint8).reshape(-1, 4)

    def expand(self, states: Bytes, legal: Bytes) -> Frontier:
        assert len(states) == len(legal)
        parents = np.ascontiguousarray(states).view(np.uint32).reshape(-1).tolist()
        found: list[int] = []
        joint: list[Joint] = []
        start = [0]
        for parent in parents:
            children = self.positions[parent].children
            found += children.values()
            joint += children
            start.append(len(found))
        self.expanded += len(found)
        self.calls += 1
        if self.on_expand is not None:
            self.on_expand()
        return Frontier(
            start=np.array(start),
            joint=np.array(joint),
            states=self._pack(found),
            legal=np.zeros((len(found), 1), dtype=np.uint8),
            counts=np.array([self.positions[s].counts for s in found]),
            terminal=np.array([not self.positions[s].children for s in found]),
            values=np.array([self.positions[s].values for s in found]),
        )


def plain_paranoid(tree: RandomTree, state: int, role: int, depth: int) -> float:
    """Best own move against the worst joint answer, from the definition."""
    position = tree.positions[state]
    if depth == 0 or not position.children:
        return position.values[role]
    worst: dict[int, float] = {}
    for joint, child in position.children.items():
        value = plain_paranoid(tree, child, role, depth - 1)
        worst[joint[role]] = min(value, worst.get(joint[role], 2.0))
    return max(worst.values())


def plain_maxn(tree: RandomTree, state: int, role: int, depth: int) -> tuple[float, ...]:
    """Everybody maximises their own value, choosing one after the other, ``role`` first.

    Ties are broken against ``role``, then towards the lowest move.
    """
    position = tree.positions[state]
    if depth == 0 or not position.children:
        return position.values
    values = {j: plain_maxn(tree, c, role, depth - 1) for j, c in position.children.items()}
    order = [role, *(r for r in range(tree.role_count) if r != role)]

    def choose(fixed: dict[int, int], rest: list[int]) -> tuple[float, ...]:
        if not rest:
            return values[tuple(fixed[r] for r in range(tree.role_count))]
        chooser = rest[0]
        best: tuple[float, ...] | None = None
        for move in range(position.counts[chooser]):
            value = choose({**fixed, chooser: move}, rest[1:])
            if best is None or (value[chooser], -value[role]) > (best[chooser], -best[role]):
                best = value
        assert best is not None
        return best

    return choose({}, order)
