"""The stop-watch and node counter of one search."""

from __future__ import annotations

import time
from typing import final

from neurogame.search.limit import Limit


@final
class SearchStopped(Exception):  # noqa: N818 - not an error: it unwinds an unfinished iteration
    """A limit was reached inside the tree; the unfinished iteration is thrown away."""


@final
class Clock:
    """Counts generated states and seconds, and stops the search when a limit is reached.

    Attributes:
        nodes: states generated so far.
        armed: whether the limits on nodes stop the search; the first iteration runs unarmed.
    """

    def __init__(self, limit: Limit) -> None:
        """Start the watch.

        Args:
            limit: seconds and nodes are watched here, depth by the iterations.
        """
        self.nodes = 0
        self.armed = False
        self._started = time.perf_counter()
        self._seconds = limit.seconds
        self._nodes = limit.nodes
        self._rate = 0.0

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._started

    def check(self) -> None:
        """Stop the search if its time is over.

        Raises:
            SearchStopped: no time is left.
        """
        if self._seconds is not None and self.seconds >= self._seconds:
            raise SearchStopped

    def charge(self, nodes: int) -> None:
        """Count states that are about to be generated.

        Args:
            nodes: number of states.

        Raises:
            SearchStopped: they would exceed the limit, or no time is left.
        """
        self.check()
        if self.armed and self._nodes is not None and self.nodes + nodes > self._nodes:
            raise SearchStopped
        self.nodes += nodes

    def batch(self, largest: int) -> int:
        """Return how many states to generate at once so that the clock is looked at in time.

        Without a limit on seconds the answer never depends on the speed of the machine, so that
        a search by depth or nodes is repeatable.

        Args:
            largest: the bound in any case.
        """
        if self._seconds is None or self._rate == 0.0:
            return largest
        slice_seconds = min(0.05, max(self._seconds - self.seconds, 0.001) / 2)
        return max(16, min(largest, int(self._rate * slice_seconds)))

    def learn_rate(self, nodes: int, seconds: float) -> None:
        """Remember how fast states are generated.

        Args:
            nodes: states generated in one batch.
            seconds: time that took.
        """
        if nodes >= 16:
            self._rate = nodes / max(seconds, 1e-6)
