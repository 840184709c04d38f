"""Searches on any tree; the tree, the move ordering and all proofs are kept between searches."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import final

import numpy as np

from neurogame.errors import ConfigurationError, GameError
from neurogame.search.clock import Clock
from neurogame.search.history import History
from neurogame.search.limit import Limit
from neurogame.search.node import Table
from neurogame.search.opposition import Opposition
from neurogame.search.outlook import Outlook
from neurogame.search.result import SearchResult
from neurogame.search.run import Root, SearchRun, complement
from neurogame.search.settings import SearchSettings
from neurogame.search.tree import SearchTree


@final
class TreeSearch:
    """Alpha-beta or max^n on any :class:`SearchTree`; remembers its tree from move to move."""

    def __init__(
        self,
        tree: SearchTree,
        *,
        opposition: Opposition,
        settings: SearchSettings | None = None,
        seed: int = 0,
    ) -> None:
        """Make a searcher.

        Args:
            tree: the game with its evaluator.
            opposition: whether the roles are opponents.
            settings: how to search.
            seed: decides between equal moves.
        """
        self._tree = tree
        self._constant_sum = opposition.constant_sum
        self._settings = settings or SearchSettings()
        self._random = np.random.default_rng(seed)
        self._tables: dict[int, Table] = {}
        self._histories: dict[int, History] = {}
        self._proved: dict[bytes, tuple[float, ...]] = {}
        opponents = self._settings.opponents
        if opponents == "auto":
            opposed = opposition.competitive or tree.role_count == 1
            opponents = "paranoid" if opposed else "maxn"
        self.opponents = opponents
        self._opposed = opposition.constant_sum and tree.role_count == 2
        self._margin = (
            self._opposed and opponents == "paranoid" and self._settings.outlook == "margin"
        )
        self.proved_states = MappingProxyType(self._proved)

    def forget(self, *, proofs: bool = True) -> None:
        """Drop the tree, for example because the evaluator changed.

        Args:
            proofs: whether to drop the proved states too; they never depend on the evaluator.
        """
        self._tables.clear()
        self._histories.clear()
        if proofs:
            self._proved.clear()

    def search(self, root: Root, role: int, limit: Limit) -> SearchResult:
        """Search for the best move.

        Args:
            root: a non-terminal state.
            role: the searching role.
            limit: when to stop; ``simulations`` is ignored.

        Raises:
            ConfigurationError: the limit sets none of seconds, nodes and depth.
            GameError: the role has no legal move.
        """
        if limit.seconds is None and limit.nodes is None and limit.depth is None:
            raise ConfigurationError(
                f"alpha-beta: limit {str(limit)!r}; set at least one of seconds, nodes, depth"
            )
        if len(root.own_moves) == 0:
            raise GameError(f"search: role {role} has no legal move in this state")
        clock = Clock(limit)
        table = self._tables.setdefault(role, Table(shared=self._settings.transpositions))
        if table.rows > self._settings.capacity // 2:
            table.clear()
        history = self._histories.setdefault(role, History(self._tree.role_count))
        history.fade()
        run = SearchRun(
            tree=self._tree,
            root=root,
            outlook=Outlook(role=role, margin=self._margin),
            opposed=self._opposed,
            paranoid=self.opponents == "paranoid",
            table=table,
            history=history,
            clock=clock,
            settings=self._settings,
            random=self._random,
        )
        try:
            run.deepen(limit.depth)
        finally:
            self._collect_proofs(run, role)
        return run.result(self.proved_states)

    def _collect_proofs(self, run: SearchRun, role: int) -> None:
        """Add what this search proved to the memory of proved states."""
        if self.opponents == "maxn":
            for key, values in run.maxn.certain.items():
                self._proved[key] = tuple(values.tolist())
        else:
            for node in run.table.proofs:
                known = self._proved_values(node.proved_low, role)
                if known is not None:
                    self._proved[node.key] = known
        run.table.proofs.clear()

    def _proved_values(self, value: float, role: int) -> tuple[float, ...] | None:
        """Return what the searching role's proved value says about all roles, if it does."""
        roles = self._tree.role_count
        if roles == 1:
            return (value,)
        if self._constant_sum and (roles == 2 or value == 1.0):
            other = complement(value)
        elif value == 1.0:
            other = math.nan
        else:
            return None
        return tuple(value if index == role else other for index in range(roles))
