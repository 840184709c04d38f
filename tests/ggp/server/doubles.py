"""Doubles for what is behind a match, a served host over sockets, an independent referee."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any, cast

from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Term
from neurogame.ggp.protocol.limits import ReadingLimits
from neurogame.ggp.protocol.messages import Preview, Start
from neurogame.ggp.server.host import Host, LookerMaker, MatchMaker
from neurogame.ggp.server.listener import Listener, listen, open_socket
from neurogame.ggp.server.match_log import MatchLog
from neurogame.ggp.server.processes import Processes
from neurogame.ggp.server.served_match import MoveAnswer, ServedMatch
from neurogame.ggp.server.settings import ServeSettings
from tests.processes import PATIENCE
from tests.reference.interpreter import ReferenceGame


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

    def hear(self, moves: tuple[str, ...]) -> None:
        self.calls.append(f"hear {moves}")

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
        needed: until when processes may be needed, as often as it was said.
        waits: whether new matches wait; see :class:`FakeSide`.
        fault: raised by new matches.
        closable: cleared while matches cannot be closed.
        refuses: whether no processes can be made.
    """

    def __init__(self, settings: ServeSettings | None = None) -> None:
        self.sides: list[FakeSide] = []
        self.lookers: list[FakeLooker] = []
        self.lines: list[str] = []
        self.needed: list[float] = []
        self.waits = False
        self.fault: Exception | None = None
        self.refuses = False
        self.closable = threading.Event()
        self.closable.set()
        match, look = cast(MatchMaker, self._match), cast(LookerMaker, self._look)
        self.host = Host(
            settings or ServeSettings(), match, look, self.lines.append, self.needed.append
        )

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


def recorded(body: str) -> bytes:
    """A request as GGP-Base's manager sends it."""
    return (
        "POST / HTTP/1.0\r\n"
        "Accept: text/delim\r\n"
        "Host: localhost\r\n"
        "Sender: GAMESERVER\r\n"
        "Receiver: RandomA\r\n"
        "Content-Type: text/acl\r\n"
        f"Content-Length: {len(body)}\r\n"
        "\r\n"
        f"{body}"
    ).encode()


class Served:
    """A listener in a thread of its own, on a free port."""

    def __init__(
        self, host: Host, limits: ReadingLimits | None = None, *, allowed: str = ""
    ) -> None:
        self._host = host
        self.lines: list[str] = []
        own = open_socket("127.0.0.1", 0)
        listen(own)
        self.address: tuple[str, int] = own.getsockname()
        self._loop = asyncio.new_event_loop()
        self._until = asyncio.Event()
        listener = Listener(host, limits or ReadingLimits(), self.lines.append, allowed)
        self._thread = threading.Thread(
            target=self._loop.run_until_complete, args=(listener.run(own, self._until),)
        )
        self._thread.start()

    def close(self) -> None:
        self._host.close()
        self._loop.call_soon_threadsafe(self._until.set)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self._loop.close()

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, PATIENCE)

    def exchange(self, *pieces: bytes, end: bool = False) -> bytes:
        """Send pieces and return all that comes back until the player closes."""
        with self.connect() as own:
            for piece in pieces:
                own.sendall(piece)
            if end:
                own.shutdown(socket.SHUT_WR)
            return everything(own)

    def body(self, *pieces: bytes, end: bool = False) -> bytes:
        return self.exchange(*pieces, end=end).partition(b"\r\n\r\n")[2]

    def answers(self) -> bool:
        return self.body(recorded("( INFO )")).startswith(b"((name neurogame)")


def everything(own: socket.socket) -> bytes:
    """All bytes until the other side closes; a reset counts as its end."""
    received = bytearray()
    try:
        while piece := own.recv(65536):
            received += piece
    except ConnectionResetError:
        pass
    return bytes(received)


class Events:
    """A log that remembers, and can be waited for."""

    def __init__(self) -> None:
        self.all: list[tuple[str, dict[str, Any]]] = []
        self._condition = threading.Condition()
        self.log = MatchLog(None, "match", self._add)

    def _add(self, event: str, fields: dict[str, Any]) -> None:
        with self._condition:
            self.all.append((event, fields))
            self._condition.notify_all()

    def named(self, name: str) -> list[dict[str, Any]]:
        return [fields for event, fields in self.all if event == name]

    def wait_for(self, name: str, count: int = 1, who: str = "thinker") -> dict[str, Any]:
        """Return the facts of the ``count``-th event of this name."""

        def there() -> list[dict[str, Any]]:
            return [fields for fields in self.named(name) if fields.get("who") == who]

        with self._condition:
            assert self._condition.wait_for(lambda: len(there()) >= count, PATIENCE), self.all
        return there()[count - 1]


class Referee:
    """Knows the rules by interpreting them; draws the moves of all other roles."""

    def __init__(self, text: str, role: int = 0, seed: int = 0) -> None:
        self.text = text
        self.game = ReferenceGame(parse_rules(text))
        self.state = self.game.initial()
        self.role = role
        self.last: tuple[str, ...] | None = None
        self._random = random.Random(seed)

    def legal(self, role: int) -> dict[str, Term]:
        moves = self.game.legal(self.state, role)
        return dict(sorted((self.game.text(move), move) for move in moves))

    @property
    def is_over(self) -> bool:
        return self.game.terminal(self.state)

    @property
    def goals(self) -> list[int]:
        return [self.game.goals(self.state, role)[0] for role in range(len(self.game.roles))]

    def step(self, move: str) -> None:
        """Make a joint move: this one, which must be spelled as in the rules, and random ones."""
        joint = []
        for role in range(len(self.game.roles)):
            legal = self.legal(role)
            joint.append(move if role == self.role else self._random.choice(list(legal)))
            assert joint[-1] in legal, f"{joint[-1]} is not among {list(legal)}"
        moves = [self.legal(role)[name] for role, name in enumerate(joint)]
        self.last = tuple(joint)
        self.state = self.game.next(self.state, moves)

    def served(
        self, processes: Processes, events: Events, player: str = "mcts:sims=50", **settings: Any
    ) -> ServedMatch:
        role = self.game.roles[self.role]
        start = Start("match.1", role, self.text, 10, 1)
        return ServedMatch(start, ServeSettings(player=player, **settings), events.log, processes)


def ask(
    match: ServedMatch, moves: tuple[str, ...] | None, thinking: float = PATIENCE / 2
) -> MoveAnswer:
    """Ask for a move with all the patience in the world; the player limits itself."""
    now = time.monotonic()
    return match.play(moves, thinking_until=now + thinking, latest=now + PATIENCE)


def set_up(match: ServedMatch) -> None:
    """Start a match and wait until it is ready."""
    match.start(time.monotonic() + PATIENCE)


def are_gone(events: Events) -> bool:
    """Return whether no process that the log tells of is left."""
    return not any(_runs(fields["pid"]) for fields in events.named("launched"))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
