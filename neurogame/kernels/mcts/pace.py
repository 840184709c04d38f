"""How many simulations the blocks of a timed search have: as many as pay, as few as must be.

Where the rules of a game take most of the time, a block of 64 takes hardly longer than one of a
single simulation, for these are lanes of the same words; where evaluators or judges of moves do,
it takes 64 times as long. So blocks grow by doubling, and only what has been measured counts.
"""

from __future__ import annotations

from typing import Any

from neurogame.kernels.mcts.flight import PACES, Total
from neurogame.kernels.native.compiled import inner

_PACE, _TIMES = int(Total.PACE), int(Total.TIMES)
_MOST = PACES - 1
_SHORT = 2_000_000
"""Nanoseconds below which blocks grow whether that pays or not."""


@inner
def choose_pace(totals: Any, count: int, left: int) -> Any:
    """Return the pace of the next block: it has 2 to the power of that many simulations.

    Args:
        totals: of the flight; the usual pace is changed.
        count: most simulations, at least 1.
        left: nanoseconds until the block must have ended.

    Returns:
        The pace, -1 if no block is known to end in time.
    """
    pace = totals[_PACE]
    time = totals[_TIMES + pace]
    if time > 0 and pace < _MOST and 1 << pace < count:
        longer = totals[_TIMES + pace + 1]
        if longer == 0:
            # One that was never tried, if the last one has paid.
            shorter = totals[_TIMES + pace - 1] if pace > 0 else 0
            if _pays(shorter, time) and 2 * time <= left:
                pace += 1
        elif _pays(time, longer):
            pace += 1
        else:
            # What was slow once is tried again some time.
            totals[_TIMES + pace + 1] = longer - (longer >> 6)
    if pace > 0 and not _pays(totals[_TIMES + pace - 1], totals[_TIMES + pace]):
        pace -= 1
    totals[_PACE], usual = pace, totals[_TIMES + pace]
    while pace >= 0 and totals[_TIMES + pace] > left:
        pace -= 1
    # A little less is no measured difference, but a time that was noted long ago.
    if pace >= 0 and pace < totals[_PACE] and 2 * totals[_TIMES + pace] > usual:
        pace = -1
    return pace


@inner
def _pays(time: int, longer: int) -> bool:
    """Return whether a block of twice the simulations is worth its time."""
    return longer < _SHORT or 2 * longer < 3 * time or time == 0


@inner
def note_pace(totals: Any, pace: int, time: int) -> None:
    """Note what a block has taken: slow ones count at once, fast ones by and by.

    Args:
        totals: of the flight.
        pace: of the block.
        time: nanoseconds, above 0.
    """
    known = totals[_TIMES + pace]
    totals[_TIMES + pace] = time if time > known else (3 * known + time) >> 2
