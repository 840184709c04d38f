"""Local worker processes: kept warm, one core each, replaced when they die.

Imports nothing heavy: a new process reads this before anything else.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import pickle
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, final

_T = TypeVar("_T")

DEATHS = 3
"""Workers that may die over one piece of work before it is given up."""


@final
@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long a worker may give no sign of life before it is ended and replaced.

    What computes for hours gives signs of life all the time; what was stopped, or hangs in code
    that holds Python's lock, gives none. Looks are counted, not seconds, so that nothing is ended
    because the whole machine was asleep.

    Attributes:
        look: seconds from one sign of life to the next, and from one look to the next.
        looks: so many, one after the other, that find no sign.
    """

    look: float = 10.0
    looks: int = 30


@contextmanager
def local_workers(count: int, patience: Patience | None = None) -> Iterator[Executor]:
    """Give worker processes, and end them: after an error or interrupt at once.

    Args:
        count: number of processes, at least 1.
        patience: with workers that give no sign of life; None: five minutes.
    """
    workers = LocalWorkers(count, patience)
    try:
        yield workers
    except BaseException:
        # A piece may take minutes; nobody who interrupts wants to wait for it.
        workers.kill()
        raise
    finally:
        # Nobody waits for what is still under way.
        workers.kill(idle=False)
        workers.shutdown(cancel_futures=True)


@final
@dataclass(frozen=True, eq=False)
class _Piece:
    call: Callable[[], Any]
    future: Future[Any]


@final
class LocalWorkers(Executor):
    """Processes that are started when they are first needed, spawned, and kept.

    A piece whose worker dies or hangs is done again by a new one, so pieces must not leave anything
    half done; after :data:`DEATHS` deaths its future raises a ``BrokenExecutor``.
    """

    def __init__(self, count: int, patience: Patience | None = None) -> None:
        """Prepare workers.

        Args:
            count: number of processes, at least 1.
            patience: with workers that give no sign of life; None: five minutes.
        """
        self._patience = patience or Patience()
        self._waiting: queue.SimpleQueue[_Piece | None] = queue.SimpleQueue()
        self._is_closed = self._is_killed = False
        self._workers: dict[int, _Worker] = {}
        self._threads = [
            threading.Thread(target=self._serve, args=(number, count), daemon=True)
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Have a call made by the next worker that is free; all must be picklable."""
        if self._is_closed:
            raise RuntimeError("these workers were shut down")
        future: Future[_T] = Future()
        self._waiting.put(_Piece(partial(fn, *args, **kwargs), future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers once their work is done.

        Args:
            wait: whether to return only then.
            cancel_futures: whether to drop the pieces that no worker has begun.
        """
        self._is_closed = True
        if cancel_futures:
            with suppress(queue.Empty):
                while True:
                    piece = self._waiting.get_nowait()
                    if piece is not None:
                        piece.future.cancel()
        for _ in self._threads:
            self._waiting.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def kill(self, *, idle: bool = True) -> None:
        """End workers at once; pieces under way are lost, as are those that wait.

        Args:
            idle: whether to end those, too, that have no piece under way.
        """
        self._is_closed = self._is_killed = True
        for worker in list(self._workers.values()):
            if idle or worker.is_busy:
                worker.kill()

    def _serve(self, number: int, count: int) -> None:
        """Hand pieces to one worker, and replace it when it dies."""
        if hasattr(signal, "pthread_sigmask"):
            # Processes inherit this: they never see a Ctrl-C, not even before they are set up.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        worker: _Worker | None = None
        while (piece := self._waiting.get()) is not None:
            if not piece.future.set_running_or_notify_cancel():
                continue
            deaths = 0
            while True:
                try:
                    if worker is None:
                        worker = self._workers[number] = _Worker(number, count, self._patience)
                    if self._is_killed:
                        raise BrokenExecutor("these workers were ended")
                    answer = worker.answer(piece.call)
                except BrokenExecutor as error:
                    self._end(number, worker)
                    worker, deaths = None, deaths + 1
                    if self._is_killed or deaths == DEATHS:
                        piece.future.set_exception(error)
                        break
                except BaseException as error:
                    piece.future.set_exception(error)
                    break
                else:
                    piece.future.set_result(answer)
                    break
        self._end(number, worker)

    def _end(self, number: int, worker: _Worker | None) -> None:
        self._workers.pop(number, None)
        if worker is not None:
            worker.end()


@final
class _Worker:
    """One process, and the count of its signs of life.

    Attributes:
        is_busy: whether it has a piece under way.
    """

    def __init__(self, number: int, count: int, patience: Patience) -> None:
        """Start it.

        Raises:
            BrokenExecutor: it died at once.
        """
        context = multiprocessing.get_context("spawn")
        self._patience, self.is_busy = patience, False
        self._signs = context.RawValue(ctypes.c_uint64)
        begin = (count, number, self._signs, patience.look)
        self._pool = ProcessPoolExecutor(1, context, _begin, begin)
        self._pid = self._pool.submit(os.getpid).result()

    def answer(self, call: Callable[[], _T]) -> _T:
        """Return what a call returns.

        Raises:
            BrokenExecutor: the process died, or was ended as it gave no sign of life.
        """
        self.is_busy = True
        try:
            future = self._pool.submit(_answered, call)
            silent, signs = 0, self._signs.value
            while silent < self._patience.looks:
                # Not its timeout, which the call itself may raise.
                if wait([future], self._patience.look).done:
                    return future.result()
                silent = silent + 1 if signs == self._signs.value else 0
                signs = self._signs.value
            self.kill()
            return future.result()
        finally:
            self.is_busy = False

    def kill(self) -> None:
        """End the process at once."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)

    def end(self) -> None:
        """End the process once it is done."""
        self._pool.shutdown()


def _answered(call: Callable[[], _T]) -> _T:
    """Return what a call returns; raise what it raises in a form that the parent can read.

    Else it would look there as if this process had died.
    """
    try:
        return call()
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            raise RuntimeError(f"{type(error).__name__}: {error}") from error
        raise


def _begin(count: int, number: int, signs: ctypes.c_uint64, seconds: float) -> None:
    """Set up a worker process: deaf to Ctrl-C, on one core, no longer alive than its parent.

    Args:
        count: workers side by side, which share the memory of the machine.
        number: of this one, which decides its core.
        signs: of life, which are counted from now on.
        seconds: from one to the next.
    """
    threading.Thread(target=_give_signs, args=(signs, seconds), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        # More workers than cores are left to the system.
        if count <= len(cores):
            os.sched_setaffinity(0, {cores[number]})
    use_one_thread(count)


def _give_signs(signs: ctypes.c_uint64, seconds: float) -> None:
    while True:
        signs.value += 1
        time.sleep(seconds)


def use_one_thread(count: int = 1) -> None:
    """Let torch and compiled code of this process use one thread.

    Args:
        count: processes side by side that share the memory of the machine.
    """
    os.environ["NUMBA_NUM_THREADS"] = "1"
    import torch

    from neurogame.machine_memory import share_memory

    torch.set_num_threads(1)
    share_memory(count)


def end_with_parent() -> None:
    """End this process as soon as its parent has died, whatever it is computing.

    Queues and pipes alone would never tell.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
