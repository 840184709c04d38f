"""Serves a player over HTTP until it is told to end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable
from typing import final

from neurogame.ggp.protocol.messages import Preview, Start
from neurogame.ggp.server.host import Host
from neurogame.ggp.server.listener import Listener, listen, open_socket
from neurogame.ggp.server.match_log import MatchLog
from neurogame.ggp.server.memory import thinker_memory
from neurogame.ggp.server.orders import Task
from neurogame.ggp.server.processes import ChildProcess, Processes
from neurogame.ggp.server.served_match import ServedMatch
from neurogame.ggp.server.settings import ServeSettings
from neurogame.waiting import said_later

_LOOK = 0.1
_PATIENCE = 2.0


def serve(settings: ServeSettings, report: Callable[[str], None]) -> None:
    """Serve a player until a signal ends it; to be called by the main thread.

    After the first Ctrl-C (SIGINT) no new match begins, and the present one is played to its end;
    a second one, or SIGTERM, ends at once.

    Args:
        settings: the player, the address, the limits.
        report: is told in lines what happens; may be called by any thread.

    Raises:
        ConfigurationError: the address cannot be had.
        PlayerError: the player cannot be made.
    """
    server_socket = open_socket(settings.host, settings.port)
    processes = Processes(settings.player)
    loads = f"loads {settings.player}; where nothing is compiled yet, a minute or two, once"
    try:
        with said_later(_PATIENCE, loads, report):
            remarks = processes.warm_up()
        for remark in remarks:
            report(f"warning: {remark}")
        server = _Server(settings, processes, report)
        processes.watch(report)
        listen(server_socket)
        asyncio.run(server.run(server_socket))
    finally:
        processes.close()
        server_socket.close()


def make_host(settings: ServeSettings, processes: Processes, report: Callable[[str], None]) -> Host:
    """Return a host whose matches are played by processes.

    Args:
        settings: the player and its limits.
        processes: makes them.
        report: is told in lines what happens.
    """
    memory = thinker_memory(settings.memory)

    def match(start: Start, log: MatchLog) -> ServedMatch:
        return ServedMatch(start, settings, log, processes)

    def look(message: Preview, until: float) -> ChildProcess:
        task = Task(
            match="preview",
            role="",
            rules=message.rules,
            player=settings.player,
            steps_down=0,
            seed=settings.seed,
            ready_at=until,
            play_clock=1.0,
            memory=memory,
        )
        return processes.launch("neurogame.ggp.server.thinker:preview", task, memory)

    return Host(settings, match, look, report, processes.need)


@final
class _Server:
    """The parts of the server, and how they end."""

    def __init__(
        self, settings: ServeSettings, processes: Processes, report: Callable[[str], None]
    ) -> None:
        self._settings = settings
        self._report = report
        self._host = make_host(settings, processes, report)
        self._is_draining = False
        self._closing: asyncio.Future[None] | None = None

    async def run(self, server_socket: socket.socket) -> None:
        """Serve until the end."""
        loop = asyncio.get_running_loop()
        until = asyncio.Event()
        with contextlib.suppress(NotImplementedError):  # There Ctrl-C ends at once.
            loop.add_signal_handler(signal.SIGINT, self._interrupt, until)
            loop.add_signal_handler(signal.SIGTERM, self._end, until)
        self._announce(server_socket)
        watch = loop.create_task(self._watch(until))
        try:
            settings = self._settings
            listener = Listener(
                self._host, settings.limits, self._report, allowed=settings.allow_origin
            )
            await listener.run(server_socket, until)
        finally:
            watch.cancel()
            await loop.run_in_executor(None, self._host.close)

    def _announce(self, server_socket: socket.socket) -> None:
        """Say where the player can be reached."""
        address, port = server_socket.getsockname()[:2]
        shown = f"[{address}]" if ":" in address else address
        log = self._settings.log
        logged = "matches are not logged" if log is None else f"matches are logged in {log}"
        self._report(f"neurogame plays {self._settings.player} at http://{shown}:{port}, {logged}")

    def _interrupt(self, until: asyncio.Event) -> None:
        """End when the present match is over; asked a second time, at once."""
        if self._is_draining:
            self._end(until)
            return
        self._is_draining = True
        self._host.drain()
        if self._host.is_busy:
            self._report("ends after the present match; Ctrl-C again ends at once")

    def _end(self, until: asyncio.Event) -> None:
        """End at once."""
        if self._closing is None:
            self._report("ends")
            self._closing = asyncio.get_running_loop().run_in_executor(None, self._host.close)
            self._closing.add_done_callback(lambda _: until.set())

    async def _watch(self, until: asyncio.Event) -> None:
        """End when the last match is over."""
        while not (self._is_draining and not self._host.is_busy):
            await asyncio.sleep(_LOOK)
        until.set()
