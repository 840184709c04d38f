"""Where pieces of work are done, as whoever has such pieces sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, final

from neurogame.workers.cluster import ClusterWorkers, cluster_workers
from neurogame.workers.local import local_workers
from neurogame.workers.settings import WorkerSettings

_T = TypeVar("_T")

_AHEAD = 2
"""Pieces for each worker that are handed out at the same time, so that none waits for the next."""


@final
class InlineExecutor(Executor):
    """Does everything at once, in this thread; errors and interrupts come out of ``submit``."""

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Call a function and return its result as a future that is done."""
        future: Future[_T] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@final
@dataclass(frozen=True, eq=False)
class Workplace:
    """An executor, and how much to give it.

    Attributes:
        executor: does the pieces.
        at_once: pieces to hand out at the same time.
        workers: pieces that are done at the same time, at the beginning.
        threads: of this process, as many as workers, for compiled loops, which share memory and
            need not travel; None: the workers are elsewhere.
    """

    executor: Executor
    at_once: int = 1
    workers: int = 1
    threads: Executor | None = None

    @property
    def joined(self) -> int | None:
        """Number of workers that there are now; None where this thread does the work itself."""
        if isinstance(self.executor, InlineExecutor):
            return None
        if isinstance(self.executor, ClusterWorkers):
            return self.executor.joined
        return self.workers


@contextmanager
def open_workplace(settings: WorkerSettings | None = None) -> Iterator[Workplace]:
    """Give a workplace: this thread, local processes, or a cluster.

    A script with local processes must guard its own work by ``if __name__ == "__main__":``,
    because each new process reads it once.

    Args:
        settings: which one; None: this thread.

    Raises:
        ConfigurationError: the cluster cannot be used.
        MissingExtraError: the extra ``cluster`` is not installed.
    """
    settings = settings or WorkerSettings()
    if settings.cluster is not None:
        with cluster_workers(settings.cluster) as (executor, workers):
            yield Workplace(executor, _AHEAD * workers, workers)
    elif settings.workers == 1:
        executor = InlineExecutor()
        yield Workplace(executor, threads=executor)
    else:
        workers = settings.workers
        # Processes begin with the first piece, if there is any for them.
        with local_workers(workers) as processes, ThreadPoolExecutor(workers) as threads:
            yield Workplace(processes, _AHEAD * workers, workers, threads)
