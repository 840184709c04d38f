"""The master: it gives heuristics to workers, and plays the best of the moves that they announce.

*Reference:* Kuhlmann and Stone, "Approach": a main process and slaves with one heuristic each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Event
from typing import final

import torch
from heuristic_standing import Contender, Standing, contenders, quarter_of

from neurogame.evaluators.heuristic.evaluator import HeuristicEvaluator
from neurogame.evaluators.heuristic.heuristic import for_one_role
from neurogame.features.evidence import FeatureEvidence
from neurogame.players.heuristic.player import heuristic_evidence
from neurogame.players.search_player import Outfit, SearchPlayer
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State
from neurogame.simulate.play_out import play_out
from neurogame.simulate.states import StateBatch

_GAMES = 64
"""Random games by which it is told how much of the game is left."""
_GAMES_SHARE = 0.05
"""Share of the time for a move that these may take; else all quarters count as one."""
_LEAST_SHARE = 0.3
"""Share of its time below which a turn is not begun: the turns before it took longer."""
_WEIGHT = 4.0
"""By how much the heuristic that comes first has more time than others of the same worker."""
_TRIED = 8
"""Heuristics of a match, the strongest ones: so each has a search that is made before the clock
runs, and keeps its tree; more only if more are searched with at a time."""
_GLANCE = 0.02
"""Seconds between two looks at whether pondering shall end."""


@final
@dataclass(frozen=True, kw_only=True)
class Announced:
    """What a worker announces.

    Attributes:
        ranked: the heuristic.
        result: its search; its move and its value.
        role: who searched.
    """

    ranked: Contender
    result: SearchResult
    role: int

    @property
    def value(self) -> float:
        """Value of the move for the role."""
        return self.result.value[self.role]

    @property
    def expected(self) -> float:
        """Goal, 0..1, that may be expected after the move."""
        return self.value if self.result.proved else self.ranked.expected(self.value)


@final
class HeuristicSearch:
    """Searches for one role with several heuristics at once, or in turns.

    Each heuristic has an alpha-beta search of its own, which keeps what it has found from move to
    move. Workers are threads, as compiled searches leave Python's lock alone. A worker with several
    heuristics gives each the same time.

    Not for several threads at once.

    Attributes:
        announced: what was announced in the last search, in the order of worth.

    *Reference:* Kuhlmann and Stone, "Approach".
    """

    def __init__(
        self,
        game: Game,
        ranking: Callable[[int], Sequence[Contender]],
        *,
        workers: int,
        heuristics: int,
        reselect: bool = True,
        settings: SearchSettings | None = None,
        seed: int = 0,
    ) -> None:
        """Make a search.

        Args:
            game: the game.
            ranking: returns the heuristics of a role, the strongest first; at least one.
            workers: threads, at least 1.
            heuristics: searched with for each move, at least 1.
            reselect: whether heuristics are chosen anew for each move; else the strongest stay.
            settings: of all searches; their memory is shared out.
            seed: decides who is tried, and between equal moves.
        """
        self.announced: tuple[Announced, ...] = ()
        self._game, self._ranking, self._seed = game, ranking, seed
        self._workers, self._heuristics, self._reselect = workers, heuristics, reselect
        chosen = settings or SearchSettings(foresight=False)
        self._tried = max(_TRIED, heuristics) if reselect else heuristics
        self._settings = replace(chosen, memory=max(chosen.memory // self._tried, 1))
        self._role = -1
        self._standing: Standing | None = None
        self._searches: dict[tuple[int, int], AlphaBeta] = {}
        self._evaluators: dict[int, HeuristicEvaluator] = {}
        self._slots: list[tuple[int, AlphaBeta]] = []
        self._simulator = game.simulator(backend="auto")
        self._plies, self._games_seconds = self._measured(game.initial_state())
        # Once more: the first time things are compiled.
        self._plies, self._games_seconds = self._measured(game.initial_state())

    def search(self, state: State, role: int, limit: Limit) -> SearchResult:
        """Search with the heuristics that stand best; see :meth:`.AlphaBeta.search`.

        Seconds and nodes are shared out; depth is that of each search.
        """
        deadline = None if limit.seconds is None else time.monotonic() + limit.seconds
        self._assign(state, role, limit.seconds)
        standing = self._stands(role)
        now = {number: self._now(state, role, number) for number, _ in self._slots}
        found = self._run(state, role, limit, deadline)
        announced = []
        for number, result in found:
            one = Announced(ranked=standing.ranked[number], result=result, role=role)
            standing.announce(number, now[number], one.expected - now[number])
            announced.append(one)
        self.announced = tuple(announced)
        goals = self._game.circuit.goal_values[role] or (0, 100)
        best = best_announced(announced, min(goals) / 100, max(goals) / 100)
        return _with_sums(best.result, [one.result for one in announced])

    def prepare(self, state: State, role: int, end: float | None = None) -> None:
        """Make the searches of a match, before the clock runs.

        Args:
            state: the first one.
            role: who searches.
            end: when to stop, as ``time.monotonic`` tells it: what is not made by then is made once
                it is needed; None: all are made.
        """
        self._assign(state, role, None)
        for number in range(len(self._stands(role).ranked)):
            if end is not None and time.monotonic() >= end:
                break
            self._search_of(role, number, 0)

    def ponder(self, state: State, role: int, stop: Callable[[], bool]) -> None:
        """Search on with the heuristics of the last search; see :meth:`.AlphaBeta.ponder`."""
        if not self._slots or self._role != role:
            self._assign(state, role, None)
        slots = self._slots[: self._workers]
        if len(slots) == 1:
            slots[0][1].ponder(state, role, stop)
            return
        over = Event()
        with ThreadPoolExecutor(len(slots)) as pool:
            tasks = [pool.submit(own.ponder, state, role, over.is_set) for _, own in slots]
            try:
                while not (stop() or all(task.done() for task in tasks)):
                    time.sleep(_GLANCE)
            finally:
                over.set()
        for task in tasks:
            task.result()

    def rehearse(self, state: State, role: int, seconds: float) -> None:
        """Search for a moment with each heuristic that comes first; see :meth:`.AlphaBeta`."""
        self._assign(state, role, None)
        for _, own in self._slots:
            own.rehearse(state, role, seconds / len(self._slots))

    def forget(self, *, proofs: bool = True) -> None:
        """Drop what was searched; see :meth:`.AlphaBeta`."""
        for _, own in self._slots:
            own.forget(proofs=proofs)

    def _stands(self, role: int) -> Standing:
        """Return the standing of the heuristics of a role; of another one all begins anew."""
        if self._standing is None or self._role != role:
            self._role = role
            first = self._ranking(role)[: self._tried]
            # Those that are worth nothing are none to try, but there must be one.
            useful = [one for one in first if one.strength > 0]
            self._standing = Standing(useful or first[:1], self._seed)
            self._searches.clear()
            self._evaluators.clear()
            self._slots = []
        return self._standing

    def _assign(self, state: State, role: int, seconds: float | None) -> None:
        """Choose the heuristics for a move."""
        standing = self._stands(role)
        if self._reselect:
            for number in standing.announced:
                standing.see(number, self._now(state, role, number))
            quarter = None
            if seconds is None or self._games_seconds <= _GAMES_SHARE * seconds:
                quarter = quarter_of(self._measured(state)[0], self._plies)
            chosen = standing.choose(self._heuristics, quarter)
        else:
            count = len(standing.ranked)
            chosen = [place % count for place in range(self._heuristics)]
        again: dict[int, int] = {}
        self._slots = []
        for number in chosen:
            copy = again.get(number, 0)
            again[number] = copy + 1
            self._slots.append((number, self._search_of(role, number, copy)))

    def _search_of(self, role: int, number: int, copy: int) -> AlphaBeta:
        """Return the search with a heuristic; copies of one differ in the choice of equals."""
        found = self._searches.get((number, copy))
        if found is None:
            found = AlphaBeta(
                self._game,
                self._evaluator_of(role, number),
                settings=self._settings,
                seed=(self._seed + 1_000_003 * copy + number) & (1 << 63) - 1,
            )
        self._searches[number, copy] = found
        return found

    def _evaluator_of(self, role: int, number: int) -> HeuristicEvaluator:
        """Return the evaluator of a heuristic."""
        if number not in self._evaluators:
            heuristic = self._stands(role).ranked[number].ranked.heuristic
            self._evaluators[number] = HeuristicEvaluator(
                self._game, for_one_role(self._game, heuristic, role)
            )
        return self._evaluators[number]

    def _run(
        self, state: State, role: int, limit: Limit, deadline: float | None
    ) -> list[tuple[int, SearchResult]]:
        """Let the workers search; return what they announce, in the order of worth."""
        slots, workers = self._slots, min(self._workers, len(self._slots))
        nodes = None if limit.nodes is None else max(limit.nodes // len(slots), 1)
        hands = [list(range(place, len(slots), workers)) for place in range(workers)]

        def work(hand: Sequence[int]) -> list[tuple[int, SearchResult]]:
            found: list[tuple[int, SearchResult]] = []
            for turn, place in enumerate(hand):
                seconds = None
                if deadline is not None:
                    left = max(deadline - time.monotonic(), 1e-3)
                    ahead = sum(_WEIGHT if one == 0 else 1.0 for one in hand[turn:])
                    share = (_WEIGHT if place == 0 else 1.0) / ahead
                    if found and left < _LEAST_SHARE * (limit.seconds or 0.0) / len(slots):
                        break
                    seconds = share * left
                own = replace(limit, seconds=seconds, nodes=nodes)
                found.append((place, slots[place][1].search(state, role, own)))
                if found[-1][1].proved:
                    break
            return found

        if workers == 1:
            announced = work(hands[0])
        else:
            with ThreadPoolExecutor(workers) as pool:
                announced = [one for own in pool.map(work, hands) for one in own]
        return [(slots[place][0], result) for place, result in sorted(announced, key=_place)]

    def _now(self, state: State, role: int, number: int) -> float:
        """Return the goal, 0..1, that may be expected by a heuristic without any search."""
        value = float(self._evaluator_of(role, number)(state.fluents[None])[0, role])
        return self._stands(role).ranked[number].expected(value)

    def _measured(self, state: State) -> tuple[float, float]:
        """Return the mean length of random games from a state, and the seconds that they took."""
        began = time.monotonic()
        many = StateBatch.from_bool(state.fluents[None].expand(_GAMES, -1).contiguous())
        lengths = play_out(self._simulator, many, self._seed & (1 << 62) - 1).lengths
        return float(lengths.to(torch.float32).mean()), time.monotonic() - began


def best_announced(announced: Sequence[Announced], worst: float, best: float) -> Announced:
    """Return what to play: what the heuristic of most worth announces, if others know no better.

    A sure win comes before all, a sure loss after all, and so does a search that came to nothing.

    Args:
        announced: at least one, in the order of worth.
        worst: the role's lowest goal, 0..1.
        best: its highest one.
    """

    def order(one: Announced) -> int:
        if one.result.proved and one.value >= best:
            return 2
        return int(one.result.depth > 0 and not (one.result.proved and one.value <= worst))

    return max(announced, key=order)


def _place(entry: tuple[int, SearchResult]) -> int:
    return entry[0]


def _with_sums(best: SearchResult, results: Sequence[SearchResult]) -> SearchResult:
    """Return the best result with the nodes and visits of all."""
    return replace(
        best,
        nodes=sum(one.nodes for one in results),
        visits=sum(one.visits for one in results),
        evaluations=sum(one.evaluations for one in results),
    )


@final
class ManyHeuristicsPlayer(SearchPlayer):
    """Searches with several heuristics on one core, and chooses them anew for each move.

    Attributes:
        report: which heuristics come first, as text for people.
    """

    HEEDED = ("seconds", "nodes", "depth")

    def __init__(self, limit: Limit, heuristics: int = 1, workers: int = 1) -> None:
        """Make a player.

        Args:
            limit: of each move.
            heuristics: searched with for each move.
            workers: threads.
        """
        super().__init__(Outfit(name="heuristics", limit=limit))
        self._heuristics, self._workers = heuristics, workers
        self._evidence: FeatureEvidence | None = None

    def _make_search(self, game: Game, match: MatchStart, end: float | None) -> HeuristicSearch:
        if game is not self._game:
            self._evidence, self.report = heuristic_evidence(game, match.seconds)
        return HeuristicSearch(
            game,
            lambda role: contenders(game, self._evidence, role),
            workers=self._workers,
            heuristics=self._heuristics,
            seed=match.seed,
        )
