"""Expands nodes in batches: the one place where the search asks the game for states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from neurogame.search.clock import Clock, SearchStopped
from neurogame.search.node import Node, Table
from neurogame.search.outlook import Outlook
from neurogame.search.settings import SearchSettings
from neurogame.search.tree import Flags, Frontier, SearchTree


@final
class Expander:
    """Generates the children of nodes, many nodes per call of the game."""

    def __init__(
        self,
        tree: SearchTree,
        table: Table,
        outlook: Outlook,
        clock: Clock,
        settings: SearchSettings,
    ) -> None:
        """Make an expander for one search.

        Args:
            tree: the game.
            table: where nodes live.
            outlook: values children for the searching role.
            clock: charged for every generated state.
            settings: batch sizes and capacity.
        """
        self.table = table
        self._tree = tree
        self._outlook = outlook
        self._clock = clock
        self._settings = settings

    def expand(self, nodes: Sequence[Node]) -> None:
        """Expand the nodes that are not yet expanded, in batches of bounded size.

        Args:
            nodes: nodes without repetition, none wider than the settings allow.

        Raises:
            SearchStopped: a limit was reached; the batches done so far are kept.
        """
        waiting: list[Node] = []
        size = 0
        for node in nodes:
            if node.children is not None:
                continue
            width = node.child_count
            if waiting and size + width > self._clock.batch(self._settings.batch):
                self._expand_now(waiting, size)
                waiting, size = [], 0
            waiting.append(node)
            size += width
        if waiting:
            self._expand_now(waiting, size)

    def ahead(self, node: Node, rows: Sequence[int], count: int) -> None:
        """Expand the nodes of the next children that the search will visit.

        Args:
            node: an expanded node.
            rows: rows of its children in the order of the visits.
            count: how many of those to expand that are not expanded yet.

        Raises:
            SearchStopped: a limit was reached.
        """
        room = self._clock.batch(self._settings.batch)
        chosen: dict[Node, None] = {}
        for row in rows:
            if len(chosen) == count:
                break
            if not node.open[row] or node.low[row] == node.high[row]:
                continue
            child = self.table.child(node, row)
            if child.children is None and child not in chosen:
                room -= child.child_count
                if room < 0 and chosen:
                    break
                chosen[child] = None
        self.expand(list(chosen))

    def _expand_now(self, nodes: list[Node], size: int) -> None:
        """Expand these nodes in one call of the game."""
        if self.table.rows + size > self._settings.capacity and self.table.rows > 0:
            raise SearchStopped
        self._clock.charge(size)
        before = self._clock.seconds
        frontier = self._tree.expand(
            np.concatenate([node.state for node in nodes]),
            np.concatenate([node.legal for node in nodes]),
        )
        self._clock.learn_rate(size, self._clock.seconds - before)
        self.table.rows += size
        open_rows = self._open_rows(frontier)
        static = self._outlook.values(frontier)
        for index, node in enumerate(nodes):
            rows = slice(int(frontier.start[index]), int(frontier.start[index + 1]))
            node.adopt(frontier.part(index), static[rows], open_rows[rows], self._outlook.role)
            if node.proved:
                self.table.proofs.append(node)

    def _open_rows(self, children: Frontier) -> Flags:
        """Return which children can be searched further; bool ``[K]``."""
        # In floating point: the product of many counts may exceed 64 bits.
        width = children.counts.astype(np.float64).prod(axis=1)
        open_rows: Flags = (width > 0) & (width <= self._settings.widest) & ~children.terminal
        return open_rows
