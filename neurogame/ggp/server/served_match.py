"""The server's side of one match: what to answer, and when, whatever its processes do."""

from __future__ import annotations

import contextlib
import hashlib
import multiprocessing
import re
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Literal, final

from neurogame.ggp.protocol.messages import Start
from neurogame.ggp.server.match_log import MatchLog
from neurogame.ggp.server.memory import guard_memory, thinker_memory
from neurogame.ggp.server.orders import Event, Joint, Task
from neurogame.ggp.server.processes import Processes
from neurogame.ggp.server.seat import MOST_LAUNCHES, Seat
from neurogame.ggp.server.settings import ServeSettings

NIL = "nil"
"""The answer where no move is known."""

GOODBYE = 0.5
"""Seconds that the processes have, when a match is over, to tell its result for the log."""

LEARNING = 10.0
"""Seconds that a player has, when a match is over, to learn from it."""

Source = Literal["search", "prover", "fallback", "guard", "none"]

_EVENTS: dict[str, Source] = {
    "move": "search",
    "proved move": "prover",
    "fallback": "fallback",
    "guard": "guard",
}
"""Events that answer a question, the best first."""
_LAST = ("move", "proved move")
"""Those after which a search has nothing more to say."""
_LOGGED_ALONE = frozenset({"event", "who", "time"})
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST_NAME = 40
_END = 15.0


@final
@dataclass(frozen=True)
class MoveAnswer:
    """What to answer to a question for a move.

    Attributes:
        move: the move in the rulesheet's spelling; ``nil`` if none is known.
        source: who found it: the thinker's search; the guard's search by proofs; the thinker before
            its search; the guard; nobody.
        ready_at: when it was there, by ``time.monotonic()``.
    """

    move: str
    source: Source
    ready_at: float


@final
class ServedMatch:
    """One match: two processes, the thinker and the guard, and the best answer known in time.

    Nothing that the rules, the player or a process do raises an error here. A process that dies
    is replaced, at most twice without having answered; the new one is told all moves of the match.

    One thread of the server at a time uses a match; only :meth:`hear`, :meth:`abort` and
    :meth:`close` may be called by others meanwhile.
    """

    def __init__(
        self, start: Start, settings: ServeSettings, log: MatchLog, processes: Processes
    ) -> None:
        """Describe the match; nothing is started.

        Args:
            start: the message that began it.
            settings: the player, its seed and its memory.
            log: gets what the processes tell.
            processes: makes them.
        """
        self._start, self._settings, self._log = start, settings, log
        self._processes = processes
        memory = settings.memory
        package = "neurogame.ggp.server"
        self._thinker = Seat("thinker", f"{package}.thinker:think", thinker_memory(memory))
        self._guard = Seat("guard", f"{package}.guard:guard", guard_memory(memory))
        self._seats = (self._thinker, self._guard)
        # Everything below changes under this condition only.
        self._condition = threading.Condition()
        self._history: list[Joint] = []
        self._number = 0
        self._until: float | None = None
        self._is_alone = False
        self._answers: dict[Source, tuple[str | None, float]] = {}
        self._heard: set[str] = set()
        self._ending = False
        self._aborted = False
        self._is_waiting = False
        self._ready_at = 0.0
        self._wake: tuple[Connection, Connection] | None = None
        self._thread: threading.Thread | None = None

    def start(self, deadline: float) -> None:
        """Start the processes; return when the thinker is ready, or at the deadline.

        Args:
            deadline: by ``time.monotonic()``.
        """
        with self._condition:
            if self._thread is not None or self._aborted:
                return
            self._ready_at = deadline
            self._wake = multiprocessing.Pipe(duplex=False)
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
            self._wait(self._is_set_up, deadline)

    def play(self, moves: Joint | None, *, thinking_until: float, latest: float) -> MoveAnswer:
        """Return the move to answer.

        Args:
            moves: the last joint move; None before the first one, and where nothing is known: the
                question is about the present state then.
            thinking_until: when the search is to have ended, by ``time.monotonic()``.
            latest: when this returns, whatever is known then, by ``time.monotonic()``.
        """
        with self._condition:
            if moves is not None:
                self._history.append(moves)
            self._number += 1
            number = self._number
            self._answers = {}
            self._until = thinking_until
            self._is_alone = self._thinker.out or "ready" not in self._heard
            for seat in self._seats:
                seat.ask(number, self._history, thinking_until, is_alone=self._is_alone)
            if self._wake is not None and any(map(_is_empty, self._seats)):
                # No process could be started for it; perhaps one can be now.
                self._wake[1].send_bytes(b"")
            self._wait(lambda: number != self._number or self._is_answered(), latest)
            if number != self._number:
                return MoveAnswer(NIL, "none", time.monotonic())
            self._until = None
            return self._best()

    def hear(self, moves: Joint) -> None:
        """Take a joint move that nobody can be asked about now; the next question tells it.

        Args:
            moves: the last joint move.
        """
        with self._condition:
            self._history.append(moves)

    def stop(self, moves: Joint | None) -> None:
        """End the match, which is over; its result goes to the log.

        Args:
            moves: the last joint move; None if there is none.
        """
        with self._condition:
            if moves is not None:
                self._history.append(moves)
            if not self._aborted and self._thread is not None:
                self._ending = True
                for seat in self._seats:
                    seat.finish(self._history)
                now = time.monotonic()
                self._wait(self._is_told, now + GOODBYE)
                if "learning" in self._heard:
                    self._wait(
                        lambda: "learned" in self._heard or self._thinker.out, now + LEARNING
                    )
        self.close()

    def abort(self) -> None:
        """End the match at once; who waits for an answer gets what is known."""
        with self._condition:
            self._aborted = True
            self._condition.notify_all()
            if self._wake is not None:
                self._wake[1].send_bytes(b"")

    def close(self) -> None:
        """End the match and wait until nothing is left of its processes; may be called again."""
        self.abort()
        thread = self._thread
        if thread is None:
            return
        thread.join(_END)
        if thread.is_alive():
            # It waits for the rest of a message that does not come; a dead process ends that.
            for child in [seat.child for seat in self._seats]:
                if child is not None:
                    child.kill()
            thread.join(_END)

    def _wait(self, enough: Callable[[], bool], until: float) -> None:
        """Wait for something, for the deadline, or for the match's end."""
        while not self._aborted and not enough():
            left = until - time.monotonic()
            if left <= 0:
                return
            self._condition.wait(left)

    def _is_set_up(self) -> bool:
        if "ready" in self._heard:
            return True
        return self._thinker.out and (self._guard.out or "guard ready" in self._heard)

    def _is_answered(self) -> bool:
        """Return whether nothing better can come."""
        answer = self._answers.get("search")
        if answer is not None and answer[0] is not None:
            return True
        unsearched = answer is not None or self._thinker.out
        if self._is_alone:
            return unsearched and (self._guard.out or "prover" in self._answers)
        return unsearched and (
            self._guard.out or "fallback" in self._answers or "guard" in self._answers
        )

    def _is_told(self) -> bool:
        silent = self._thinker.out or "ready" not in self._heard
        return "end" in self._heard or (
            silent and (self._guard.out or bool(self._heard & {"guard end"}))
        )

    def _best(self) -> MoveAnswer:
        for source in _EVENTS.values():
            move, at = self._answers.get(source, (None, 0.0))
            if move is not None:
                return MoveAnswer(move, source, at)
        return MoveAnswer(NIL, "none", time.monotonic())

    def _run(self) -> None:
        """Start the processes and hear them until the match ends; the match's own thread."""
        assert self._wake is not None
        woken = self._wake[0]
        try:
            for seat in self._seats:
                self._fill(seat)
            while not self._aborted:
                heard = {s.child.connection: s for s in self._seats if s.child is not None}
                for connection in wait([woken, *heard], 0.02 if self._is_waiting else None):
                    if connection is not woken:
                        self._hear(heard[connection])  # type: ignore[index]
                        continue
                    woken.recv_bytes()
                    for seat in filter(_is_empty, self._seats):
                        self._fill(seat)
                if self._is_waiting:
                    self._fill(self._thinker)
        except Exception as error:
            # A fault of ours: the match is lost, the server is not.
            trace = "".join(traceback.format_exception(error))
            self._note("failure", who="server", what="the match ends", traceback=trace)
        finally:
            self._leave()

    def _fill(self, seat: Seat) -> None:
        """Start a process and put it into the picture."""
        if self._aborted:
            return
        if seat is self._thinker:
            # The guard answers meanwhile; to load all twice at the same time would take longer.
            self._is_waiting = self._processes.are_coming()
            if self._is_waiting:
                return
        seat.launches += 1
        try:
            child = self._processes.launch(seat.target, self._task(seat), seat.memory)
        except Exception as error:
            self._note("failure", who=seat.name, what="no process", error=str(error))
            seat.launches -= 1  # The next question tries again.
            return
        self._note("launched", who=seat.name, pid=child.pid)
        with self._condition:
            seat.take(child)
            if self._until is not None:
                seat.ask(self._number, self._history, self._until, is_alone=self._is_alone)
            elif self._ending:
                seat.finish(self._history)

    def _task(self, seat: Seat) -> Task:
        start = self._start
        text = f"{self._settings.seed} {start.match} {start.role}"
        digest = hashlib.sha256(text.encode(errors="backslashreplace")).digest()
        return Task(
            match=_UNSAFE.sub("_", start.match)[:_LONGEST_NAME] or "match",
            role=start.role,
            rules=start.rules,
            player=self._settings.player,
            # What has killed two processes is not tried a third time.
            steps_down=max(seat.launches - (MOST_LAUNCHES - 1), 0),
            seed=int.from_bytes(digest[:4]),
            ready_at=self._ready_at,
            play_clock=start.play_clock,
            memory=seat.memory,
        )

    def _hear(self, seat: Seat) -> None:
        """Receive one event of a process, or learn of its death."""
        assert seat.child is not None
        try:
            event: Event = seat.child.connection.recv()
        except Exception:
            # Most often EOFError; whatever it is, nothing more can be received.
            self._lose(seat)
            return
        name = str(event.get("event"))
        with self._condition:
            self._heard.add(name)
            source = _EVENTS.get(name)
            if source is not None and event.get("ask") == self._number:
                move = event.get("move")
                self._answers[source] = (None if move is None else str(move), time.monotonic())
                if name in _LAST or (name == "guard" and not self._is_alone):
                    # It has thought to the end: what died before it has not died of the match.
                    seat.launches = 1
            if event.get("final"):
                seat.out = True
            self._condition.notify_all()
        facts = {key: value for key, value in event.items() if key not in _LOGGED_ALONE}
        self._note(name, who=seat.name, **facts)

    def _lose(self, seat: Seat) -> None:
        """Clear up after a process that has died, and replace it if it may be."""
        ending = seat.leave()
        if seat is self._thinker:
            with self._condition:
                self._heard.discard("ready")
        again = not (self._ending or self._aborted or seat.out) and seat.launches < MOST_LAUNCHES
        if not (self._ending or seat.out):
            self._note("died", who=seat.name, ending=ending, replaced=again)
        if again:
            self._fill(seat)
        else:
            self._put_out(seat)

    def _note(self, event: str, **facts: object) -> None:
        """Write into the log; whoever listens to it must not end the match by an error."""
        with contextlib.suppress(Exception):
            self._log.write(event, **facts)

    def _put_out(self, seat: Seat) -> None:
        with self._condition:
            seat.out = True
            self._condition.notify_all()

    def _leave(self) -> None:
        """Kill what is left, and let nobody wait any longer."""
        for seat in self._seats:
            try:
                seat.leave()
            except Exception as error:
                self._note("failure", who=seat.name, what="not cleared away", error=repr(error))
            self._put_out(seat)
        with self._condition:
            self._aborted = True
            self._condition.notify_all()
            if self._wake is not None:
                for connection in self._wake:
                    connection.close()
                self._wake = None


def _is_empty(seat: Seat) -> bool:
    """Return whether a part in the match waits for a process."""
    return seat.child is None and not seat.out
