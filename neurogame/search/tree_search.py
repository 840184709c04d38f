"""Searches on any rules and evaluator in compiled form; remembers its tree from move to move."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from neurogame.errors import ConfigurationError, GameError
from neurogame.kernels.alphabeta.memory import Sizes
from neurogame.kernels.alphabeta.prepare import prepare
from neurogame.kernels.alphabeta.records import FREE_SUM, ONE_ROLE, TWO_ROLES, ZERO_SUM
from neurogame.kernels.alphabeta.root import plant
from neurogame.search.deepening import Deepening, RulesBlock, ValuesSource
from neurogame.search.limit import Limit
from neurogame.search.memory import Capacity, ProvedMemory, SearchMemory, capacity_of
from neurogame.search.opposition import Opposition
from neurogame.search.proved_states import ProvedStates
from neurogame.search.result import SearchResult
from neurogame.search.settings import SearchSettings

_UNLIMITED = np.iinfo(np.int64).max
_RESERVE = 0.004
"""Seconds kept for what comes after the search."""


@final
class TreeSearch:
    """Alpha-beta or max^n; not for several threads at once."""

    def __init__(
        self,
        leaves: RulesBlock,
        values: ValuesSource,
        *,
        offsets: Sequence[int],
        fluents: int,
        opposition: Opposition,
        settings: SearchSettings | None = None,
        batch: int = 64,
        capacity: Capacity | None = None,
        seed: int = 0,
    ) -> None:
        """Make a searcher.

        Args:
            leaves: the rules with a block of leaves; it may be shared with other searchers.
            values: the evaluator.
            offsets: first move of each role among all moves, and the total; ``[R + 1]``.
            fluents: number of fluents.
            opposition: whether the roles are opponents.
            settings: how to search.
            batch: states generated together unless the settings say.
            capacity: the most that is kept per role; None: as the settings say.
            seed: decides between equal moves.
        """
        self._leaves = leaves
        self._values = values
        self._offsets = np.array(offsets, np.int64)
        self._settings = settings or SearchSettings()
        self._batch = self._settings.batch or batch
        self._random = np.random.default_rng(seed)
        roles, block = len(offsets) - 1, leaves.block
        opponents = self._settings.opponents
        if opponents == "auto":
            opponents = "paranoid" if opposition.competitive or roles == 1 else "maxn"
        self.opponents = opponents
        self._opposed = opposition.constant_sum and roles == 2
        self._sums = (
            (ONE_ROLE, TWO_ROLES, ZERO_SUM)[min(roles, 3) - 1]
            if roles == 1 or opposition.constant_sum
            else FREE_SUM
        )
        self._sizes = Sizes(
            block.states.shape[1], block.legal.shape[1], roles, int(self._offsets[-1])
        )
        self._capacity = capacity or capacity_of(
            self._sizes, self._settings.memory, maxn=opponents == "maxn"
        )
        self._proved = ProvedMemory(self._sizes, self._capacity.proofs)
        self.proved_states: Mapping[bytes, tuple[float, ...]] = ProvedStates(self._proved, fluents)
        self._memories: dict[int, SearchMemory] = {}
        prepare(leaves.rules, leaves.block, values.values)

    def forget(self, *, proofs: bool = True) -> None:
        """Drop the tree, for example because the evaluator changed.

        Args:
            proofs: whether to drop the proved states too; they never depend on the evaluator.
        """
        self._memories.clear()
        if proofs:
            self._proved.clear()

    def search(self, state: npt.NDArray[np.uint64], role: int, limit: Limit) -> SearchResult:
        """Search for the best move.

        Args:
            state: a non-terminal state, packed; uint64 ``[Fw]``.
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
        started = time.monotonic_ns()
        memory = self._memory(role)
        run = self._begin(memory, limit, started)
        leaves = self._leaves
        width = plant(memory.address, leaves.rules, leaves.block, state[None])
        leaves.check()
        own_moves = self._own_moves(memory, role)
        if not own_moves:
            raise GameError(f"search: role {role} has no legal move in this state")
        deepening = Deepening(
            memory,
            leaves,
            self._values,
            self._settings,
            role=role,
            maxn=self.opponents == "maxn",
            node_limit=_UNLIMITED if limit.nodes is None else limit.nodes,
            random=self._random,
        )
        try:
            if 0 < width <= run["widest"][0]:
                forced = len(own_moves) == 1 and not self._settings.think_when_forced
                deepening.deepen(limit.depth, forced=forced)
        finally:
            memory.end()
        return self._result(deepening, memory, role, own_moves, started)

    def _memory(self, role: int) -> SearchMemory:
        """Return the memory of a role."""
        if role not in self._memories:
            lanes = max(self._batch, len(self._leaves.block.terminal))
            self._memories[role] = SearchMemory(
                self._sizes,
                self._capacity,
                self._proved,
                offsets=self._offsets,
                role=role,
                lanes=lanes,
                maxn=self.opponents == "maxn",
            )
        return self._memories[role]

    def _begin(self, memory: SearchMemory, limit: Limit, started: int) -> Any:
        """Reset the record of the run and return it."""
        memory.begin()
        settings, run = self._settings, memory.search.run
        seconds = limit.seconds
        widest = min(settings.widest, max(self._capacity.children // 4, 1))
        for name, value in {
            "margin": self._opposed
            and self.opponents == "paranoid"
            and settings.outlook == "margin",
            "shared": settings.transpositions,
            "widest": widest,
            "fill": self._batch,
            "sums": self._sums,
            "scout": settings.scout,
            "limit": _UNLIMITED,
            "deadline": _UNLIMITED
            if seconds is None
            else started + int(1e9 * max(seconds - _RESERVE, 0.9 * seconds)),
            "slow": len(self._leaves.block.terminal),
            "history": settings.history,
            "killers": settings.killers,
            "quiet": settings.quiet if settings.quiescence else np.inf,
            **dict.fromkeys(
                ("nodes", "visits", "evaluations", "rules_time", "values_time", "blocks"), 0
            ),
            **dict.fromkeys(("last_count", "last_time"), 0),
        }.items():
            run[name] = value
        return run

    def _own_moves(self, memory: SearchMemory, role: int) -> list[int]:
        """Return the searching role's legal moves at the root, indices within its own moves."""
        octets = memory.search.stack.legal[0].view(np.uint8)
        begin, end = self._offsets[role : role + 2]
        flags = np.unpackbits(octets, count=int(self._offsets[-1]), bitorder="little")[begin:end]
        moves: list[int] = np.flatnonzero(flags).tolist()
        return moves

    def _result(
        self,
        deepening: Deepening,
        memory: SearchMemory,
        role: int,
        own_moves: list[int],
        started: int,
    ) -> SearchResult:
        """Return what the last complete iteration found, or a random legal move."""
        found, run = deepening.found, memory.search.run[0]
        if found.row < 0 or found.scores is None:
            own = int(self._random.integers(len(own_moves)))
            scores: dict[int, float] = {}
            value: tuple[float, ...] = (0.5,) * self._sizes.roles
        else:
            own = found.row // int(memory.search.stack.frames[0]["answers"])
            scores = dict(zip(own_moves, found.scores.tolist(), strict=True))
            value = self._value(deepening, role)
        seconds = (time.monotonic_ns() - started) / 1e9
        rules, values = run["rules_time"] / 1e9, run["values_time"] / 1e9
        return SearchResult(
            role=role,
            move=own_moves[own],
            value=value,
            proved=found.proved,
            depth=found.depth,
            nodes=int(run["nodes"]),
            visits=int(run["visits"]),
            seconds=seconds,
            line=tuple(
                tuple(int(move - first) for move, first in zip(joint, self._offsets, strict=False))
                for joint in found.line
            ),
            scores=scores,
            proved_states=self.proved_states,
            evaluations=int(run["evaluations"]),
            split={
                "rules": float(rules),
                "evaluate": float(values),
                "search": max(seconds - float(rules + values), 0.0),
            },
        )

    def _value(self, deepening: Deepening, role: int) -> tuple[float, ...]:
        """Return the value per role of the move to play."""
        found = deepening.found
        values = list(found.values)
        if self.opponents == "maxn":
            return tuple(map(_goal, values)) if found.proved else tuple(values)
        values[role] = _goal(found.value) if found.proved else found.value
        margin = self._settings.outlook == "margin"
        if self._opposed and (margin or found.proved):
            values[1 - role] = _goal(1 - values[role]) if found.proved else 1 - values[role]
        return tuple(values)


def _goal(value: float) -> float:
    """Return goal / 100 of a value that lacks the last digits."""
    return value if math.isnan(value) else round(100 * value) / 100
