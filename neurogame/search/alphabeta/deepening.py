"""One search in progress: iterative deepening until a limit or a proof ends it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from neurogame.array_types import Bools, Float32s1, Float32s2, Float64s
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.search.alphabeta.compiled.advance import advance, begin, principal_line
from neurogame.search.alphabeta.compiled.memory import DEEPEST
from neurogame.search.alphabeta.compiled.records import (
    DONE,
    FAILED,
    OUT_OF_NODES,
    OUT_OF_TIME,
    PAUSED,
    SOLVED,
    Frame,
    column,
)
from neurogame.search.alphabeta.first_ply import evaluated, first_choice
from neurogame.search.alphabeta.memory import SearchMemory
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.cooperation import averaged, preferred, replies

_SPARE = 2_000_000
"""Nanoseconds after the deadline in which a last state may be valued."""
_SLACK = 2e-6
"""What values differ by less than is taken for a tie; twice the width of a null window."""
_ALWAYS = np.iinfo(np.int64).max - 1
"""Limits from which on there is none."""
_LOWEST, _HIGHEST = np.float32(-1.0), np.float32(2.0)


class RulesBlock(Protocol):
    """The rules of a game for compiled code, such as ``Leaves``."""

    @property
    def rules(self) -> StateMachine:
        """The rules."""

    @property
    def block(self) -> Block:
        """Memory for leaves."""

    def check(self) -> None:
        """Raise what a call has raised."""


@final
@dataclass(frozen=True, kw_only=True)
class Stakes:
    """What a bound on the searching role's value says.

    Attributes:
        opposed: whether the others want nothing but the worst for the role, or there are no
            others: then the value that it can be held to is its value.
        highest: of its values in this game.
        lowest: likewise.
    """

    opposed: bool
    highest: float = 1.0
    lowest: float = 0.0


@final
@dataclass(kw_only=True, eq=False)
class Found:
    """What has been found so far.

    Attributes:
        row: the root's row to play, -1 for none.
        answers: joint moves of the others at the root, for each move of the searching role.
        value: of that row, for the searching role.
        depth: plies of the last complete iteration; 0 where not even the first ply is complete.
        settled: whether the value rests on terminal states alone.
        proved: whether it is also the truth, and not only what the others could hold the role to
            if they all joined forces; see :class:`Stakes`.
        values: per role; empty where there was no time to find out.
        scores: value of each own move, in their order, of the first ones only where the first
            ply is not complete; float64 ``[A]``.
        line: principal line, as move numbers.
    """

    row: int = -1
    answers: int = 1
    value: float = 0.5
    depth: int = 0
    settled: bool = False
    proved: bool = False
    values: tuple[float, ...] = ()
    scores: Float64s | None = None
    line: tuple[tuple[int, ...], ...] = ()


@final
class Deepening:
    """The iterations of one search, and what the last complete one found."""

    def __init__(
        self,
        memory: SearchMemory,
        leaves: RulesBlock,
        values: SearchEvaluator,
        settings: SearchSettings,
        *,
        stakes: Stakes,
        node_limit: int,
        random: np.random.Generator,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        """Prepare a search whose root is set.

        Args:
            memory: the memory of the searching role.
            leaves: the game.
            values: the evaluator.
            settings: how to search.
            stakes: what bounds say of the role's value.
            node_limit: states to generate at most, once the first ply is complete, which only
                time can cut short.
            random: decides between equal moves.
            stop: whether to return, asked every 10 ms; the search then goes on even if it has
                found what to play. None: it is ended by its limits, or once its move is decided.
        """
        self.found = Found()
        self._memory = memory
        self._leaves = leaves
        self._port = values
        self._settings = settings
        self._role = memory.search.role
        self._stakes = stakes
        self._maxn = memory.maxn
        self._node_limit = node_limit
        self._random = random
        self._stop = stop
        self._plies = 0
        self.is_exhausted = False
        self.replied: Float64s | None = None

    def deepen(self, deepest: int | None, *, forced: bool) -> None:
        """Search one ply deeper each time until something ends it.

        Args:
            deepest: limit on the depth, at least 1; None for no other than ``DEEPEST``.
            forced: whether the role has no choice, so that one ply is enough.
        """
        last = 1 if forced else min(deepest or DEEPEST, DEEPEST)
        if not self._finish(rooted=False):
            if self._stop is None:
                self._take_first()
            return
        for depth in range(1, last + 1):
            if not self._iterate(depth):
                if self._stop is None:
                    self._take_partial()
                break
            self._memory.search.limit = self._node_limit
            self._keep(depth)
            if not self._memory.search.horizon or self._is_over():
                self.is_exhausted = True
                break
        if self.is_open and not forced and not self._are_ties_known():
            self._resolve_ties(last)

    @property
    def is_open(self) -> bool:
        """Whether deeper search finds nothing, but what it found is no fact.

        Then the others can hold the role to a value if they join forces, and what they will do of
        their own accord is another question.
        """
        united = self._memory.search.united != 0
        return self.is_exhausted and not (self.found.proved or self._stakes.opposed or united)

    def _has_time(self) -> bool:
        """Return whether there is time to evaluate one more state."""
        search = self._memory.search
        return time.monotonic_ns() + search.last_time < search.deadline + _SPARE

    def _finish(self, *, rooted: bool) -> bool:
        """Go on until an iteration is complete; return whether it is, or a limit was reached."""
        while True:
            status = advance(self._memory.search, rooted)
            if status == DONE:
                return True
            if status in (OUT_OF_TIME, OUT_OF_NODES):
                return False
            if status == FAILED:
                self._check()
            elif status != PAUSED:
                self._memory.enlarge(status)
            elif self._stop is not None and self._stop():
                return False

    def _check(self) -> None:
        """Raise what rules or evaluator have raised, if anything."""
        self._leaves.check()
        self._port.check()

    def _iterate(self, depth: int) -> bool:
        """Run one iteration, with the aspiration window first; return whether it is complete."""
        half = self._settings.aspiration
        low, high = _LOWEST, _HIGHEST
        if half is not None and self.found.depth > 0 and not self._maxn:
            low, high = np.float32(self.found.value - half), np.float32(self.found.value + half)
        if not self._window(depth, low, high):
            return False
        frame = self._memory.search.stack.frames[0]
        value = frame.best
        if self._maxn or low < value < high:
            return True
        # Below the window there are only upper bounds of values, even where the value is proved:
        # they tell neither which value nor which move it is.
        if value >= high and value == frame.low == frame.high:
            return True
        return self._window(depth, _LOWEST, _HIGHEST)

    def _window(self, depth: int, low: np.float32, high: np.float32) -> bool:
        """Search the root with a window."""
        search = self._memory.search
        groups = self._random.permutation(self._own)
        # Equal moves are tried in the order of their ranks.
        for place, rank in enumerate(groups.tolist(), 1):
            search.stack.rows[place].rank = rank
        begin(search, depth, low, high)
        return self._finish(rooted=True)

    @property
    def _own(self) -> int:
        """Number of the searching role's moves."""
        return int(self._memory.search.stack.frames[0].own)

    def _grid(self, column: Float32s1) -> Float32s2:
        """Return a column of the root's rows by own move and answer; ``[A, B]``."""
        frame = self._memory.search.stack.frames[0]
        return column[1 : 1 + frame.count].reshape(frame.own, frame.answers)

    def _bounds(self) -> tuple[Float32s2, Float32s2]:
        """Return the proved bounds of the root's rows by own move and answer; ``[A, B]`` each."""
        rows = self._memory.search.stack.rows
        return self._grid(column(rows, "low")), self._grid(column(rows, "high"))

    def _keep(self, depth: int) -> None:
        """Take over the result of a complete iteration."""
        search, decision = self._memory.search, self.found
        stack, frame = search.stack, search.stack.frames[0]
        moves, answers = int(frame.own), int(frame.answers)
        if self._maxn:
            decision.settled = bool(stack.rows[0].marks & SOLVED)
            decision.proved = decision.settled and search.united == 0
            choices = search.choices
            values = stack.values[1 : 1 + moves * answers].astype(np.float64)
            order, counts = choices.order.tolist(), np.diff(choices.starts).tolist()
            outcomes = counts[-1] if choices.chance >= 0 else 1
            values, order, counts = averaged(values, order, counts, outcomes)
            decision.scores = values[:, self._role].reshape(moves, -1).max(axis=1)
            replied = replies(values, order, counts)
            own_move = preferred(values[replied], self._role, np.arange(moves))
            self.replied = values[replied]
            decision.row = int(replied[own_move]) * outcomes
            decision.values = tuple(self.replied[own_move].tolist())
            decision.value = decision.values[self._role]
        else:
            opposed, highest = self._stakes.opposed, np.float32(self._stakes.highest)
            decision.value = float(frame.best)
            decision.settled = bool(frame.low == frame.high)
            decision.proved = opposed and decision.settled
            if not opposed and frame.low >= highest:
                # Nobody can keep the role from the most that there is.
                decision.settled, decision.proved, decision.value = True, True, self._stakes.highest
            decision.row = self._choose(frame)
            decision.scores = column(stack.rows, "score")[1 : 1 + moves].astype(np.float64)
        decision.scores[decision.row // answers] = decision.value
        decision.answers, decision.depth = answers, depth
        self._plies = depth

    def _choose(self, frame: Frame) -> int:
        """Return the row to play: the best found, but among proved moves a proved one."""
        best, previous = int(frame.best_row), self.found.row
        if not self.found.settled:
            return best
        if previous >= 0 and frame.high == 0:
            # Lost anyway: the move that looked best before needs the longest refutation.
            return previous
        low, high = self._bounds()
        sure = low.min(axis=1)
        if sure[best // low.shape[1]] == sure.max():
            return best
        move = int(sure.argmax())
        answers: int = low.shape[1]
        return move * answers + int((low[move] + high[move]).argmin())

    def _resolve_ties(self, deepest: int) -> None:
        """Find out which moves guarantee as much as the best one: half of what is left is for that.

        So far it has only been looked for better ones.
        """
        search, first = self._memory.search, self.found.depth
        now, deadline = time.monotonic_ns(), search.deadline
        search.slack = _SLACK
        if deadline < _ALWAYS:
            search.deadline = now + (deadline - now) // 2
        if self._node_limit < _ALWAYS:
            search.limit = search.nodes + (self._node_limit - search.nodes) // 2
        for depth in range(first, deepest + 1):
            if not self._iterate(depth):
                break
            self._keep(depth)
            if self._are_ties_known() or (self._stop is not None and self._stop()):
                break
        search.slack, search.deadline = 0.0, deadline

    def _are_ties_known(self) -> bool:
        """Return whether it is known of all moves if they guarantee as much as the best one."""
        equal, hopeless = self._ties()
        return bool((equal | hopeless).all())

    def _ties(self) -> tuple[Bools, Bools]:
        """Return which moves are proved to guarantee as much as the best one, and which less."""
        (low, high), value = self._bounds(), np.float32(self.found.value)
        hopeless = high.min(axis=1) < value
        if value <= np.float32(self._stakes.lowest):
            return ~hopeless, hopeless
        return low.min(axis=1) >= value, hopeless

    def reconsider(self, replied: Float64s) -> None:
        """Choose among the moves that guarantee as much as the best by what they lead to.

        Args:
            replied: values of each move if the others choose for themselves, see
                :func:`~neurogame.search.cooperation.replies`; float64 ``[A, R]``.
        """
        (low, high), decision = self._bounds(), self.found
        equal, _ = self._ties()
        incumbent = decision.row // low.shape[1]
        among = np.array(
            [incumbent, *(move for move in np.flatnonzero(equal) if move != incumbent)]
        )
        chosen = preferred(replied, self._role, among)
        if chosen != incumbent:
            bounds = low[chosen] + high[chosen]
            decision.row = chosen * low.shape[1] + int(bounds.argmin())

    def _is_over(self) -> bool:
        """Return whether there is nothing left to look for."""
        if self._stop is None:
            return self._is_decided()
        return self.found.settled or self._stop()

    def _is_decided(self) -> bool:
        """Return whether deeper search cannot change the move."""
        if self.found.settled or self._maxn or not self._stakes.opposed:
            return self.found.settled
        low, high = self._bounds()
        sure, hope = low.min(axis=1), high.min(axis=1)
        move = self.found.row // low.shape[1]
        return len(sure) > 1 and bool(sure[move] >= np.delete(hope, move).max())

    def _take_first(self) -> None:
        """Take the best move by those of the root's children that have been valued, if any."""
        children, decision = evaluated(self._memory.search), self.found
        chosen = first_choice(children, maxn=self._maxn, random=self._random)
        if chosen is not None:
            decision.row, decision.answers = chosen.row, chosen.answers
            decision.scores = chosen.scores
            decision.value, decision.values = chosen.value, chosen.values

    def _take_partial(self) -> None:
        """Prefer a move that an unfinished iteration has shown to be better than the first one.

        The first move of an iteration is the best one of the last. If its new value is known and
        another move has a higher one, both looked deeper.
        """
        frame, decision = self._memory.search.stack.frames[0], self.found
        row = int(frame.best_row)
        if self._maxn or row < 0 or not frame.best > frame.alpha:
            return
        answers = decision.answers
        if row // answers != decision.row // answers and decision.scores is not None:
            decision.row, decision.value = row, float(frame.best)
            decision.scores[row // answers] = decision.value
            self._plies = decision.depth + 1

    def follow(self) -> None:
        """Find the principal line of what was found, and the values of the roles at its end.

        Without time for that, it is the move to play alone.
        """
        if self.found.row < 0:
            return
        search, block, decision = self._memory.search, self._leaves.block, self.found
        line = np.zeros((DEEPEST, len(search.choices.order)), np.int32)
        has_time = decision.depth > 0 and self._has_time()
        most = min(self._plies, DEEPEST) if has_time else 0
        plies = principal_line(search, decision.row, most, line)
        self._check()
        decision.line = tuple(map(tuple, line[:plies].tolist()))
        if has_time and (search.united or not self._maxn):
            last = block.goals[0] if block.terminal[0] else block.values[0]
            decision.values = tuple(last.astype(np.float64).tolist())
