"""How many simulations the blocks of a timed search have: as many as pay, as few as must be.

Where the rules of a game take most of the time, a block of 64 takes hardly longer than one of a
single simulation, for these are lanes of the same words; where evaluators or judges of moves do,
it takes 64 times as long. So blocks grow by doubling, and only what has been measured counts. Where
blocks are short all the same they stay small: simulations of one block know nothing of each other.
"""

from __future__ import annotations

from neurogame.native.bits import whole
from neurogame.native.compiled import inner
from neurogame.search.mcts.compiled.search import PACES, Pace

_MOST = PACES - 1
_SHORT = 2_000_000
"""Nanoseconds below which blocks grow whether that pays or not."""
LONG = 500_000
"""Nanoseconds from which on blocks of many simulations are made where they pay."""


@inner
def choose_pace(pace: Pace, count: int, left: int) -> int:
    """Return the pace of the next block: it has 2 to the power of that many simulations.

    Args:
        pace: of the search; the usual one is changed.
        count: most simulations, at least 1.
        left: nanoseconds until the block must have ended.

    Returns:
        The pace, -1 if no block is known to end in time.
    """
    chosen, times = pace.usual, pace.times
    time = whole(times[chosen])
    if time > 0 and chosen < _MOST and 1 << chosen < count:
        longer = whole(times[chosen + 1])
        if longer == 0:
            # One that was never tried, if the last one has paid.
            shorter = whole(times[chosen - 1]) if chosen > 0 else 0
            crowded = 1 << chosen >= pace.few
            if _pays(shorter, time, crowded) and 2 * time <= left:
                chosen += 1
        elif _pays(time, longer, 1 << chosen >= pace.few):
            chosen += 1
        else:
            # What was slow once is tried again some time.
            times[chosen + 1] = longer - (longer >> 6)
    if chosen > 0 and not _pays(times[chosen - 1], times[chosen], 1 << (chosen - 1) >= pace.few):
        chosen -= 1
    pace.usual, usual = chosen, whole(times[chosen])
    while chosen >= 0 and times[chosen] > left:
        chosen -= 1
    # A little less is no measured difference, but a time that was noted long ago; and of fewer
    # simulations that were never tried nothing is known.
    if 0 <= chosen < pace.usual and (times[chosen] == 0 or 2 * times[chosen] > usual):
        chosen = -1
    return chosen


@inner
def _pays(time: int, longer: int, crowded: bool) -> bool:
    """Return whether a block of twice the simulations is worth its time.

    Args:
        time: of a block; 0 where it is unknown.
        longer: of one of twice the simulations; likewise.
        crowded: whether blocks of so many simulations are only made where they take long.
    """
    if 0 < longer < (LONG if crowded else _SHORT):
        return not crowded
    return 2 * longer < 3 * time or time == 0


@inner
def note_pace(pace: Pace, chosen: int, time: int) -> None:
    """Note what a block has taken: slow ones count at once, fast ones by and by.

    Args:
        pace: of the search.
        chosen: pace of the block.
        time: nanoseconds, above 0.
    """
    known = pace.times[chosen]
    pace.times[chosen] = time if time > known else (3 * known + time) >> 2
