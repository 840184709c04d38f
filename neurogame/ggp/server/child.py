"""What every process behind a match does first, and what it must never do: outlive the server."""

from __future__ import annotations

import contextlib
import importlib
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from neurogame.machine_memory import data_size
from neurogame.workers.local import end_with_parent

RESERVE = 32 * 2**20
"""Bytes that a process with limited memory holds back, to be able to say that it has none left."""

_reserve: list[bytes] = []


def run_child(target: str, connection: Connection, memory: int | None, given: Any) -> None:
    """Run a function in a process of its own; the first thing that such a process calls.

    Args:
        target: the function as ``module:name``. A text, because the server itself must not load
            what the function needs.
        connection: the child's end of the pipe to the server; the function's first argument.
        memory: bytes that the process may take beyond those it has now; None: no limit.
        given: the function's second argument.
    """
    # Ctrl-C reaches every process of the terminal; the server ends its children itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    if memory is not None:
        limit_memory(memory)
    function: Callable[[Connection, Any], None]
    module, _, name = target.partition(":")
    function = getattr(importlib.import_module(module), name)
    try:
        function(connection, given)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # The server has gone or wants no more.
    finally:
        connection.close()


def limit_memory(more: int) -> None:
    """Let allocations fail that would take this process beyond a limit, where systems can.

    Counted is memory that the process could write, used or not; then Python raises
    ``MemoryError``, and the machine is never short of memory for others.

    Args:
        more: bytes beyond those that the process has now.
    """
    try:
        import resource
    except ImportError:
        return
    hold_reserve()
    limit = data_size() + more
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def hold_reserve() -> None:
    """Hold memory back again, as long as there is enough."""
    if not _reserve:
        with contextlib.suppress(MemoryError):
            # Reserved, not touched: it takes no memory of the machine.
            _reserve.append(bytes(RESERVE))


def release_reserve() -> None:
    """Give back what was held back: the first thing to do where memory may have run out."""
    _reserve.clear()
