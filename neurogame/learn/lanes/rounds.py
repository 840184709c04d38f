"""Who plays a round of a learner's groups of lanes, all of which begin with the same weights."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import contextmanager
from typing import Protocol, final

from neurogame.errors import LimitError
from neurogame.learn.lanes.piece import LaneGroup, packed, play_lanes, unpacked
from neurogame.learn.lanes.worker import LaneWorker


class Rounds(Protocol):
    """Lets all groups play and learn."""

    def play(self, plies: int) -> float:
        """Play and learn with all groups, which then have weights of their own.

        Args:
            plies: in every lane.

        Returns:
            The seconds that it took.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
            LimitError: workers have died over a piece, or their cluster has gone.
        """


@final
class ThreadRounds:
    """Groups are played by threads; seconds are those of the processor, of the busiest thread.

    So what else runs on the machine does not count.
    """

    def __init__(self, workers: Sequence[LaneWorker], threads: Executor, count: int) -> None:
        """Take groups.

        Args:
            workers: of the groups.
            threads: of this process.
            count: how many.
        """
        self._workers, self._threads, self._count = workers, threads, count

    def play(self, plies: int) -> float:
        """Play and learn with all groups; see :meth:`Rounds.play`."""
        spent: list[float] = list(
            self._threads.map(lambda worker: worker.play(plies), self._workers)
        )
        return max(*spent, sum(spent) / self._count)


@final
class SentRounds:
    """Groups are sent to workers elsewhere; seconds are those of a clock."""

    def __init__(
        self, groups: Sequence[LaneGroup], workers: Sequence[LaneWorker], executor: Executor
    ) -> None:
        """Take groups.

        Args:
            groups: what is sent.
            workers: of these groups, where their states are kept.
            executor: plays.
        """
        self._groups, self._workers, self._executor = groups, workers, executor

    def play(self, plies: int) -> float:
        """Play and learn with all groups; answers are taken in their order."""
        begun = time.perf_counter()
        pieces = [
            self._executor.submit(play_lanes, group, packed(worker), plies)
            for group, worker in zip(self._groups, self._workers, strict=True)
        ]
        with named_deaths():
            for worker, piece in zip(self._workers, pieces, strict=True):
                played = piece.result()
                unpacked(worker, played.state)
                worker.learning.loss += played.loss
        return time.perf_counter() - begun


@contextmanager
def named_deaths() -> Iterator[None]:
    """Say what to do when workers have died.

    Raises:
        LimitError: they have.
    """
    try:
        yield
    except BrokenExecutor as error:
        raise LimitError(
            f"workers died over a piece of the training, or cannot be reached ({error}); probably "
            "memory ran out: try fewer --workers; the run can be resumed"
        ) from None
