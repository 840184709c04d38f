"""One search in progress: iterative deepening until a limit or a proof ends it."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import final

import numpy as np

from neurogame.search.clock import Clock, SearchStopped
from neurogame.search.expander import Expander
from neurogame.search.history import History
from neurogame.search.maxn import MaxN
from neurogame.search.node import Node, Table
from neurogame.search.outlook import Outlook
from neurogame.search.paranoid import Paranoid
from neurogame.search.result import SearchResult
from neurogame.search.settings import SearchSettings
from neurogame.search.tree import Bytes, Flags, Integers, SearchTree

DEEPEST = 200
"""Plies that no search exceeds: the recursion must fit on Python's stack."""


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Root:
    """The state to search from.

    Attributes:
        state: packed state; uint8 ``[1, P]``.
        legal: packed legal moves; uint8 ``[1, Q]``.
        counts: number of legal moves of each role; int64 ``[R]``.
        own_moves: the searching role's legal moves, ascending; int64 ``[A]``.
    """

    state: Bytes
    legal: Bytes
    counts: Integers
    own_moves: Integers


@final
class SearchRun:
    """One search in progress: the iterations and what the last complete one found."""

    def __init__(
        self,
        *,
        tree: SearchTree,
        root: Root,
        outlook: Outlook,
        opposed: bool,
        paranoid: bool,
        table: Table,
        history: History,
        clock: Clock,
        settings: SearchSettings,
        random: np.random.Generator,
    ) -> None:
        """Prepare a search.

        Args:
            tree: the game.
            root: where to start.
            outlook: values states for the searching role.
            opposed: whether there are two roles and their goals sum to 100.
            paranoid: whether the others minimise (else max^n).
            table: nodes, kept from move to move.
            history: move ordering, kept from move to move.
            clock: watches the limits.
            settings: how to search.
            random: decides between equal moves.
        """
        self.table = table
        self._node = table.node(root.state, root.legal, root.counts)
        self._root = root
        self._role = outlook.role
        self._opposed = opposed
        self._margin = outlook.margin
        self._clock = clock
        self._settings = settings
        self._is_paranoid = paranoid
        self._random = random
        expander = Expander(tree, table, outlook, clock, settings)
        self.paranoid = Paranoid(outlook.role, expander, history, clock, settings)
        self.maxn = MaxN(outlook.role, expander)
        self._depth = 0
        self._row = -1
        self._proved = False
        self._value: tuple[float, ...] = (0.5,) * tree.role_count
        self._scores: dict[int, float] = {}
        self._line: tuple[tuple[int, ...], ...] = ()

    def deepen(self, deepest: int | None) -> None:
        """Search one ply deeper each time until something ends it.

        Args:
            deepest: limit on the depth, at least 1; None for no other than ``DEEPEST``.
        """
        if self._node.child_count > self._settings.widest or self._node.child_count == 0:
            return
        forced = len(self._root.own_moves) == 1 and not self._settings.think_when_forced
        last = 1 if forced else min(deepest or DEEPEST, DEEPEST)
        try:
            for depth in range(1, last + 1):
                exhausted = self._iterate(depth)
                self._clock.armed = True
                if exhausted or self._decided():
                    return
                self._clock.check()
        except SearchStopped:
            return

    def _iterate(self, depth: int) -> bool:
        """Run one iteration; return whether nothing is left to look at."""
        if self._is_paranoid:
            self.paranoid.horizon = False
            own = self._windowed(depth)
            exhausted = not self.paranoid.horizon
            self._proved = self._node.proved
        else:
            self.maxn.horizon = False
            own = float(self.maxn.search(self._node, depth)[self._role])
            exhausted = not self.maxn.horizon
            self._proved = self._node.solved
        self._keep(depth, own)
        return exhausted

    def _windowed(self, depth: int) -> float:
        """Search with the aspiration window, and again with the full one if that was too small."""
        half = self._settings.aspiration
        if half is not None and self._depth > 0:
            guess = self._value[self._role]
            low, high = guess - half, guess + half
            value = self.paranoid.visit(self._node, depth, low, high, self._random)
            if low < value < high or self._node.proved:
                return value
        return self.paranoid.visit(self._node, depth, -1.0, 2.0, self._random)

    def _keep(self, depth: int, own: float) -> None:
        """Take over the result of a complete iteration."""
        node = self._node
        children = node.children
        assert children is not None
        assert node.leaf is not None
        previous = self._row
        self._row = self._choose(previous)
        value = node.leaf.tolist()
        value[self._role] = own
        if self._opposed and self._is_paranoid and (self._margin or self._proved):
            value[1 - self._role] = complement(own) if self._proved else 1.0 - own
        self._value = tuple(value)
        self._depth = max(depth, node.depth)
        answers = node.estimate[node.grid]
        scores = answers.min(axis=1) if self._is_paranoid else answers.max(axis=1)
        self._scores = dict(zip(self._root.own_moves.tolist(), scores.tolist(), strict=True))
        self._scores[int(children.joint[self._row, self._role])] = own
        self._line = self._principal_line()

    def _choose(self, previous: int) -> int:
        """Return the row to play: the best found, but among proved moves a proved one."""
        node = self._node
        if not (self._is_paranoid and node.proved):
            return node.best
        if previous >= 0 and node.proved_high == 0.0:
            # Lost anyway: the move that looked best before needs the longest refutation.
            return previous
        sure = node.low[node.grid].min(axis=1)
        best_own = int(np.flatnonzero((node.grid == node.best).any(axis=1))[0])
        if sure[best_own] == sure.max():
            return node.best
        return node.proved_row()

    def _decided(self) -> bool:
        """Return whether deeper search cannot change the move."""
        if self._proved:
            return True
        if not self._is_paranoid:
            return False
        node = self._node
        sure = node.low[node.grid].min(axis=1)
        hope = node.high[node.grid].min(axis=1)
        own: Flags = (node.grid == self._row).any(axis=1)
        return len(sure) > 1 and float(sure[own][0]) >= float(hope[~own].max())

    def _principal_line(self) -> tuple[tuple[int, ...], ...]:
        """Follow the best rows from the root."""
        line: list[tuple[int, ...]] = []
        node: Node | None = self._node
        row = self._row
        while node is not None and node.children is not None and row >= 0:
            line.append(tuple(node.children.joint[row].tolist()))
            if len(line) >= self._depth:
                break
            node = node.nodes[row]
            row = -1 if node is None else node.best
        return tuple(line)

    def result(self, proved_states: MappingProxyType[bytes, tuple[float, ...]]) -> SearchResult:
        """Return what was found; a random legal move if no iteration was completed."""
        if self._row >= 0:
            assert self._node.children is not None
            move = int(self._node.children.joint[self._row, self._role])
        else:
            move = int(self._random.choice(self._root.own_moves))
        return SearchResult(
            role=self._role,
            move=move,
            value=self._value,
            proved=self._proved and self._row >= 0,
            depth=self._depth,
            nodes=self._clock.nodes,
            visits=self.paranoid.visits + self.maxn.visits,
            seconds=self._clock.seconds,
            line=self._line,
            scores=MappingProxyType(self._scores),
            proved_states=proved_states,
        )


def complement(value: float) -> float:
    """Return what is left of a goal sum of 100, exactly as ``goal / 100``.

    Args:
        value: a goal / 100; 1 - 0.3 in floating point would not be 0.7.
    """
    return round(100 * (1.0 - value)) / 100
