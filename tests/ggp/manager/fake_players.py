"""Small players on raw sockets that behave and misbehave as told; nothing of ours in them."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from tests.processes import PATIENCE

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
