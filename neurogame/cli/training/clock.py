"""When the parts of a run are over that is to take so many seconds: set-up, learning, measuring."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, final

from neurogame.aside import Aside, LeftBehindError
from neurogame.errors import LimitError
from neurogame.first_use import seconds_spent, working_time

if TYPE_CHECKING:
    from neurogame.learn.training_run import TrainingRun

_LEARNT, _MEASURED, _OVER = 3.0, 7.5, 8.5
"""Seconds after those asked for when learning is over at the latest, measuring, and everything."""

T = TypeVar("T")


@final
class RunClock:
    """The clock of a command; compiling for the first time, once per machine, stops it."""

    def __init__(self, seconds: float | None, begun: float | None = None) -> None:
        """Begin now, or with the command.

        Args:
            seconds: that the run is to take; None: as long as it takes.
            begun: when the command began, as ``time.monotonic`` tells it; None: now.
        """
        self._seconds = math.inf if seconds is None else seconds
        self._begun = working_time() if begun is None else begun - seconds_spent()

    def get_ready(self, make: Callable[[], T]) -> T:
        """Return what is made within the seconds of the run.

        Args:
            make: grounds and compiles a game, and whatever else is needed.

        Raises:
            LimitError: it took longer.
        """
        aside = Aside()
        try:
            return aside.do(make, lambda: working_time() >= self._at(_OVER))
        except LeftBehindError:
            raise LimitError(
                f"there was no time left to learn: to ground and compile the game took longer "
                f"than the {self._seconds:g} seconds of the run; give more --seconds"
            ) from None
        finally:
            aside.close(0.0)

    def limit(self, run: TrainingRun) -> None:
        """Tell a run when it is over; one that goes on takes as long as what is left of it."""
        run.learn_until, run.end = self._at(_LEARNT), self._at(_OVER)

    @property
    def measured(self) -> float:
        """When measuring is over at the latest, as ``working_time`` tells it."""
        return self._at(_MEASURED)

    def _at(self, seconds: float) -> float:
        return self._begun + self._seconds + seconds
