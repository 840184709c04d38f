"""One TCP connection: a request comes in, a reply goes out, both sides close."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Protocol, final

from neurogame.errors import ProtocolError
from neurogame.ggp.protocol.exchange import CONTINUE, Request, RequestReader, reply_bytes
from neurogame.ggp.protocol.limits import ReadingLimits
from neurogame.ggp.server.margin import round_trip

_LINGER = 2.0
_MOST_IGNORED = 2**24


class Keeper(Protocol):
    """Keeps the books of all connections."""

    def admit(self, connection: Connection) -> None:
        """Hear that a connection is there, and make room for it."""

    def hold(self, change: int) -> None:
        """Hear that more, or fewer, bytes are held."""

    def serve(self, connection: Connection, request: Request) -> None:
        """Answer a complete request, now or later."""

    def finished(self, connection: Connection) -> None:
        """Hear that a connection has been answered, and only waits for the sender to close."""

    def forget(self, connection: Connection) -> None:
        """Hear that a connection is gone."""


@final
class Connection(asyncio.Protocol):
    """Reads one request within its limits, hands it over, and sends the reply.

    The time a request may take counts from the connection to its last byte, so that senders of
    single bytes gain nothing. After the reply only our half is closed, and what the sender still
    sends is read and dropped for a moment: closing at once would let the reply be lost.

    Args:
        keeper: keeps the books.
        limits: what a request may cost.
        loop: calls back.
        allowed: see :func:`~neurogame.ggp.protocol.exchange.reply_bytes`.
    """

    def __init__(
        self,
        keeper: Keeper,
        limits: ReadingLimits,
        loop: asyncio.AbstractEventLoop,
        allowed: str = "",
    ) -> None:
        self.arrived = 0.0
        """When the first byte was there, before it the connection; :func:`time.monotonic`."""
        self.is_complete = False
        """Whether nothing more is read: the request is complete, or refused."""
        self._keeper = keeper
        self._limits = limits
        self._loop = loop
        self._allowed = allowed
        self._reader = RequestReader(limits)
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._pause: asyncio.TimerHandle | None = None
        self._was_continued = False
        self._has_begun = False
        self._has_ended = False
        self._was_answered = False
        self.held = 0
        """How many bytes of the request are held."""
        self._ignored = 0

    def way(self) -> float:
        """Return how long bytes travel on this connection, as far as is known; seconds.

        To be asked when the request is complete.
        """
        way = time.monotonic() - self.arrived
        if self._transport is not None:
            link = self._transport.get_extra_info("socket")
            if link is not None and link.family in (
                socket.AF_INET,
                socket.AF_INET6,
            ):
                way = max(way, round_trip(link))
        return way

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to read, against the clock."""
        assert isinstance(transport, asyncio.Transport)
        self.arrived = time.monotonic()
        self._transport = transport
        self._timer = self._loop.call_later(self._limits.seconds, self._expire)
        self._keeper.admit(self)

    def data_received(self, data: bytes) -> None:
        """Take bytes."""
        if self.is_complete:
            self._ignored += len(data)
            if self._ignored > _MOST_IGNORED:
                self.drop()
            return
        if not self._has_begun:
            # Some connect long before they have a message; clocks run from its first byte.
            self._has_begun, self.arrived = True, time.monotonic()
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        self._read(lambda: self._reader.feed(data))
        if self.is_complete:
            return
        self._count(self._reader.size)
        if self._reader.is_settled:
            self._pause = self._loop.call_later(self._limits.silence, self._settle)
        if self._reader.wants_continue and not self._was_continued and self._transport is not None:
            self._was_continued = True
            self._transport.write(CONTINUE)

    def eof_received(self) -> bool:
        """Take the end of what the sender sends; it may still wait for the reply."""
        self._has_ended = True
        if self.is_complete:
            return not self._was_answered  # If it was, nothing is left to do.
        self._read(self._reader.end)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Clear away."""
        self.is_complete = True
        self._stop_timers()
        self._transport = None
        self._count(0)
        self._keeper.forget(self)

    def reply(self, text: str, status: int = 200) -> None:
        """Send the answer and close.

        Args:
            text: the answer.
            status: of HTTP.
        """
        transport = self._transport
        self._count(0)
        if transport is None or transport.is_closing():
            return
        self._was_answered = True
        transport.write(reply_bytes(text, status, self._allowed))
        if self._has_ended:
            transport.close()
            return
        if transport.can_write_eof():
            transport.write_eof()
        self._timer = self._loop.call_later(_LINGER, self.drop)
        self._keeper.finished(self)

    def drop(self) -> None:
        """Close at once, without a word."""
        if self._transport is not None:
            self._transport.abort()

    def _read(self, step: Callable[[], Request | None]) -> None:
        """Let the reader take a step; hand over what is complete, refuse what is wrong."""
        try:
            request = step()
        except ProtocolError as error:
            self._complete()
            self.reply(f"bad request: {error}", 400)
            return
        if request is not None:
            self._complete()
            self._keeper.serve(self, request)

    def _complete(self) -> None:
        self._count(self._reader.size)
        self.is_complete = True
        self._reader = RequestReader(self._limits)
        self._stop_timers()

    def _settle(self) -> None:
        """Take the silence behind a whole message for its end."""
        self._pause = None
        if not self.is_complete:
            self._read(self._reader.settle)

    def _expire(self) -> None:
        """Refuse what is not complete in time."""
        if not self.is_complete:
            self._complete()
            self.reply(f"bad request: not complete after {self._limits.seconds:g} s", 400)

    def _count(self, held: int) -> None:
        change, self.held = held - self.held, held
        if change:
            self._keeper.hold(change)

    def _stop_timers(self) -> None:
        for timer in (self._timer, self._pause):
            if timer is not None:
                timer.cancel()
        self._timer = self._pause = None
