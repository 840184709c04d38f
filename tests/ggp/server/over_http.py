"""A served host and a client that sends bytes, for tests over real sockets."""

from __future__ import annotations

import asyncio
import socket
import threading

from neurogame.ggp.protocol.limits import ReadingLimits
from neurogame.ggp.server.host import Host
from neurogame.ggp.server.listener import Listener, listen, open_socket
from tests.processes import PATIENCE


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

    def end(self) -> None:
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
