"""Small players on raw sockets that behave and misbehave as told; nothing of ours in them."""

from __future__ import annotations

import random
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from neurogame.gdl.parse import parse_rules
from tests.processes import PATIENCE
from tests.reference.interpreter import ReferenceGame

Answering = Callable[["Seen"], "str | bytes | None"]
"""What to answer to a message: a reply body, the very bytes, or None to close without a word."""


@dataclass
class Seen:
    """A message as it came in."""

    raw: bytes
    body: str
    connection: socket.socket = field(repr=False)

    @property
    def command(self) -> str:
        return self.body.split()[1].upper()


@dataclass
class FakePlayer:
    """Where a fake player listens, how it answers, and all that it was sent."""

    listener: socket.socket
    answering: Answering
    info: str | None = "( ( name Fake ) ( status available ) )"
    seen: list[Seen] = field(default_factory=list)

    @property
    def port(self) -> int:
        return self._port

    def __post_init__(self) -> None:
        self._port: int = self.listener.getsockname()[1]

    def close(self) -> None:
        """Be reached no more."""
        with suppress(OSError):
            # Closing alone does not wake the thread that accepts.
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def of(self, command: str) -> list[str]:
        """Return the bodies of the messages of one command."""
        return [seen.body for seen in self.seen if seen.command == command]


def http(body: str) -> bytes:
    """Return the reply of GGP-Base's own player, headers and all."""
    return (
        "HTTP/1.0 200 OK\r\nContent-type: text/acl\r\n"
        f"Content-length: {len(body)}\r\nAccess-Control-Allow-Origin: *\r\n\r\n{body}"
    ).encode()


@contextmanager
def fake_player(answering: Answering) -> Iterator[FakePlayer]:
    """Run a player for the time of a test.

    Args:
        answering: called for every message but INFO, which is answered properly; each message
            has a thread of its own.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    player = FakePlayer(listener, answering)

    def serve(connection: socket.socket) -> None:
        with connection:
            connection.settimeout(PATIENCE)
            seen = _read(connection)
            player.seen.append(seen)
            if seen.command == "INFO":
                reply: str | bytes | None = player.info
            else:
                reply = player.answering(seen)
            if reply is not None:
                with suppress(OSError):
                    connection.sendall(http(reply) if isinstance(reply, str) else reply)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield player
    finally:
        player.close()
        thread.join(5)


def _read(connection: socket.socket) -> Seen:
    raw = b""
    while b"\r\n\r\n" not in raw:
        raw += _more(connection)
    head, body = raw.split(b"\r\n\r\n", 1)
    found = re.search(rb"Content-Length: (\d+)", head)
    assert found is not None
    length = int(found[1])
    while len(body) < length:
        body += _more(connection)
    return Seen(head + b"\r\n\r\n" + body, body.decode(), connection)


def _more(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    assert data, "the manager closed its request early"
    return data


def well_behaved(moves: Callable[[str], str]) -> Answering:
    """Answer as GGP-Base's player does.

    Args:
        moves: the move for the body of a PLAY.
    """
    fixed = {"START": "ready", "STOP": "done", "ABORT": "aborted", "PREVIEW": "ready"}
    return lambda seen: fixed.get(seen.command) or moves(seen.body)


def wait_until_closed(seen: Seen) -> None:
    """Wait until the manager does not wait for the answer any more."""
    seen.connection.settimeout(PATIENCE)
    with suppress(OSError):
        while seen.connection.recv(1024):
            pass


def slowly(reply: bytes, pause: float) -> Answering:
    """Answer byte by byte."""

    def answer(seen: Seen) -> None:
        for byte in reply:
            try:
                seen.connection.sendall(bytes([byte]))
            except OSError:
                return
            time.sleep(pause)

    return answer


class Interpreting:
    """Plays random legal moves in the spelling it was sent; notes whatever is not as it should.

    Use the object itself as the answering function of a fake player.
    """

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.complaints: list[str] = []
        self.final_goals: list[list[int]] = []
        self.rules = ""

    def __call__(self, seen: Seen) -> str:
        words = nested(seen.body)
        assert isinstance(words, list)
        match words[0].upper():
            case "START":
                self.rules = " ".join(map(text, words[3]))
                self.game = ReferenceGame(parse_rules(self.rules))
                self.me = self.game.roles.index(words[2])
                self.state = self.game.initial()
                return "ready"
            case "PLAY":
                self.follow(words[2])
                legal = sorted(map(self.game.text, self.game.legal(self.state, self.me)))
                return self.random.choice(legal)
            case "STOP":
                self.follow(words[2])
                if not self.game.terminal(self.state):
                    self.complaints.append("STOP before the end")
                roles = range(len(self.game.roles))
                self.final_goals.append([self.game.goals(self.state, r)[0] for r in roles])
                return "done"
        return "aborted"

    def follow(self, moves: object) -> None:
        if isinstance(moves, str):
            if moves.upper() != "NIL" or self.state != self.game.initial():
                self.complaints.append(f"no moves: {moves}")
            return
        assert isinstance(moves, list)
        spelled = [text(move) for move in moves]
        terms = [self.game.term(move) for move in spelled]
        if [self.game.text(term) for term in terms] != spelled:
            self.complaints.append(f"spelled otherwise: {spelled}")
        self.state = self.game.next(self.state, terms)


def nested(body: str) -> object:
    """Return an s-expression as lists of words."""
    stack: list[list[object]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", body):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    assert len(stack) == 1
    return stack[0][0]


def text(term: object) -> str:
    """Return a nested list as compact KIF."""
    return f"({' '.join(map(text, term))})" if isinstance(term, list) else str(term)
