"""The HTTP side of a player: one thread reads all connections, a few wait for the player."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, final

from neurogame.errors import ConfigurationError, ProtocolError
from neurogame.ggp.protocol.exchange import Request
from neurogame.ggp.protocol.limits import ReadingLimits
from neurogame.ggp.protocol.messages import Info, Message, parse_message
from neurogame.ggp.server.connection import Connection
from neurogame.ggp.server.host import Host

_BACKLOG = 256
_SMALL = 2**14
_WORKERS = 16
_TICK = 0.5
_FAREWELL = 1.0
_REFUSED = "'serve --allow-origin' says which pages may ask"


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that has the address; until it listens, connections are refused.

    Args:
        host: a name or an address of this machine.
        port: 0 takes a free one.

    Raises:
        ConfigurationError: the address cannot be had.
    """
    opened: socket.socket | None = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        opened = socket.socket(family, kind, protocol)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
    except (OSError, UnicodeError) as error:
        if opened is not None:
            opened.close()
        raise _no_address(host, port, error) from None
    return opened


def listen(server_socket: socket.socket) -> None:
    """Let a socket listen.

    Args:
        server_socket: as :func:`open_socket` returns it.

    Raises:
        ConfigurationError: another program listens at the address since.
    """
    try:
        server_socket.listen(_BACKLOG)
    except OSError as error:
        host, port = server_socket.getsockname()[:2]
        raise _no_address(host, port, error) from None


def _no_address(host: str, port: int, error: Exception) -> ConfigurationError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return ConfigurationError(
        f"cannot listen at {host}:{port}: {reason}; choose another --port or --host"
    )


@final
class Listener:
    """Serves a host over HTTP.

    One thread runs the event loop: it reads all connections within their limits and answers INFO
    itself. Other messages are answered by worker threads, which mostly sleep until the player has
    its move. Large messages are taken apart by one thread of their own, so that many of them
    cannot keep workers from a match.

    Args:
        host: answers messages.
        limits: what requests may cost.
        report: is told in a line what nobody foresaw.
        allowed: the origin of web pages that may ask, ``*`` for all; empty for none.
    """

    def __init__(
        self,
        host: Host,
        limits: ReadingLimits,
        report: Callable[[str], None],
        allowed: str = "",
    ) -> None:
        self._host = host
        self._allowed = allowed
        self._limits = limits
        self._report = report
        self._reading: dict[Connection, None] = {}  # In order of arrival.
        self._answering: dict[Connection, None] = {}
        self._leaving: dict[Connection, None] = {}
        self._held = 0
        self._workers = ThreadPoolExecutor(_WORKERS, "answer")
        self._parser = ThreadPoolExecutor(1, "parse")
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, server_socket: socket.socket, until: asyncio.Event) -> None:
        """Serve until an event; then answer what still waits for a moment, and close.

        Args:
            server_socket: a socket that listens; closed at the end.
            until: ends the serving.
        """
        loop = self._loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._note)
        server = await loop.create_server(
            lambda: Connection(self, self._limits, loop, self._allowed),
            sock=server_socket,
            backlog=_BACKLOG,
        )
        try:
            while not until.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(until.wait(), _TICK)
                await loop.run_in_executor(self._workers, self._host.tick, time.monotonic())
        finally:
            server.close()
            await self._leave(loop)

    def admit(self, connection: Connection) -> None:
        """Hear that a connection is there; where there are too many, the oldest idle one goes."""
        self._reading[connection] = None
        everyone = len(self._reading) + len(self._answering) + len(self._leaving)
        if everyone > self._limits.connections:
            # At worst the new one: everybody else waits for an answer.
            victim = next(iter(self._leaving or self._reading))
            self._remove(victim)
            victim.drop()

    def hold(self, change: int) -> None:
        """Hear how many more bytes are held; above the limit the largest request goes."""
        self._held += change
        if change > 0 and self._held > self._limits.memory and self._reading:
            max(self._reading, key=lambda connection: connection.held).drop()

    def serve(self, connection: Connection, request: Request) -> None:
        """Answer a complete request, now or later."""
        self._remove(connection)
        self._answering[connection] = None
        if request.page and self._allowed not in ("*", request.page):
            # Not reading the answer is not enough: the question alone begins and ends matches.
            connection.reply(f"sent by a web page of {request.page[:80]}; {_REFUSED}", 403)
        elif request.method == "OPTIONS":
            connection.reply("")
        elif len(request.data) > _SMALL:
            self._submit(self._parser, self._parse_large, connection, request, connection.way())
        else:
            self._parse(connection, request)

    def finished(self, connection: Connection) -> None:
        """Hear that a connection has been answered."""
        self._remove(connection)
        self._leaving[connection] = None

    def forget(self, connection: Connection) -> None:
        """Hear that a connection is gone."""
        self._remove(connection)

    def _remove(self, connection: Connection) -> None:
        for group in (self._reading, self._answering, self._leaving):
            group.pop(connection, None)

    def _parse(self, connection: Connection, request: Request) -> None:
        """Answer a small message: in the event loop if it is INFO, else by a worker."""
        try:
            message = parse_message(request.text)
        except ProtocolError as error:
            connection.reply(str(error), 400)
            return
        if isinstance(message, Info):
            connection.reply(self._host.answer(message, connection.arrived))
        else:
            self._submit(self._workers, self._answer, connection, message, connection.way())

    def _parse_large(self, connection: Connection, request: Request, way: float) -> None:
        """Take a large message apart; in the thread for that."""
        try:
            message = parse_message(request.text)
        except ProtocolError as error:
            self._send(connection, str(error), 400)
            return
        self._submit(self._workers, self._answer, connection, message, way)

    def _answer(self, connection: Connection, message: Message, way: float) -> None:
        """Answer a message; in a worker's thread."""
        try:
            text = self._host.answer(message, connection.arrived, way)
        except Exception as error:  # Whatever it is: the server goes on, and the sender hears.
            self._report(f"failure: {type(error).__name__}: {error}")
            text = "nil"
        self._send(connection, text, 200)

    def _submit(self, pool: ThreadPoolExecutor, work: Callable[..., None], *values: Any) -> None:
        with contextlib.suppress(RuntimeError):  # The pool is shut: the server ends.
            pool.submit(work, *values)

    def _send(self, connection: Connection, text: str, status: int) -> None:
        """Send a reply; from any thread."""
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # The loop is closed: the server ends.
            self._loop.call_soon_threadsafe(connection.reply, text, status)

    async def _leave(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let waiting answers go out, then close every connection."""
        end = loop.time() + _FAREWELL
        while (self._answering or self._leaving) and loop.time() < end:
            await asyncio.sleep(0.01)
        for connection in [*self._reading, *self._answering, *self._leaving]:
            connection.drop()
        await asyncio.sleep(0)
        for pool in (self._workers, self._parser):
            pool.shutdown(wait=False, cancel_futures=True)

    def _note(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Report what the event loop met."""
        error = context.get("exception")
        self._report(f"failure: {context.get('message')}: {error!r}")
