"""Has matches played, one or many at once, and loses none that was finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import TypeAlias, final

from neurogame.arena.schedule import Slot
from neurogame.players.record import MatchRecord
from neurogame.workers.workplace import Workplace


@final
@dataclass(frozen=True)
class Failure:
    """A match that could not be played to its end.

    Attributes:
        message: what went wrong, for the user.
        trace: where it went wrong, for the programmer.
    """

    message: str
    trace: str


Outcome: TypeAlias = MatchRecord | Failure


@final
class MatchFailed(Exception):  # noqa: N818 - becomes an error for users in run.py
    """A match of the plan could not be played."""

    def __init__(self, slot: Slot, failure: Failure) -> None:
        """Note what failed.

        Args:
            slot: the match.
            failure: what went wrong.
        """
        super().__init__(failure.message)
        self.slot = slot
        self.failure = failure


def drive(
    slots: Iterator[Slot],
    play: Callable[[Slot], Outcome],
    collect: Callable[[Slot, MatchRecord], None],
    workplace: Workplace,
) -> None:
    """Play all matches of a plan.

    Args:
        slots: the matches; the next one is asked for when there is room for it.
        play: plays a match; must be picklable where the workplace has processes.
        collect: called with every finished match, in the order in which they finish; also with
            those that finished before an error or interrupt, which is raised afterwards.
        workplace: where matches are played.

    Raises:
        MatchFailed: a match could not be played.
        BrokenExecutor: workers died over a match, or their cluster has gone.
    """
    pending: dict[Future[Outcome], Slot] = {}
    try:
        while True:
            while len(pending) < workplace.at_once and (slot := next(slots, None)) is not None:
                pending[workplace.executor.submit(play, slot)] = slot
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                slot, outcome = pending.pop(future), future.result()
                if isinstance(outcome, Failure):
                    raise MatchFailed(slot, outcome)
                collect(slot, outcome)
    except BaseException:
        for future, slot in pending.items():
            if future.cancel() or not future.done() or future.exception() is not None:
                continue
            outcome = future.result()
            if not isinstance(outcome, Failure):
                collect(slot, outcome)
        raise
