"""Functions that tests run in processes of their own."""

from __future__ import annotations

import os
import pickle
import signal
import struct
import time
from multiprocessing.connection import Connection

from neurogame.ggp.server.child import release_reserve


def echo(connection: Connection, given: object) -> None:
    """Send back what was given, then all that is received."""
    connection.send(given)
    while True:
        connection.send(connection.recv())


def spin(connection: Connection, given: object) -> None:
    """Compute for ever, without ever looking at the pipe."""
    connection.send(os.getpid())
    while True:
        pass


def sleep(connection: Connection, given: object) -> None:
    """Say what Ctrl-C would do; never read."""
    connection.send(signal.getsignal(signal.SIGINT) == signal.SIG_IGN)
    time.sleep(1000)


def half(connection: Connection, given: object) -> None:
    """Send a message; begin another one and never end it."""
    whole = pickle.dumps({"event": "half"})
    # All at once: who has received the first one can already read what there is of the second.
    begun = struct.pack("!i", len(whole)) + whole + struct.pack("!i", 1000)
    os.write(connection.fileno(), begun)
    time.sleep(1000)


def eat(connection: Connection, given: int) -> None:
    """Take memory in small pieces until there is none; say how many bytes there were."""
    pieces: list[bytearray] = []
    try:
        while len(pieces) < 1000:
            pieces.append(bytearray(given))
    except MemoryError:
        release_reserve()
        connection.send(given * len(pieces))
