"""Doubles for the processes behind a match: they do at once, or when told, what a test wants."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import cast

from neurogame.ggp.protocol.messages import Preview, Start
from neurogame.ggp.server.host import Host, LookerMaker, MatchMaker
from neurogame.ggp.server.match_log import MatchLog
from neurogame.ggp.server.settings import ServeSettings
from tests.processes import PATIENCE


@dataclass(frozen=True)
class Reply:
    """A move, and where it came from."""

    move: str
    source: str
    ready_at: float


@dataclass
class FakeSide:
    """Plays the moves it is given; waits for ``go`` if it is told to.

    Attributes:
        calls: what it was told, in order.
        moves: what it answers, in order.
        waits: whether ``start`` and ``play`` wait until ``go`` or ``abort``.
        fault: raised by whatever is called.
    """

    start_message: Start
    log: MatchLog
    calls: list[str] = field(default_factory=list)
    deadlines: list[float] = field(default_factory=list)
    moves: list[Reply] = field(default_factory=list)
    waits: bool = False
    fault: Exception | None = None
    go: threading.Event = field(default_factory=threading.Event)
    waiting: threading.Event = field(default_factory=threading.Event)
    closable: threading.Event = field(default_factory=threading.Event)

    def start(self, deadline: float) -> None:
        self.deadlines.append(deadline)
        self._called("start")

    def play(self, moves: tuple[str, ...] | None, *, thinking_until: float, latest: float) -> Reply:
        self.deadlines += [thinking_until, latest]
        self._called(f"play {moves}")
        return self.moves.pop(0) if self.moves else Reply("noop", "search", time.monotonic())

    def stop(self, moves: tuple[str, ...] | None) -> None:
        self._called(f"stop {moves}", can_wait=False)

    def abort(self) -> None:
        self.calls.append("abort")
        self.go.set()

    def close(self) -> None:
        assert self.closable.wait(PATIENCE)
        self.calls.append("close")

    def _called(self, what: str, can_wait: bool = True) -> None:
        self.calls.append(what)
        if self.fault is not None:
            raise self.fault
        if self.waits and can_wait:
            self.waiting.set()
            assert self.go.wait(PATIENCE)


@dataclass
class FakeLooker:
    """Looks at nothing."""

    message: Preview
    until: float
    kills: int = 0

    def kill(self) -> None:
        self.kills += 1


class Stage:
    """A host with doubles behind it.

    Attributes:
        sides: every match that was begun.
        lookers: every look at rules that was begun.
        lines: what a person was told.
        waits: whether new matches wait; see :class:`FakeSide`.
        fault: raised by new matches.
        closable: cleared while matches cannot be closed.
        refuses: whether no processes can be made.
    """

    def __init__(self, settings: ServeSettings | None = None) -> None:
        self.sides: list[FakeSide] = []
        self.lookers: list[FakeLooker] = []
        self.lines: list[str] = []
        self.waits = False
        self.fault: Exception | None = None
        self.refuses = False
        self.closable = threading.Event()
        self.closable.set()
        match, look = cast(MatchMaker, self._match), cast(LookerMaker, self._look)
        self.host = Host(settings or ServeSettings(), match, look, self.lines.append)

    def _match(self, start: Start, log: MatchLog) -> FakeSide:
        if self.refuses:
            raise OSError("no more processes")
        side = FakeSide(start, log, waits=self.waits, fault=self.fault, closable=self.closable)
        self.sides.append(side)
        return side

    def _look(self, message: Preview, until: float) -> FakeLooker:
        if self.refuses:
            raise OSError("no more processes")
        self.lookers.append(FakeLooker(message, until))
        return self.lookers[-1]
