"""The processes that torchrun has started for one run: what one has, all get, as plain arrays."""

from __future__ import annotations

import atexit
import io
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import final

import numpy as np

from neurogame.errors import LimitError, NeurogameError
from neurogame.files import Arrays
from neurogame.workers.local import prepare_worker, use_one_thread

_PATIENCE = timedelta(days=365)
"""How long a process waits for another one, which may be measuring what has been learned."""


@final
class Ranks:
    """This process among those of the run, all of which call :meth:`share` in the same order.

    Attributes:
        number: of this process, its *rank*; 0 decides what is done next, writes and prints.
        workers: processes of the run.
    """

    def __init__(self, number: int, workers: int) -> None:
        """Speak for a process of a group that ``torch.distributed`` has set up.

        Args:
            number: its rank.
            workers: processes of the group.
        """
        self.number, self.workers = number, workers

    @property
    def joined(self) -> int:
        """Number of processes, all of which are there until the end."""
        return self.workers

    def share(self, arrays: Arrays | None, source: int = 0) -> Arrays:
        """Return to every process what one of them has.

        Args:
            arrays: in the process that has them; the others wait for them with None.
            source: rank of that process.

        Raises:
            LimitError: in rank 0; another process has ended.
            SystemExit: in any other rank, likewise.
        """
        import torch
        from torch import distributed

        data = bytearray()
        if arrays is not None:
            file = io.BytesIO()
            np.savez(file, allow_pickle=False, **arrays)
            data = bytearray(file.getbuffer())
        try:
            size = torch.tensor(len(data))
            distributed.broadcast(size, source)
            data = data or bytearray(int(size))
            distributed.broadcast(torch.frombuffer(data, dtype=torch.uint8), source)
        except RuntimeError:
            lost = LimitError(
                "another process that torchrun started has ended, or cannot be reached; the run "
                "can be resumed, with any number of processes"
            )
            raise self._spoken(lost) from None
        if arrays is not None:
            return arrays
        with np.load(io.BytesIO(data), allow_pickle=False) as found:
            return {name: found[name] for name in found.files}

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let an error of one process end what all do, none of which shares anything meanwhile.

        Raises:
            NeurogameError: in rank 0; with the message of the first process that has failed.
            SystemExit: in any other rank, likewise.
        """
        failed: Arrays = {}
        try:
            yield
        except NeurogameError as error:
            failed = {"error": np.array(str(error))}
        for source in range(self.workers):
            told = self.share(failed if source == self.number else None, source)
            if told:
                if self.number > 0:
                    self.share(None)  # In vain: until rank 0 has said why, and ended.
                raise self._spoken(NeurogameError(str(told["error"]))) from None

    def _spoken(self, error: NeurogameError) -> BaseException:
        """Return how this process ends after an error that all know: rank 0 tells the user."""
        return error if self.number == 0 else SystemExit(1)


@contextmanager
def open_ranks() -> Iterator[Ranks | None]:
    """Join the processes that torchrun has started; give None where it has not.

    At the end rank 0 shares an empty dictionary, which tells the others to end, too. These do not
    hear Ctrl-C, nor that they should end, so that rank 0 can still save what all have learned.
    """
    from torch import distributed

    if not (distributed.is_available() and distributed.is_torchelastic_launched()):
        yield None
        return
    # Torch takes gloo for what lies in main memory, as all does here, and NCCL for GPUs.
    distributed.init_process_group(timeout=_PATIENCE)
    ranks = Ranks(distributed.get_rank(), distributed.get_world_size())
    beside = int(os.environ["LOCAL_WORLD_SIZE"])
    if ranks.number == 0:
        # No core of its own: it measures and compiles in further threads and processes.
        use_one_thread(beside)
    else:
        prepare_worker(beside, int(os.environ["LOCAL_RANK"]))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # After an error only at the very end: the others end with this process, once it has told the
    # user. Threads of a group that nobody leaves may end the process by a signal.
    atexit.register(_leave)
    yield ranks
    if ranks.number == 0:
        ranks.share({})
    _leave()


def _leave() -> None:
    from torch import distributed

    if distributed.is_initialized():
        distributed.destroy_process_group()
