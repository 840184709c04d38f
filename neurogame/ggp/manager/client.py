"""Messages to players: one connection for each, and one deadline for all of it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias, final

from neurogame.ggp.manager.address import Address
from neurogame.ggp.manager.reply import ReplyError, ReplyReader

CONNECT_SECONDS = 5.0
"""Longest wait for a connection, as in GGP-Base."""

MAXIMUM_REPLY_BYTES = 1 << 20
"""Largest reply that is read; a move has some tens of bytes."""

_BLOCK = 65_536
_SPARE_SECONDS = 0.25

Problem: TypeAlias = Literal["", "timeout", "connection"]


@final
@dataclass(frozen=True)
class Answer:
    """What came back for one message.

    Attributes:
        text: the body of the reply without white space around it; empty where nothing came.
        problem: ``timeout`` where no complete reply came in time; ``connection`` where the
            connection failed or what came was no HTTP reply; else empty.
        detail: the problem in words.
        seconds: from before the connection was made until the reply was there, or the failure.
        connected: whether there was a connection at all.
    """

    text: str
    problem: Problem
    detail: str
    seconds: float
    connected: bool


@final
class Call:
    """One message to one player.

    Args:
        address: where the player listens.
        message: the text of the message.
        seconds: time for everything: connection, request and reply; above 0.
        receiver: the player's name, for the header of that name.
        strict: read the reply as GGP-Base does; see
            :class:`~neurogame.ggp.manager.reply.ReplyReader`.
        limit: largest reply in bytes.
    """

    def __init__(
        self,
        address: Address,
        message: str,
        seconds: float,
        *,
        receiver: str = "",
        strict: bool = False,
        limit: int = MAXIMUM_REPLY_BYTES,
    ) -> None:
        self._address = address
        self._request = request_bytes(address, message, receiver)
        self._seconds = seconds
        self._strict = strict
        self._limit = limit
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._cancelled = False
        self._connected = False

    def run(self) -> Answer:
        """Send the message and wait for the reply; never raises for what players do."""
        began = time.monotonic()
        try:
            text = self._exchange(began + self._seconds)
        except TimeoutError:
            return self._failed("timeout", f"no reply within {self._seconds:g} s", began)
        except ReplyError as error:
            return self._failed("connection", str(error), began)
        except OSError as error:
            return self._failed("connection", error.strerror or str(error), began)
        return Answer(text, "", "", time.monotonic() - began, True)

    def cancel(self) -> None:
        """End the exchange from another thread; :meth:`run` returns soon after."""
        with self._lock:
            self._cancelled = True
            if self._socket is not None:
                _shut(self._socket)

    def _failed(self, problem: Problem, detail: str, began: float) -> Answer:
        return Answer("", problem, detail, time.monotonic() - began, self._connected)

    def _exchange(self, deadline: float) -> str:
        where = (self._address.host, self._address.port)
        waiting = min(CONNECT_SECONDS, _left(deadline))
        with socket.create_connection(where, timeout=waiting) as connection:
            self._connected = True
            with self._lock:
                if self._cancelled:
                    raise ReplyError("cancelled")
                self._socket = connection
            try:
                return self._talk(connection, deadline)
            finally:
                with self._lock:
                    self._socket = None

    def _talk(self, connection: socket.socket, deadline: float) -> str:
        connection.settimeout(_left(deadline))
        # It may have answered before it had read everything, and closed.
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(self._request)

        reader = ReplyReader(self._limit, strict=self._strict)
        while True:
            connection.settimeout(_left(deadline))
            data = connection.recv(_BLOCK)
            if not data or reader.feed(data):
                return reader.text()


def request_bytes(address: Address, message: str, receiver: str) -> bytes:
    """Return the request for a message, byte by byte as GGP-Base's manager sends it.

    Args:
        address: where the player listens.
        message: the text of the message.
        receiver: the player's name; a word of ASCII, or empty.
    """
    body = message.encode("utf-8")
    lines = [
        f"POST {address.path} HTTP/1.0",
        "Accept: text/delim",
        f"Host: {address.host}",
        "Sender: GAMESERVER",
        f"Receiver: {receiver}",
        "Content-Type: text/acl",
        f"Content-Length: {len(body)}",
        "\r\n",
    ]
    return "\r\n".join(lines).encode("ascii") + body


def run_all(calls: Sequence[Call | None], seconds: float) -> list[Answer | None]:
    """Send several messages at the same time and wait for all answers.

    Args:
        calls: the messages; None where nothing is to be sent.
        seconds: the time that the calls have; those that hang longer, in the look-up of a name
            for example, are given up.

    Returns:
        One answer per call, None for None.

    Raises:
        KeyboardInterrupt: Ctrl-C; all exchanges were ended.
    """
    answers: list[Answer | None] = [None] * len(calls)
    began = time.monotonic()

    def run(number: int, call: Call) -> None:
        answers[number] = call.run()

    # Daemons: one that hangs must not keep the program from ending.
    threads = [
        threading.Thread(target=run, args=(number, call), daemon=True)
        for number, call in enumerate(calls)
        if call is not None
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, began + seconds + _SPARE_SECONDS - time.monotonic()))
    except BaseException:
        _cancel(calls)
        raise
    _cancel(calls)
    late = Answer("", "timeout", f"no reply within {seconds:g} s", seconds, False)
    return [
        None if call is None else answer or late
        for call, answer in zip(calls, list(answers), strict=True)
    ]


def _cancel(calls: Iterable[Call | None]) -> None:
    for call in calls:
        if call is not None:
            call.cancel()


def _left(deadline: float) -> float:
    """Return the seconds until a deadline.

    Raises:
        TimeoutError: it has passed.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _shut(connection: socket.socket) -> None:
    """Wake whoever reads from a connection."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
