"""Worker processes that keep quiet on Ctrl-C and never outlive their parent.

Imports nothing heavy: a new process reads this before anything else.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar, final

_T = TypeVar("_T")


@contextmanager
def worker_pool(processes: int) -> Iterator[Executor]:
    """Give worker processes, and end them: after an error or interrupt at once.

    Args:
        processes: number of processes.
    """
    others = set(multiprocessing.active_children())
    pool = _Pool(processes, multiprocessing.get_context("spawn"), prepare_worker, (processes,))
    try:
        yield pool
    except BaseException:
        # A match may take minutes; nobody who interrupts an arena wants to wait for it.
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def prepare_worker(processes: int = 1) -> None:
    """Set up a worker: deaf to Ctrl-C, one thread, no longer alive than its parent.

    Args:
        processes: that work side by side, and share the memory of the machine.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    import torch

    from neurogame.search.mcts_room import share_memory

    torch.set_num_threads(1)
    share_memory(processes)


def _end_with_parent() -> None:
    """End this process when the parent has died; its queue alone would never tell."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@final
class _Pool(ProcessPoolExecutor):
    """A pool whose processes never see a Ctrl-C, not even before they are set up."""

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Submit a call; this may start a process, which inherits what is blocked here."""
        if not hasattr(signal, "pthread_sigmask"):
            return super().submit(fn, *args, **kwargs)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
