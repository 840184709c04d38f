"""Where playouts stop: at the limit of plies of a game, and at the number of games of a lane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.kernels.playout import PlayoutRun, Tally
from neurogame.kernels.words.pack import lanes_below

UNLIMITED = (1 << 30) - 1
"""Looks at a lane that are as many as there may be."""

_LENGTHS = 1 << 20
"""Longest games that there is memory to count by length at first."""

_AGE_BITS = (10, 16, 31)
_SHORTEST_EPOCH = 4


@final
class PlyLimit:
    """Chooses the code that plays one game's playouts up to a limit of plies.

    Code that does not count the plies of each game is faster; it gives up where a game may have to
    be cut.
    """

    def __init__(self) -> None:
        """Believe that no game is long."""
        self._shortest_cut = 2 * _SHORTEST_EPOCH

    def play(self, max_plies: int, play: Callable[[int], Tally | None]) -> Tally:
        """Play with the fastest code that does not give up.

        Args:
            max_plies: plies at which a game is cut.
            play: plays with bits for the plies of a game, 0 for code that cannot cut games; None if
                it gives up, which code that has such bits never does.
        """
        if max_plies >= self._shortest_cut:
            tally = play(0)
            if tally is not None:
                return tally
            self._shortest_cut = max_plies + 1
        tally = play(next(bits for bits in _AGE_BITS if max_plies < 1 << bits))
        assert tally is not None
        return tally


def play_counted(plan: PlayoutRun, play: Callable[[PlayoutRun], Tally]) -> Tally:
    """Play with memory for the lengths of long games only where there are such.

    Args:
        plan: the playouts.
        play: plays them, with memory for lengths up to the limit of plies if they are counted.
    """
    most = _LENGTHS
    while plan.lengths and most < plan.max_plies:
        tally = play(replace(plan, max_plies=most))
        if not tally.cut:
            return tally
        most *= 16
    return play(plan)


def quota(plan: PlayoutRun, begin: int, width: int) -> tuple[Int64s, Int64s]:
    """Return which lanes of some words play, and how many games each may begin after its first.

    Args:
        plan: the playouts. Of a number of games, lane ``l`` plays the games ``l, l + lanes, ...``:
            some lanes play one more than the others.
        begin: number of the first word.
        width: number of words.

    Returns:
        int64 ``[width]``, and bit-sliced ``[bits, width]``, without rows if lanes never stop.
    """
    lanes: Int64s = lanes_below(plan.lanes, begin, width).numpy()
    if plan.games is None:
        return lanes, np.zeros((0, width), np.int64)
    fewest, more = divmod(plan.games, plan.lanes)
    longer: Int64s = lanes_below(more, begin, width).numpy()
    left = [
        _digit(fewest, bit, longer) | _digit(fewest - 1, bit, ~longer)
        for bit in range(max(fewest.bit_length(), 1))
    ]
    return lanes if fewest else longer, np.stack(left)


def _digit(number: int, bit: int, lanes: Int64s) -> Int64s:
    return lanes if number >> bit & 1 else np.zeros_like(lanes)
