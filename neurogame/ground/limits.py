"""Limits on grounding, and the watch that enforces them."""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from neurogame.errors import LimitError
from neurogame.settings import Settings, setting

LOOK_EVERY = 0.02
"""Seconds between two looks at the memory, which cost a system call each."""

SORTED_PER_SECOND = 10_000_000
"""Values that are sorted in a second, roughly; a sort cannot be stopped."""

SHORT_WORK = 1.0
"""Seconds of work that are not worth asking for."""

WORTH_A_LOOK_MB = 16.0
"""Smaller arrays are made without asking."""


@final
@dataclass(frozen=True, kw_only=True)
class GroundLimits(Settings):
    """How much grounding may cost before it stops with a clear error."""

    SUBJECT = "limits of grounding: "

    seconds: float = setting(600.0, "wall-clock time of the whole grounding", above=0)
    memory_mb: float = setting(12_000.0, "growth of the process's resident memory, in MiB", above=0)
    rules: int = setting(40_000_000, "ground rules and ground atoms, each", above=0)
    depth: int = setting(
        200, "nesting depth of ground terms; stops rules that build terms for ever", least=1
    )


def peak_memory_mb() -> float:
    """Return the peak resident memory of this process in MiB."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def memory_mb() -> float:
    """Return the resident memory of this process in MiB; its peak where no system tells more."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return peak_memory_mb()
    return pages * resource.getpagesize() / 2**20


@final
class WideRelation(Exception):  # noqa: N818 - never reaches a user
    """A relation has so many rows that another way to derive it is worth trying."""


@final
@dataclass
class Watch:
    """Compares the cost so far with the limits; cheap enough to ask often.

    Attributes:
        limits: what it may cost.
        start: when it began, as ``time.monotonic`` tells it.
        base_mb: resident memory at that time, in MiB.
        next_look: when it is next worth looking at clock and memory.
        trial_rows: rows at once from which another way is to be tried; None: there is none.
    """

    limits: GroundLimits
    start: float = field(default_factory=time.monotonic)
    base_mb: float = field(default_factory=lambda: memory_mb())
    next_look: float = 0.0
    trial_rows: int | None = None

    def check(self, doing: str) -> None:
        """Raise if the time or the memory is used up.

        Args:
            doing: what is going on, for the message.

        Raises:
            LimitError: naming the limit, its value and what was being done.
        """
        now = time.monotonic()
        if now < self.next_look:
            return
        self.next_look = now + LOOK_EVERY
        used = now - self.start
        if used > self.limits.seconds:
            raise _over(f"after {used:.1f} s", doing, f"{self.limits.seconds:g} s")
        grown = memory_mb() - self.base_mb
        if grown > self.limits.memory_mb:
            raise _over(f"at {grown:.0f} MiB", doing, f"{self.limits.memory_mb:g} MiB")

    def check_count(self, count: int, doing: str) -> None:
        """Raise if so many rows at once would pass the limit on rules, or on memory.

        Args:
            count: number of rows.
            doing: what is going on, for the message.

        Raises:
            WideRelation: for so many rows another way is to be tried.
            LimitError: naming the count, the limit and what was being done.
        """
        if self.trial_rows is not None and count > self.trial_rows:
            raise WideRelation
        if count > self.limits.rules:
            raise _over(f"at {count:,} instances", doing, f"{self.limits.rules:,} rules")
        self.check(doing)
        self.check_need(count * 8 / 2**20, doing)

    def check_sort(self, count: int, doing: str) -> None:
        """Raise if there is no time left to sort so many values.

        Args:
            count: number of values.
            doing: what is going on, for the message.

        Raises:
            LimitError: naming the limit, its value and what was being done.
        """
        self.check(doing)
        need = count / SORTED_PER_SECOND
        used = time.monotonic() - self.start
        if need > SHORT_WORK and used + need > self.limits.seconds:
            more = f"{doing}, which takes {need:.0f} s more"
            raise _over(f"after {used:.1f} s", more, f"{self.limits.seconds:g} s")

    def check_need(self, need_mb: float, doing: str) -> None:
        """Raise if so much more memory would pass the limit.

        Args:
            need_mb: MiB about to be used; little is not worth a look.
            doing: what is going on, for the message.

        Raises:
            LimitError: naming the limit, its value and what was being done.
        """
        if need_mb < WORTH_A_LOOK_MB:
            return
        grown = memory_mb() - self.base_mb + need_mb
        if grown > self.limits.memory_mb:
            reached = f"before it would take {grown:.0f} MiB"
            raise _over(reached, doing, f"{self.limits.memory_mb:g} MiB")


def _over(reached: str, doing: str, limit: str) -> LimitError:
    """Return the error of a limit: how far it came, doing what."""
    return LimitError(
        f"grounding stopped {reached} while {doing}: the limit is {limit}; raise the limit or "
        "simplify that rule"
    )
