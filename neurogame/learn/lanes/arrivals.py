"""Learning without waiting: what a group of lanes has learned counts as soon as it comes back.

Each group leaves with the newest weights, and what it has changed of them is added to those that
are the newest when it returns. So no worker waits for a slower one, and the same seed no longer
gives the same weights.

*Reference:* Dean and others, "Large scale distributed deep networks" (2012), section 4.1, for
workers that send changes of weights when they have them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import final

import numpy as np

from neurogame.array_types import Bools, Float32s
from neurogame.learn.lanes.agreement import counted
from neurogame.learn.lanes.piece import LaneGroup, LaneRound, packed, play_lanes, unpacked
from neurogame.learn.lanes.rounds import named_deaths
from neurogame.learn.lanes.worker import LaneWorker


@final
class Arrivals:
    """The groups of a learner, of which each goes its own way."""

    def __init__(
        self, groups: Sequence[LaneGroup], workers: Sequence[LaneWorker], executor: Executor
    ) -> None:
        """Send nobody yet.

        Args:
            groups: of lanes.
            workers: of these groups, with the same weights.
            executor: does the pieces.
        """
        self._groups, self._workers, self._executor = groups, workers, executor
        self._under_way: dict[Future[LaneRound], int] = {}
        self.note()

    def note(self) -> None:
        """Take the weights as they are now, which are the same for all; pieces are forgotten."""
        for piece in self._under_way:
            piece.cancel()
        self._under_way = {}
        first = self._workers[0]
        self._newest = _copies(_learned(first))
        self._left = [self._newest] * len(self._workers)
        self._moved: list[list[Bools]] = [
            [np.zeros(part.shape, np.bool_) for part in first.added()] for _ in self._workers
        ]
        self._movers = [np.zeros(part.shape, np.float32) for part in first.added()]

    def play(self, plies: int) -> float:
        """Take as many pieces as there are groups, as they come; all then have the same weights.

        Seconds are those of a clock; see :meth:`~neurogame.learn.lanes.rounds.Rounds.play`.
        """
        begun = time.perf_counter()
        for number in set(range(len(self._groups))).difference(self._under_way.values()):
            self._send(number, plies)
        for _ in self._groups:
            done = wait(self._under_way, return_when=FIRST_COMPLETED).done.pop()
            number = self._under_way.pop(done)
            with named_deaths():
                self._take(number, done.result())
            self._send(number, plies)
        for worker in self._workers:
            _give(worker, self._newest)
        return time.perf_counter() - begun

    def _send(self, number: int, plies: int) -> None:
        worker = self._workers[number]
        self._left[number] = _copies(self._newest)
        piece = self._executor.submit(play_lanes, self._groups[number], packed(worker), plies)
        self._under_way[piece] = number

    def _take(self, number: int, played: LaneRound) -> None:
        """Add what a group has changed, as the groups of a round would that wait for each other.

        Of the numbers in tables the others' last changes tell how many have moved them.
        """
        worker = self._workers[number]
        unpacked(worker, played.state)
        worker.learning.loss += played.loss
        own, left, moved = _learned(worker), self._left[number], self._moved[number]
        for place, (newest, before, now) in enumerate(zip(self._newest, left, own, strict=True)):
            # What Adam knows of gradients, which comes last, stays a mean: a sum of changes could
            # bring a mean square below 0.
            change = now - (newest if place == len(own) - 1 else before)
            if place < len(moved):
                movers, mine = self._movers[place], change != 0
                movers += mine.astype(np.float32) - moved[place]
                moved[place] = mine
                change *= counted(movers)
            else:
                change /= np.float32(len(self._groups))
            newest += change
        _give(worker, self._newest)


def _learned(worker: LaneWorker) -> list[Float32s]:
    """Return all that is learned, tables first; not copies."""
    return worker.added() + worker.averaged()


def _copies(arrays: Sequence[Float32s]) -> list[Float32s]:
    return [array.copy() for array in arrays]


def _give(worker: LaneWorker, newest: Sequence[Float32s]) -> None:
    for own, now in zip(_learned(worker), newest, strict=True):
        own[...] = now
