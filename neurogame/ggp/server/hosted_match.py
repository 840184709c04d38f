"""One match as the host sees it: its order of messages, its clocks and its deadlines."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

from neurogame.ggp.protocol.messages import Play, Start, Stop
from neurogame.ggp.server.margin import Margin
from neurogame.ggp.server.match_log import MatchLog
from neurogame.ggp.server.orders import Joint
from neurogame.ggp.server.served_match import MoveAnswer, ServedMatch
from neurogame.ggp.server.sighting import UNSEEN, Sighting

LONGEST = 86_400.0
"""A clock counts for at most one day; seconds."""

_SHORTEST_PLAY = 0.5
_SILENCE = 60.0
_EARLY = 0.005
_ABORT_WAIT = 2.0


@final
class HostedMatch:
    """Keeps the order and the clocks of a match.

    Messages are answered one after another, however they arrive; ABORT at once.

    Args:
        start: how the match began.
        side: who plays.
        log: is written, and closed with the match.
        reserve: least reserve of a clock; seconds. See :class:`Margin`.
        silence: seconds without a message until the match counts as silent; None for start
            clock + 3 play clocks + 60 s.
    """

    def __init__(
        self,
        start: Start,
        side: ServedMatch,
        log: MatchLog,
        *,
        reserve: float,
        silence: float | None,
    ) -> None:
        self._start_clock = min(start.start_clock, LONGEST)
        self._play_clock = min(start.play_clock, LONGEST)
        usual = self._start_clock + 3 * self._play_clock + _SILENCE
        self._patience = min(usual if silence is None else silence, LONGEST)
        self.name = start.match
        self._side = side
        self._log = log
        self._margin = Margin(reserve)
        self._started = start
        self._sighting: Sighting | None = None
        self._turn = threading.Lock()
        self.waiting = 0
        """How many messages wait for their answers."""
        self._count = threading.Lock()
        self._last_heard = time.monotonic()
        self._is_over = False

    def is_silent(self, now: float) -> bool:
        """Return whether the manager has not been heard of for too long.

        Args:
            now: :func:`time.monotonic`.
        """
        return not self.waiting and now - self._last_heard > self._patience

    def begin(self, arrived: float) -> str:
        """Get ready within the start clock and return ``ready``.

        Args:
            arrived: when START arrived; :func:`time.monotonic`.
        """
        with self._waits(arrived), self._turn:
            if not self._is_over:
                margin = self._margin.whole(self._start_clock)
                try:
                    self._side.start(arrived + self._start_clock - margin)
                except Exception as error:
                    self._fail(error)
                self._log.write("started", seconds=_rounded(time.monotonic() - arrived))
        return "ready"

    def move(self, message: Play, arrived: float, way: float) -> str:
        """Return the move for a PLAY within the play clock.

        Args:
            message: a PLAY of this match.
            arrived: when it arrived; :func:`time.monotonic`.
            way: how long it travelled, as far as is known; seconds.
        """
        # A clock of nothing cannot be kept; a legal move that is a little late may still count.
        clock = max(self._play_clock, _SHORTEST_PLAY)
        latest = arrived + clock - self._margin.reserve(clock)
        thinking_until = arrived + clock - self._margin.whole(clock)
        with self._waits(arrived):
            if not self._turn.acquire(timeout=max(0.0, latest - time.monotonic())):
                self._log.write("failure", what="asked for a move while the last was not yet found")
                if message.moves is not None:
                    self._side.hear(message.moves)
                return "nil"
            try:
                if self._is_over:
                    return "nil"
                moves = self._joint(message)
                answer = self._side.play(moves, thinking_until=thinking_until, latest=latest)
                now = time.monotonic()
                self._learn(answer, now, thinking_until, latest, way)
            except Exception as error:
                self._fail(error)
                return "nil"
            finally:
                self._turn.release()
            if self._is_over:
                return "nil"
            self._log.write(
                "answer",
                joint=moves,
                move=answer.move,
                source=answer.source,
                seconds=_rounded(now - arrived),
                clock=self._play_clock,
                margin=_rounded(self._margin.whole(clock)),
            )
            return answer.move

    def finish(self, message: Stop) -> str:
        """Hear that the match is over and return ``done``.

        Args:
            message: a STOP of this match.
        """
        if not self._turn.acquire(timeout=min(self._play_clock / 2, _SILENCE)):
            self.abort("stop")
            self.clear()
            return "done"
        try:
            if not self._is_over:
                self._is_over = True
                self._side.stop(self._joint(message))
        except Exception as error:
            self._fail(error)
        finally:
            self._log.write("over", how="stop", joint=message.moves)
            self._shut()
            self._turn.release()
        return "done"

    def abort(self, how: str) -> None:
        """End the match; waiting messages are answered at once. :meth:`clear` must follow.

        Args:
            how: why, for the log: one word.
        """
        if not self._is_over:
            self._is_over = True
            self._side.abort()
            self._log.write("over", how=how)

    def clear(self) -> None:
        """Release everything behind an aborted match; may take a moment, may be called again."""
        # Whoever waits returns now; then nobody uses what is closed.
        has_turn = self._turn.acquire(timeout=_ABORT_WAIT)
        try:
            self._shut()
        finally:
            if has_turn:
                self._turn.release()

    @contextmanager
    def _waits(self, arrived: float) -> Iterator[None]:
        """Count a message while it waits for its answer."""
        with self._count:
            self.waiting += 1
            self._last_heard = max(self._last_heard, arrived)
        try:
            yield
        finally:
            with self._count:
                self.waiting -= 1
                self._last_heard = time.monotonic()

    def _learn(
        self, answer: MoveAnswer, now: float, thinking_until: float, latest: float, way: float
    ) -> None:
        """Let the margin follow what this move showed."""
        self._margin.observe_way(max(way, now - latest))
        if answer.source != "search":
            # Not there in time: by how much is not known, but at least by this. (Where the
            # search has died the answer comes early and tells nothing.)
            if now > thinking_until:
                self._margin.observe_lateness(now - thinking_until)
        elif answer.ready_at > thinking_until - _EARLY:
            self._margin.observe_lateness(answer.ready_at - thinking_until)

    def _joint(self, message: Play | Stop) -> Joint | None:
        """Return the joint move that a message tells; put together where it tells percepts."""
        if message.sight is None:
            return message.moves
        if self._sighting is None:
            self._sighting = Sighting(self._started.rules, self._started.role)
        joint = self._sighting.joint(message.sight)
        if joint is not None and UNSEEN in joint:
            hidden = [
                role
                for role, move in zip(self._sighting.roles, joint, strict=True)
                if move == UNSEEN
            ]
            what = f"turn {message.sight.turn}: no percept tells the moves of {', '.join(hidden)}"
            self._log.write("unseen", what=what, percepts=message.sight.percepts)
        return joint

    def _fail(self, error: Exception) -> None:
        """Log what nobody foresaw; the match goes on, and the host too."""
        what = f"{type(error).__name__}: {error}"
        self._log.write("failure", what=what, traceback=traceback.format_exc())

    def _shut(self) -> None:
        self._side.close()
        self._log.close()


def _rounded(seconds: float) -> float:
    return round(seconds, 4)
