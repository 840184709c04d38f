"""One search in progress: iterative deepening until a limit or a proof ends it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np
import numpy.typing as npt

from neurogame.kernels.alphabeta.advance import advance, begin
from neurogame.kernels.alphabeta.memory import DEEPEST
from neurogame.kernels.alphabeta.records import (
    DONE,
    FAILED,
    OUT_OF_NODES,
    OUT_OF_TIME,
    PAUSED,
    SOLVED,
)
from neurogame.kernels.alphabeta.root import follow
from neurogame.search.memory import SearchMemory
from neurogame.search.settings import SearchSettings

Reals = npt.NDArray[np.float64]
_SPARE = 2_000_000
"""Nanoseconds after the deadline in which a last state may be valued."""
_LOWEST, _HIGHEST = np.float32(-1.0), np.float32(2.0)


class RulesBlock(Protocol):
    """The rules of a game for compiled code, such as ``Leaves``."""

    @property
    def rules(self) -> Any:
        """The rules."""

    @property
    def block(self) -> Any:
        """Memory for leaves."""

    def check(self) -> None:
        """Raise what a call has raised."""


class ValuesSource(Protocol):
    """An evaluator for compiled code, such as what ``make_values`` returns."""

    @property
    def values(self) -> Any:
        """The evaluator."""

    def check(self) -> None:
        """Raise what it has raised."""


@final
@dataclass(kw_only=True, eq=False)
class Found:
    """What has been found so far.

    Attributes:
        row: the root's row to play, -1 for none.
        value: of that row, for the searching role.
        depth: plies of the last complete iteration.
        proved: whether the value rests on terminal states alone.
        values: per role; empty where there was no time to find out.
        scores: value of each own move, in their order; float64 ``[A]``.
        line: principal line, as move numbers.
    """

    row: int = -1
    value: float = 0.5
    depth: int = 0
    proved: bool = False
    values: tuple[float, ...] = ()
    scores: Reals | None = None
    line: tuple[tuple[int, ...], ...] = ()


@final
class Deepening:
    """The iterations of one search, and what the last complete one found."""

    def __init__(
        self,
        memory: SearchMemory,
        leaves: RulesBlock,
        values: ValuesSource,
        settings: SearchSettings,
        *,
        role: int,
        maxn: bool,
        node_limit: int,
        random: np.random.Generator,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        """Prepare a search whose root is planted.

        Args:
            memory: the memory of the searching role.
            leaves: the game.
            values: the evaluator.
            settings: how to search.
            role: the searching role.
            maxn: whether everybody maximises their own value.
            node_limit: states to generate at most, once the first ply is complete.
            random: decides between equal moves.
            stop: whether to return, asked every 10 ms; the search then goes on even if it has
                found what to play. None: it is ended by its limits, or once its move is decided.
        """
        self.found = Found()
        self._memory = memory
        self._leaves = leaves
        self._port = values
        self._settings = settings
        self._role = role
        self._maxn = maxn
        self._node_limit = node_limit
        self._random = random
        self._stop = stop
        self._plies = 0

    def deepen(self, deepest: int | None, *, forced: bool) -> None:
        """Search one ply deeper each time until something ends it.

        Args:
            deepest: limit on the depth, at least 1; None for no other than ``DEEPEST``.
            forced: whether the role has no choice, so that one ply is enough.
        """
        last = 1 if forced else min(deepest or DEEPEST, DEEPEST)
        if not self._finish(rooted=False):
            return
        for depth in range(1, last + 1):
            if not self._iterate(depth):
                if self._stop is None:
                    self._take_partial()
                break
            self._memory.search.run["limit"] = self._node_limit
            self._keep(depth)
            if not self._memory.search.run["horizon"][0] or self._is_over():
                break
        if self.found.row >= 0 and self._stop is None:
            self._follow()

    def _has_time(self) -> bool:
        """Return whether there is time to evaluate one more state."""
        run = self._memory.search.run[0]
        return time.monotonic_ns() + int(run["last_time"]) < int(run["deadline"]) + _SPARE

    def _finish(self, *, rooted: bool) -> bool:
        """Go on until an iteration is complete; return whether it is, or a limit was reached."""
        while True:
            status = advance(
                self._memory.address,
                self._leaves.rules,
                self._leaves.block,
                self._port.values,
                rooted,
            )
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
        value = frame["best"]
        if self._maxn or low < value < high or frame["low"] == frame["high"]:
            return True
        return self._window(depth, _LOWEST, _HIGHEST)

    def _window(self, depth: int, low: np.float32, high: np.float32) -> bool:
        """Search the root with a window."""
        search = self._memory.search
        groups = self._random.permutation(self._own).astype(np.int32)
        # Equal moves are tried in the order of their ranks.
        search.stack.rows["rank"][1 : 1 + self._own] = groups
        quiet = 0 if self._maxn else self._settings.quiescence
        begin(self._memory.address, depth, quiet, low, high)
        return self._finish(rooted=True)

    @property
    def _own(self) -> int:
        """Number of the searching role's moves."""
        return int(self._memory.search.stack.frames[0]["own"])

    @property
    def _rows(self) -> Any:
        """The root's rows by own move and answer; ``[A, B]``."""
        stack = self._memory.search.stack
        frame = stack.frames[0]
        return stack.rows[1 : 1 + frame["count"]].reshape(frame["own"], frame["answers"])

    def _keep(self, depth: int) -> None:
        """Take over the result of a complete iteration."""
        stack, found = self._memory.search.stack, self.found
        frame = stack.frames[0]
        own, answers = int(frame["own"]), int(frame["answers"])
        if self._maxn:
            found.proved = bool(stack.rows[0]["marks"] & SOLVED)
            found.row = int(frame["best_row"])
            found.values = tuple(stack.values[0].astype(np.float64).tolist())
            found.value = found.values[self._role]
            values = stack.values[1 : 1 + own * answers, self._role].astype(np.float64)
            found.scores = values.reshape(own, answers).max(axis=1)
        else:
            found.proved = bool(frame["low"] == frame["high"])
            found.row = self._choose(frame)
            found.value = float(frame["best"])
            found.scores = stack.rows["score"][1 : 1 + own].astype(np.float64)
        found.scores[found.row // answers] = found.value
        found.depth = self._plies = depth

    def _choose(self, frame: Any) -> Any:
        """Return the row to play: the best found, but among proved moves a proved one."""
        best, previous = int(frame["best_row"]), self.found.row
        if not self.found.proved:
            return best
        if previous >= 0 and frame["high"] == 0:
            # Lost anyway: the move that looked best before needs the longest refutation.
            return previous
        rows = self._rows
        low, high = rows["low"], rows["high"]
        sure = low.min(axis=1)
        if sure[best // low.shape[1]] == sure.max():
            return best
        own = int(sure.argmax())
        return own * low.shape[1] + int((low[own] + high[own]).argmin())

    def _is_over(self) -> bool:
        """Return whether there is nothing left to look for."""
        if self._stop is None:
            return self._is_decided()
        return self.found.proved or self._stop()

    def _is_decided(self) -> bool:
        """Return whether deeper search cannot change the move."""
        if self.found.proved or self._maxn:
            return self.found.proved
        rows = self._rows
        sure, hope = rows["low"].min(axis=1), rows["high"].min(axis=1)
        own = self.found.row // rows.shape[1]
        return len(sure) > 1 and bool(sure[own] >= np.delete(hope, own).max())

    def _take_partial(self) -> None:
        """Prefer a move that an unfinished iteration has shown to be better than the first one.

        The first move of an iteration is the best one of the last. If its new value is known and
        another move has a higher one, both looked deeper.
        """
        frame, found = self._memory.search.stack.frames[0], self.found
        row = int(frame["best_row"])
        if self._maxn or found.depth == 0 or row < 0 or not frame["best"] > frame["alpha"]:
            return
        answers = int(frame["answers"])
        if row // answers != found.row // answers and found.scores is not None:
            found.row, found.value = row, float(frame["best"])
            found.scores[row // answers] = found.value
            self._plies = found.depth + 1

    def _follow(self) -> None:
        """Find the principal line of a search, and the values of the roles at its end.

        Without time for that, it is the move to play alone.
        """
        search, block, found = self._memory.search, self._leaves.block, self.found
        line = np.zeros((DEEPEST, len(search.choices.order)), np.int32)
        has_time = self._has_time()
        most = min(self._plies + self._settings.quiescence, DEEPEST) if has_time else 0
        plies = follow(
            self._memory.address,
            self._leaves.rules,
            block,
            self._port.values,
            found.row,
            most,
            line,
        )
        self._check()
        found.line = tuple(map(tuple, line[:plies].tolist()))
        if not self._maxn and has_time:
            last = block.goals[0] if block.terminal[0] else block.values[0]
            found.values = tuple(last.astype(np.float64).tolist())
