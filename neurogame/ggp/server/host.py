"""Who may do what: one match at a time, and an answer to every message."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import final

from neurogame.ggp.protocol.messages import (
    Abort,
    Info,
    Message,
    Play,
    Preview,
    Start,
    Stop,
)
from neurogame.ggp.server.hosted_match import LONGEST, HostedMatch
from neurogame.ggp.server.match_log import MatchLog
from neurogame.ggp.server.narrator import Narrator
from neurogame.ggp.server.processes import ChildProcess
from neurogame.ggp.server.served_match import ServedMatch
from neurogame.ggp.server.settings import ServeSettings

_MOST_WAITING = 8
_LONGEST_LOGGED = 2**20
_CLEARING = 0.3
_LONGEST_CLEARING = 5.0
_IDLE = 300.0
"""Seconds after the start and after each message in which processes may be needed: a match begins
before, or a series goes on."""


MatchMaker = Callable[[Start, MatchLog], ServedMatch]
LookerMaker = Callable[[Preview, float], ChildProcess]


@final
class Host:
    """Answers the messages of game managers.

    May be used by several threads. INFO is answered at once, whatever else goes on; START, PLAY
    and STOP wait for the player.

    Args:
        settings: the name, the folder for logs, the seconds of silence.
        make_match: starts the player of a match.
        make_looker: starts to look at rules, until a time of :func:`time.monotonic`.
        report: is told every line that a person should see.
        need: is told until when processes may be needed; :func:`time.monotonic`.
    """

    def __init__(
        self,
        settings: ServeSettings,
        make_match: MatchMaker,
        make_looker: LookerMaker,
        report: Callable[[str], None],
        need: Callable[[float], None],
    ) -> None:
        self._settings = settings
        self._make_match = make_match
        self._make_looker = make_looker
        self._report = report
        self._need = need
        self._lock = threading.Lock()
        self._match: HostedMatch | None = None
        self._looker: ChildProcess | None = None
        self._look_until = 0.0
        self._looked_at = ""
        self._is_draining = False
        self._clearing: threading.Thread | None = None
        need(time.monotonic() + _IDLE)

    @property
    def is_busy(self) -> bool:
        """Whether a match is being played, or about to begin."""
        return self._match is not None or self._lock.locked()

    @property
    def waiting(self) -> int:
        """How many messages of the match wait for their answers."""
        hosted = self._match
        return 0 if hosted is None else hosted.waiting

    def answer(self, message: Message, arrived: float, way: float = 0.0) -> str:
        """Return the answer to a message, when it is there.

        Args:
            message: what the manager wants.
            arrived: when the message arrived; :func:`time.monotonic`.
            way: how long it travelled, as far as is known; seconds.
        """
        self._need(time.monotonic() + _IDLE)
        match message:
            case Info():
                is_free = self._match is None and not self._is_draining
                status = "available" if is_free else "busy"
                return f"((name {self._settings.name})(status {status})(species alien))"
            case Start():
                return self._start(message, arrived)
            case Preview():
                return self._preview(message, arrived)
        hosted = self._match
        if hosted is None or hosted.name != message.match:
            return "busy"
        match message:
            case Play():
                if hosted.waiting >= _MOST_WAITING:
                    return "busy"
                return hosted.move(message, arrived, way)
            case Stop():
                try:
                    return hosted.finish(message)
                finally:
                    self._release(hosted)
            case Abort():
                self._end(hosted, "abort")
                return "aborted"

    def tick(self, now: float) -> None:
        """Drop what has been silent, or has looked at rules, for too long; call it now and then.

        Args:
            now: :func:`time.monotonic`.
        """
        hosted = self._match
        if hosted is not None and hosted.is_silent(now):
            self._end(hosted, "silence")
        if self._looker is not None and now >= self._look_until:
            self._stop_looking()
        if self.is_busy or self._looker is not None:
            self._need(now + _IDLE)

    def drain(self) -> None:
        """Accept no new match."""
        self._is_draining = True

    def close(self) -> None:
        """End everything at once."""
        self.drain()
        with self._lock:  # What was about to begin has begun, or never will.
            self._stop_looking()
            hosted = self._match
        if hosted is not None:
            self._end(hosted, "shutdown")
        if self._clearing is not None:
            self._clearing.join(_LONGEST_CLEARING)

    def _start(self, message: Start, arrived: float) -> str:
        """Begin a match if none is being played."""
        with self._lock:
            if self._match is not None or self._is_draining:
                return "busy"
            self._stop_looking()
            if self._clearing is not None:
                # Never more than one match's remains, however fast matches are aborted.
                self._clearing.join(min(message.start_clock / 2, _LONGEST_CLEARING))
            log = MatchLog(
                self._settings.log, message.match, Narrator(message.match, self._report).tell
            )
            log.write(
                "start",
                match=message.match,
                role=message.role,
                start_clock=message.start_clock,
                play_clock=message.play_clock,
                player=self._settings.player,
                rules=message.rules[:_LONGEST_LOGGED],
            )
            try:
                side = self._make_match(message, log)
            except Exception as error:
                log.write("failure", what="the match could not be started", error=repr(error))
                log.close()
                return "busy"
            hosted = HostedMatch(
                message,
                side,
                log,
                reserve=self._settings.reserve,
                silence=self._settings.silence,
            )
            self._match = hosted
        return hosted.begin(arrived)

    def _preview(self, message: Preview, arrived: float) -> str:
        """Look at rules while nothing else is to be done."""
        with self._lock:
            if self._match is not None or self._is_draining:
                return "busy"
            until = arrived + min(message.clock, LONGEST)
            if self._looker is not None and message.rules == self._looked_at:
                # What has been found out already is not thrown away.
                self._look_until = max(self._look_until, until)
                return "ready"
            self._stop_looking()
            self._look_until, self._looked_at = until, message.rules
            try:
                self._looker = self._make_looker(message, self._look_until)
            except Exception as error:
                self._report(f"failure: the rules of a coming match are not looked at: {error!r}")
        return "ready"

    def _stop_looking(self) -> None:
        looker, self._looker = self._looker, None
        if looker is not None:
            looker.kill()

    def _end(self, hosted: HostedMatch, how: str) -> None:
        """End a match at once; what is behind it is cleared away meanwhile."""
        hosted.abort(how)
        self._clearing = threading.Thread(target=hosted.clear)
        self._clearing.start()
        self._clearing.join(_CLEARING)
        self._release(hosted)

    def _release(self, hosted: HostedMatch) -> None:
        with self._lock:
            if self._match is hosted:
                self._match = None
