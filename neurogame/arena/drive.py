"""Has matches played, one or many at once, and loses none that was finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, final

from neurogame.arena.schedule import Slot
from neurogame.players.record import MatchRecord

_T = TypeVar("_T")


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


@final
class InlineExecutor(Executor):
    """Does everything at once, in this thread; errors and interrupts come out of ``submit``."""

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Call a function and return its result as a future that is done."""
        future: Future[_T] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def drive(
    slots: Iterator[Slot],
    play: Callable[[Slot], Outcome],
    collect: Callable[[Slot, MatchRecord], None],
    executor: Executor,
    at_once: int,
) -> None:
    """Play all matches of a plan.

    Args:
        slots: the matches; the next one is asked for when there is room for it.
        play: plays a match; must be picklable where the executor uses processes.
        collect: called with every finished match, in the order in which they finish; also with
            those that finished before an error or interrupt, which is raised afterwards.
        executor: where matches are played.
        at_once: matches that are given to the executor at the same time.

    Raises:
        MatchFailed: a match could not be played.
        BrokenExecutor: the executor's processes died.
    """
    pending: dict[Future[Outcome], Slot] = {}
    try:
        while True:
            while len(pending) < at_once and (slot := next(slots, None)) is not None:
                pending[executor.submit(play, slot)] = slot
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
