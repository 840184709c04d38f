"""What groups of lanes agree on after a round.

Between two agreements a worker has weights of its own. What tables have learned is added up, but
to one and a half times the mean at most; so are the sums behind their step sizes. Everything that
Adam learns is averaged.

*Reference:* McMahan and others, "Communication-efficient learning of deep networks from
decentralized data" (2017), for averaged weights.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import final

import numpy as np

from neurogame.array_types import Float32s
from neurogame.learn.lanes.rounds import Rounds
from neurogame.learn.lanes.worker import LaneWorker

GAIN = np.float32(1.5)
"""How many times the mean change of those who have moved a number counts.

Each has gone part of the way to where its games would have the number, sometimes all of it. What
counts twice the mean then ends as far on the other side, and so on: two groups learned small
connect four worse with each round.
"""


@final
class Agreement:
    """Rounds after which all groups have the same weights."""

    def __init__(self, workers: Sequence[LaneWorker], rounds: Rounds) -> None:
        """Note what workers with the same weights have.

        Args:
            workers: of the groups.
            rounds: lets them play.
        """
        self._workers, self._rounds = workers, rounds
        self._before = [array.copy() for array in workers[0].added()]

    def play(self, plies: int) -> float:
        """Play and learn with all groups, and agree; see :meth:`Rounds.play`."""
        seconds = self._rounds.play(plies)
        if len(self._workers) == 1:
            return seconds
        begun = time.thread_time()
        self._make()
        return seconds + time.thread_time() - begun

    def _make(self) -> None:
        """Give all workers the same weights: changes of tables together, all else averaged."""
        for before, *arrays in zip(
            self._before, *(worker.added() for worker in self._workers), strict=True
        ):
            for array in arrays:
                array -= before
            before += _together(arrays)
            for array in arrays:
                array[...] = before
        for parts in zip(*(worker.averaged() for worker in self._workers), strict=True):
            mean = sum(parts[1:], parts[0]) / np.float32(len(parts))
            for array in parts:
                array[...] = mean

    def note(self) -> None:
        """Take the weights as they are now, which are the same for all."""
        for before, now in zip(self._before, self._workers[0].added(), strict=True):
            before[...] = now


def _together(changes: Sequence[Float32s]) -> Float32s:
    """Return the changes of all workers as one; the mean is of those who have moved a number."""
    movers = sum((change != 0).astype(np.float32) for change in changes)
    return sum(changes[1:], changes[0].copy()) * counted(movers)


def counted(movers: Float32s) -> Float32s:
    """Return how much of each worker's change of a number counts.

    Args:
        movers: how many have moved the number.

    Returns:
        Their sum counts as a whole up to :data:`GAIN` times their mean.
    """
    return np.asarray(GAIN / np.maximum(movers, GAIN), np.float32)
