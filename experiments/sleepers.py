"""Pieces of work that sleep in place of computing, and what disturbs them on purpose.

All else is real: what travels, which worker takes it, and what the learner or the arena makes of
it. Many workers fit on a machine of few cores that way.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, final

from neurogame.arena.schedule import Slot
from neurogame.learn.lanes.piece import LaneRound
from neurogame.players.record import MatchRecord

_T = TypeVar("_T")


@final
@dataclass(frozen=True, kw_only=True)
class Disturbances:
    """What is not as one would like it.

    Attributes:
        delay: seconds that what is handed out, and what comes back, is late.
        slow: how many times longer every fourth worker takes.
        loss: seconds after which a worker is killed, again and again; 0: never.
    """

    delay: float = 0.0
    slow: float = 1.0
    loss: float = 0.0

    def slowness(self, workers: int) -> list[float]:
        """Return that of each worker."""
        return [self.slow if number % 4 == 0 else 1.0 for number in range(workers)]


@final
class Sleepers(Executor):
    """Hands out pieces that sleep, to real workers."""

    def __init__(
        self, executor: Executor, instead: Callable[..., Callable[[], Any]], delay: float = 0.0
    ) -> None:
        """Use an executor.

        Args:
            executor: of real workers.
            instead: says what to call in place of a piece, given its arguments.
            delay: seconds that messages are late, both ways.
        """
        self._executor, self._instead, self._delay = executor, instead, delay

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Hand out the piece that sleeps."""
        call = self._instead(*args)
        if self._delay == 0:
            return self._executor.submit(call)
        late: Future[_T] = Future()

        def answer(found: Future[_T]) -> None:
            _after(self._delay, lambda: late.set_result(found.result()))

        def begin() -> None:
            self._executor.submit(call).add_done_callback(answer)

        _after(self._delay, begin)
        return late


def _after(seconds: float, action: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.start()


def rounds_of(seconds: float, slow: float = 1.0) -> Callable[..., Callable[[], LaneRound]]:
    """Return what to call in place of a group's round that takes so many seconds."""
    return lambda group, state, plies: partial(sleep_round, seconds, slow, state)


def matches_of(
    seconds: Sequence[float], records: Sequence[MatchRecord], slow: float = 1.0
) -> Callable[..., Callable[[], MatchRecord]]:
    """Return what to call in place of an arena's match: those that were played come round again.

    Args:
        seconds: of each match.
        records: what each came to; even ones have the first seats of a block.
        slow: how many times longer every fourth worker takes.
    """

    def instead(slot: Slot) -> Callable[[], MatchRecord]:
        number = (2 * slot.block + slot.number) % len(seconds)
        return partial(sleep_match, seconds[number], slow, records[number])

    return instead


def sleep_round(seconds: float, slow: float, state: dict[str, Any]) -> LaneRound:
    """Sleep for a piece of learning, and return the state that came."""
    _doze(seconds, slow)
    return LaneRound(state=state, loss=0.0)


def sleep_match(seconds: float, slow: float, record: MatchRecord) -> MatchRecord:
    """Sleep for a match, and return what it came to."""
    _doze(seconds, slow)
    return record


def _doze(seconds: float, slow: float) -> None:
    if slow != 1:
        from distributed import get_worker

        seconds *= slow if int(get_worker().name) % 4 == 0 else 1
    time.sleep(seconds)


@contextmanager
def losses(cluster: Any, every: float, seed: int) -> Iterator[list[int]]:
    """Kill a worker process of a local cluster now and then; its nanny starts another one.

    Args:
        cluster: of ``distributed``.
        every: seconds between two deaths; 0: none.
        seed: decides which ones.

    Yields:
        The numbers of the processes that were killed so far.
    """
    over, killed, choice = threading.Event(), list[int](), random.Random(seed)

    def kill() -> None:
        while not over.wait(every):
            pid = choice.choice([nanny.pid for nanny in cluster.workers.values()])
            if pid is not None and pid not in killed:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)

    thread = threading.Thread(target=kill, daemon=True)
    if every > 0:
        thread.start()
    try:
        yield killed
    finally:
        over.set()
        if every > 0:
            thread.join()
