"""The workers of a Dask cluster as an executor.

*Reference:* Rocklin, "Dask: Parallel computation with blocked algorithms and task scheduling"
(2015); the package ``distributed``.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, InvalidStateError
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar, final

from neurogame import version
from neurogame.compiling import digest_of
from neurogame.errors import ConfigurationError, MissingExtraError
from neurogame.workers.local import use_one_thread

_T = TypeVar("_T")

_PATIENCE = 10.0
"""Seconds in which a scheduler must answer."""

_GLANCE = 0.5
"""Seconds between two looks whether the scheduler is still there."""

_GONE = "the scheduler of the cluster has gone"


@contextmanager
def cluster_workers(cluster: str) -> Iterator[tuple[Executor, int]]:
    """Give the workers of a cluster, and how many there are.

    Args:
        cluster: the address of a scheduler, or the path of its file.

    Raises:
        MissingExtraError: the package ``distributed`` is not installed.
        ConfigurationError: no scheduler answers, no worker has joined it, or a worker has several
            threads or another version of this package.
    """
    try:
        import distributed
        from distributed.comm.addressing import get_address_host
    except ImportError:
        raise MissingExtraError(
            "--cluster needs the package distributed: pip install 'neurogame[cluster]'"
        ) from None
    path = Path(cluster)
    try:
        address = str(json.loads(path.read_text())["address"]) if path.is_file() else cluster
        # A client that is given no address says so too, and hangs at the end of the program.
        get_address_host(address)
        make: Any = distributed.Client
        client = make(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, LookupError, TimeoutError) as error:
        raise ConfigurationError(
            f"cluster={cluster}: no scheduler answers there ({error or type(error).__name__}); "
            "start one with 'dask scheduler', or name its address or file"
        ) from None
    except (TypeError, RuntimeError) as error:
        # What Dask raises where this process has no certificate, or the cluster no encryption.
        raise ConfigurationError(
            f"cluster={cluster}: not connected: {error}; Dask's settings of encryption "
            "(DASK_DISTRIBUTED__COMM__...) must be those of the cluster"
        ) from None
    with client:
        try:
            workers = _checked(client, cluster)
        except OSError as error:
            raise ConfigurationError(
                f"cluster={cluster}: its scheduler has just gone ({error}); start another one"
            ) from None
        executor = ClusterWorkers(client)
        try:
            yield executor, workers
        finally:
            executor.shutdown(wait=False, cancel_futures=True)


def _checked(client: Any, cluster: str) -> int:
    """Return the number of workers; refuse those that are set up wrongly."""
    threads: dict[str, int] = client.nthreads()
    if not threads:
        raise ConfigurationError(
            f"cluster={cluster}: no worker has joined this scheduler; start some with "
            f"'dask worker {cluster} --nthreads 1'"
        )
    several = [name for name, number in threads.items() if number > 1]
    if several:
        raise ConfigurationError(
            f"cluster={cluster}: worker {several[0]} has {threads[several[0]]} threads, which "
            "would share one process; start workers with --nthreads 1, as many as there are cores"
        )
    for name, installed in client.run(source_version, on_error="return").items():
        if isinstance(installed, OSError):
            continue  # It has just died; what joins in its place is asked with each piece.
        if isinstance(installed, Exception):
            raise ConfigurationError(
                f"cluster={cluster}: worker {name} does not know its version of neurogame "
                f"({type(installed).__name__}: {installed}); install the same files on all machines"
            )
        if installed != source_version():
            wanted = source_version()
            raise ConfigurationError(
                f"cluster={cluster}: {_other_version(name, installed, wanted)}"
            )
    return len(threads)


@cache
def source_version() -> str:
    """Return the version of this package with a hash of its source files, as first asked for.

    Finding the files takes milliseconds, and each piece asks.
    """
    folder = Path(version.__file__).parent
    folders = tuple(sorted({folder, *(path.parent for path in folder.rglob("*.py"))}))
    return f"{version.__version__}-{digest_of(folders)[:12]}"


def _other_version(worker: str, installed: str, wanted: str) -> str:
    return (
        f"worker {worker} has neurogame {installed}, this process {wanted}; results would depend "
        "on who does what: install the same files on all machines and start the worker again"
    )


@final
class ClusterWorkers(Executor):
    """Hands calls to the workers of a cluster.

    What a worker that dies has begun is done by another one; a piece over which several die
    raises a ``BrokenExecutor``, as does everything once the scheduler has gone.
    """

    def __init__(self, client: Any) -> None:
        """Use a client of ``distributed``."""
        self._client = client
        self._executor = client.get_executor(pure=False)
        self._over = threading.Event()
        self._connection_of: dict[Future[Any], object] = {}
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def joined(self) -> int:
        """Number of workers that there are, as the scheduler said within the last seconds."""
        # What the client asks for by itself every two seconds: scheduler_info() would wait for an
        # answer. Releases before 2025.4 name all workers in place of their number.
        known = self._client._scheduler_identity
        return int(known.get("n_workers", len(known.get("workers", ()))))

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Have a call made by a worker of the cluster; all must be picklable."""
        outer: Future[_T] = Future()
        call = partial(_call, source_version(), partial(fn, *args, **kwargs))
        outer.set_running_or_notify_cancel()
        connection = self._client.scheduler_comm
        if self._client.status != "running":
            outer.set_exception(BrokenExecutor(_GONE))
            return outer
        self._connection_of[outer] = connection
        outer.add_done_callback(lambda done: self._connection_of.pop(done, None))
        inner: Future[_T] = self._executor.submit(call)

        def finish(done: Future[_T]) -> None:
            error = CancelledError() if done.cancelled() else done.exception()
            if isinstance(error, CancelledError):
                error = BrokenExecutor(_GONE)
            elif type(error).__name__ == "KilledWorker":
                error = BrokenExecutor(str(error))
            # The watch may have been faster.
            with suppress(InvalidStateError):
                if error is None:
                    outer.set_result(done.result())
                else:
                    outer.set_exception(error)

        inner.add_done_callback(finish)
        return outer

    def _watch(self) -> None:
        """Give up what was handed out over a connection that is there no more.

        The client of ``distributed`` forgets some of it: what is handed out before it has noticed,
        and what it was fetching.
        """
        while not self._over.wait(_GLANCE):
            for future, connection in list(self._connection_of.items()):
                if self._client.scheduler_comm is not connection:
                    with suppress(InvalidStateError):
                        future.set_exception(BrokenExecutor(_GONE))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let go of the cluster; see :meth:`concurrent.futures.Executor.shutdown`."""
        # That of the cluster drops what it does not wait for.
        if self._client.status == "running":
            self._executor.shutdown(wait=wait and not cancel_futures)
        self._over.set()


def _call(wanted: str, call: Callable[[], _T]) -> _T:
    """Make a call in a worker, which may have joined late, if it has the same version."""
    if wanted != source_version():
        raise ConfigurationError(_other_version("of the cluster", source_version(), wanted))
    use_one_thread()
    return call()
