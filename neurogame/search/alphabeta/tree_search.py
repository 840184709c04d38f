"""Searches on any rules and evaluator in compiled form; remembers its tree from move to move."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import final

import numpy as np

from neurogame.array_types import UInt64s
from neurogame.errors import ConfigurationError, GameError
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.native.numbers import filled
from neurogame.search.alphabeta.compiled.advance import prepare, set_root
from neurogame.search.alphabeta.compiled.memory import COUNTS, Numbers, Search, Sizes, make_search
from neurogame.search.alphabeta.compiled.records import FREE_SUM, ONE_ROLE, TWO_ROLES, ZERO_SUM
from neurogame.search.alphabeta.deepening import Deepening, RulesBlock, Stakes
from neurogame.search.alphabeta.memory import Capacity, ProvedMemory, SearchMemory, capacity_of
from neurogame.search.alphabeta.proved_states import ProvedStates
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.search.mcts.compiled.reading import exact_value
from neurogame.search.opposition import Opposition
from neurogame.search.result import SearchResult
from neurogame.settings import check_kind
from neurogame.splitmix import seed_word

_UNLIMITED = np.iinfo(np.int64).max
_RESERVE = 0.004
"""Seconds kept for what comes after the search."""
_FEWEST = 8
"""Lanes of a block that is made smaller."""
_PACE = ("slow", "last_count", "last_time")
"""What is known of the time that blocks take."""


@final
class TreeSearch:
    """Alpha-beta or max^n; not for several threads at once."""

    def __init__(
        self,
        leaves: RulesBlock,
        values: SearchEvaluator,
        *,
        offsets: Sequence[int],
        fluents: int,
        opposition: Opposition,
        goals: Sequence[tuple[float, float]] | None = None,
        settings: SearchSettings | None = None,
        batch: int = 64,
        capacity: Capacity | None = None,
        seed: int = 0,
        chance: int | None = None,
    ) -> None:
        """Make a searcher.

        Args:
            leaves: the rules with a block of leaves; it may be shared with other searchers.
            values: the evaluator.
            offsets: first move of each role among all moves, and the total; ``[R + 1]``.
            fluents: number of fluents.
            opposition: whether the roles are opponents.
            goals: the lowest and the highest value of each role in this game, in 0..1; None: 0
                and 1.
            settings: how to search.
            batch: states generated together unless the settings say.
            capacity: the most that is kept per role; None: as the settings say.
            seed: decides between equal moves.
            chance: the role that is chance, whose outcomes are averaged: by max^n, in which the
                others join forces where that is what they are assumed to do. None: nobody is.
        """
        self._leaves = leaves
        self._values = values
        self._offsets = np.array(offsets, np.int64)
        self._settings = settings or SearchSettings()
        self._batch = self._settings.batch or batch
        self._random = np.random.default_rng(seed_word(seed))
        roles, block = len(offsets) - 1, leaves.block
        players, self._chance = roles - (chance is not None), chance
        opponents = self._settings.opponents
        if opponents == "auto":
            opponents = "paranoid" if opposition.competitive or roles == 1 else "maxn"
        if chance is not None and (players == 1 or (players == 2 and opposition.constant_sum)):
            # The same, as others either are not there or want the opposite.
            opponents = "maxn"
        self.opponents = opponents
        self._maxn = opponents == "maxn" or chance is not None
        self._opposed = opposition.constant_sum and roles == 2
        self._stakes = [
            Stakes(opposed=self._opposed or roles == 1, lowest=lowest, highest=highest)
            for lowest, highest in goals or [(0.0, 1.0)] * roles
        ]
        self._sums = (
            (ONE_ROLE, TWO_ROLES, ZERO_SUM)[min(roles, 3) - 1]
            if roles == 1 or opposition.constant_sum
            else FREE_SUM
        )
        self._sizes = Sizes(
            block.states.shape[1], block.legal.shape[1], roles, int(self._offsets[-1])
        )
        self._capacity = capacity or capacity_of(
            self._sizes, self._settings.memory, maxn=self._maxn
        )
        self._sole_capacity = capacity or capacity_of(
            self._sizes, max(self._settings.memory // 4, 1), maxn=True
        )
        self._proved = ProvedMemory(self._sizes, self._capacity.proofs)
        self.proved_states: Mapping[bytes, tuple[float, ...]] = ProvedStates(self._proved, fluents)
        self._memories: dict[tuple[int, bool], SearchMemory] = {}
        self._last_pace: dict[str, int] = {}
        prepare()

    def forget(self, *, proofs: bool = True) -> None:
        """Drop the tree, for example because the evaluator changed.

        Args:
            proofs: whether to drop the proved states too; they never depend on the evaluator.
        """
        self._memories.clear()
        if proofs:
            self._proved.clear()

    def search(self, state: UInt64s, role: int, limit: Limit) -> SearchResult:
        """Search for the best move.

        Args:
            state: a non-terminal state, packed; uint64 ``[Fw]``.
            role: the searching role.
            limit: when to stop; ``simulations`` is ignored.

        Raises:
            ConfigurationError: the limit sets none of seconds, nodes and depth.
            GameError: the role has no legal move.
        """
        check_kind(limit, Limit, "alpha-beta: limit", "Limit(depth=4)")
        if limit.seconds is None and limit.nodes is None and limit.depth is None:
            raise ConfigurationError(
                f"alpha-beta: limit {str(limit)!r}; set at least one of seconds, nodes, depth"
            )
        limit = limit.countable()
        started = time.monotonic_ns()
        deadline = _UNLIMITED
        if limit.seconds is not None:
            deadline = started + int(1e9 * max(limit.seconds - _RESERVE, 0.9 * limit.seconds))
        memory = self._memory(role)
        memory.begin()
        own_moves, is_open = self._set_root(memory, state, deadline)
        if limit.depth is not None:
            exact = replace(self._settings, reductions=0.0)
            memory.search.numbers = filled(Numbers, exact)
        deepening = self._deepening(memory, limit.nodes)
        memories = [memory]
        try:
            if is_open:
                forced = len(own_moves) == 1 and not self._settings.think_when_forced
                deepening.deepen(limit.depth, forced=forced)
                if deepening.is_open and len(own_moves) > 1:
                    memories.append(self._ask_each(deepening, memory, state, limit, deadline))
                deepening.follow()
        finally:
            self._end(memory)
        return self._result(deepening, memories, own_moves, started)

    def _ask_each(
        self,
        deepening: Deepening,
        memory: SearchMemory,
        state: UInt64s,
        limit: Limit,
        until: int,
    ) -> SearchMemory:
        """Decide between moves that are equal if all others join forces; return the memory used.

        What is left of the limits goes into a search in which everybody plays for themselves.
        """
        nodes = None if limit.nodes is None else limit.nodes - memory.search.nodes
        sole = self._memory(memory.search.role, maxn=True)
        sole.begin()
        try:
            self._set_root(sole, state, until)
            if nodes is None or nodes >= sole.search.stack.rows[0].width:
                each = self._deepening(sole, nodes)
                each.deepen(limit.depth, forced=False)
                if each.replied is not None:
                    deepening.reconsider(each.replied)
        finally:
            sole.end()
        return sole

    def ponder(self, state: UInt64s, role: int, stop: Callable[[], bool]) -> None:
        """Search on, for what is remembered alone.

        Args:
            state: a non-terminal state, packed; uint64 ``[Fw]``.
            role: the searching role.
            stop: whether to return.

        Raises:
            GameError: the role has no legal move.
        """
        deepening = self._ponder(state, role, stop)
        if deepening.is_open and not stop():
            self._ponder(state, role, stop, maxn=True)

    def _ponder(
        self,
        state: UInt64s,
        role: int,
        stop: Callable[[], bool],
        *,
        maxn: bool | None = None,
    ) -> Deepening:
        """Search on in one memory; see :meth:`ponder`."""
        memory = self._memory(role, maxn=maxn)
        memory.begin(fade=False)
        # A deadline that never comes: blocks are kept short nevertheless.
        _, is_open = self._set_root(memory, state, _UNLIMITED - 1)
        deepening = self._deepening(memory, None, stop)
        try:
            if is_open:
                deepening.deepen(None, forced=False)
        finally:
            self._end(memory)
        return deepening

    def rehearse(self, state: UInt64s, role: int, stop: Callable[[], bool]) -> None:
        """Search on, and remember nothing but how long blocks take; see :meth:`ponder`."""
        random = self._random.bit_generator.state
        try:
            self.ponder(state, role, stop)
        finally:
            self.forget()
            self._random.bit_generator.state = random

    def _set_root(
        self, memory: SearchMemory, state: UInt64s, deadline: int
    ) -> tuple[list[int], bool]:
        """Make a state the root; return the role's legal moves, and whether it can be expanded."""
        run = self._begin(memory, deadline)
        width = set_root(run, state[None])
        self._leaves.check()
        own_moves = self._own_moves(memory)
        if not own_moves:
            raise GameError(f"search: role {run.role} has no legal move in this state")
        return own_moves, bool(0 < width <= run.widest)

    def _deepening(
        self, memory: SearchMemory, nodes: int | None, stop: Callable[[], bool] | None = None
    ) -> Deepening:
        """Return the iterations of a search whose root is set."""
        return Deepening(
            memory,
            self._leaves,
            self._values,
            self._settings,
            stakes=self._stakes[memory.search.role],
            node_limit=_UNLIMITED if nodes is None else nodes,
            random=self._random,
            stop=stop,
        )

    def _memory(self, role: int, *, maxn: bool | None = None) -> SearchMemory:
        """Return the memory of a role, for one of the two algorithms; None: the one that is set."""
        maxn = self._maxn if maxn is None else maxn
        if (role, maxn) not in self._memories:
            is_sole = maxn and not self._maxn
            capacity = self._sole_capacity if is_sole else self._capacity
            self._memories[role, maxn] = SearchMemory(
                self._sizes,
                capacity,
                # What holds if everybody plays for themselves is no fact beside a coalition.
                ProvedMemory(self._sizes, capacity.proofs) if is_sole else self._proved,
                partial(
                    make_search,
                    self._sizes,
                    offsets=self._offsets,
                    role=role,
                    lanes=max(self._batch, len(self._leaves.block.terminal)),
                    maxn=maxn,
                    rules=self._leaves.rules,
                    block=self._leaves.block,
                    values=self._values.values,
                    chance=self._chance,
                ),
                maxn=maxn,
            )
        return self._memories[role, maxn]

    def _begin(self, memory: SearchMemory, deadline: int) -> Search:
        """Prepare a search and return its memory."""
        settings, search = self._settings, memory.search
        is_margin = settings.outlook == "margin" and self.opponents == "paranoid"
        search.numbers = filled(Numbers, settings)
        search.margin = int(self._opposed and is_margin)
        search.united = int(self._maxn and self.opponents == "paranoid")
        search.widest = min(settings.widest, max(memory.capacity.children // 4, 1))
        search.fill = self._batch
        search.sums = self._sums
        search.slack = 0.0
        search.limit = _UNLIMITED
        search.deadline = deadline
        for name in COUNTS:
            setattr(search, name, 0)
        for name, number in self._pace(deadline).items():
            setattr(search, name, number)
        return search

    def _pace(self, deadline: int) -> dict[str, int]:
        """Return how long blocks are taken to last; where there is a deadline, as the last time.

        A search makes one block at least: if need be a smaller one than the last search made.
        Where there is time to find out whether larger ones take longer it makes larger ones.
        """
        most = len(self._leaves.block.terminal)
        if deadline == _UNLIMITED or not self._last_pace:
            return {"slow": most, "last_count": 0, "last_time": 0}
        slow, count, spent = (self._last_pace[name] for name in _PACE)
        left = max(deadline - time.monotonic_ns(), 0)
        if spent * most <= left * count:
            slow = most
        elif 2 * spent <= left:
            slow = min(2 * slow, most)
        elif 10 * spent > 9 * left:
            slow = max(slow // 2, _FEWEST)
        return {"slow": slow, "last_count": max(count, slow), "last_time": min(spent, left // 2)}

    def _end(self, memory: SearchMemory) -> None:
        """Hand over what has been proved, and note how long blocks last."""
        memory.end()
        search = memory.search
        if search.deadline < _UNLIMITED:
            self._last_pace = {name: getattr(search, name) for name in _PACE}

    def _own_moves(self, memory: SearchMemory) -> list[int]:
        """Return the searching role's legal moves at the root, indices within its own moves."""
        octets, role = memory.search.stack.legal[0].view(np.uint8), memory.search.role
        begin, end = self._offsets[role : role + 2]
        flags = np.unpackbits(octets, count=int(self._offsets[-1]), bitorder="little")[begin:end]
        moves: list[int] = np.flatnonzero(flags).tolist()
        return moves

    def _result(
        self, deepening: Deepening, memories: list[SearchMemory], own_moves: list[int], started: int
    ) -> SearchResult:
        """Return what was found, or a random legal move where nothing was."""
        decision, role = deepening.found, memories[0].search.role
        totals = {name: sum(getattr(one.search, name) for one in memories) for name in COUNTS}
        if decision.row < 0 or decision.scores is None:
            place = int(self._random.integers(len(own_moves)))
            scores: dict[int, float] = {}
            value: tuple[float, ...] = (0.5,) * self._sizes.roles
        else:
            place = decision.row // decision.answers
            # Without a complete ply there are scores of the first moves only.
            scores = dict(zip(own_moves, decision.scores.tolist(), strict=False))
            value = self._value(deepening, role)
        seconds = (time.monotonic_ns() - started) / 1e9
        rules, values = totals["rules_time"] / 1e9, totals["values_time"] / 1e9
        return SearchResult(
            role=role,
            move=own_moves[place],
            value=value,
            proved=decision.proved,
            depth=decision.depth,
            nodes=totals["nodes"],
            visits=totals["visits"],
            seconds=seconds,
            line=tuple(
                tuple(int(move - first) for move, first in zip(joint, self._offsets, strict=False))
                for joint in decision.line
            ),
            scores=scores,
            proved_states=self.proved_states,
            evaluations=totals["evaluations"],
            split={
                "rules": rules,
                "evaluate": values,
                "search": max(seconds - rules - values, 0.0),
            },
        )

    def _value(self, deepening: Deepening, role: int) -> tuple[float, ...]:
        """Return the value per role of the move to play."""
        decision = deepening.found
        values = list(decision.values) or [0.5] * self._sizes.roles
        if self.opponents == "maxn":
            return tuple(map(exact_value, values)) if decision.proved else tuple(values)
        values[role] = exact_value(decision.value) if decision.settled else decision.value
        # Without time to follow the line, what the others get is what is left.
        from_rest = self._settings.outlook == "margin" or decision.proved or not decision.values
        if self._opposed and from_rest:
            rest = 1 - values[role]
            values[1 - role] = exact_value(rest) if decision.proved else rest
        return tuple(values)
