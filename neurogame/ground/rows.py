"""A growing set of integer rows with vectorised look-up: the storage of every relation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, final

import numpy as np

from neurogame.array_types import AnyInts, Bools, Int32s, Int64s, UInt64s

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SMALLEST = 64

STRETCH = 500_000
"""Rows that are handled between two looks at clock and memory."""

Look: TypeAlias = Callable[[float], None]
"""Looks at the limits before so many MiB more are taken; may raise."""


def mix_columns(columns: AnyInts) -> AnyInts:
    """Hash each row to 64 bits; one or two small columns are packed without loss.

    Args:
        columns: integers, of which two columns must be in ``0..2**31 - 1``; ``[n, k]``.

    Returns:
        Keys, ``[n]``; equal rows have equal keys, and for ``k <= 2`` only they do.
    """
    count = columns.shape[1]
    if count == 0:
        return np.zeros(len(columns), np.int64)
    if count == 1:
        return columns[:, 0]
    if count == 2:
        return (columns[:, 0].astype(np.int64) << 31) | columns[:, 1]
    return _scatter(columns).view(np.int64)


@final
class RowSet:
    """Distinct rows of ``k`` integers, numbered in the order of arrival.

    An open hash table in numpy with triangular probing: every step of it handles all rows that
    are still looking for their place. Rows are compared in full, so the result is exact whatever
    the hash. The cost of adding rows does not depend on how many there are.
    """

    def __init__(
        self, arity: int, look: Look | None = None, kind: type[np.signedinteger] = np.int32
    ) -> None:
        """Make an empty set of rows.

        Args:
            arity: number of columns.
            look: called from time to time while a large table grows.
            kind: of integers that the rows are kept as.
        """
        self.arity = arity
        self._look = look
        self.count = 0
        self._rows: AnyInts = np.zeros((_SMALLEST, arity), kind)
        self._slots: Int32s = np.full(4 * _SMALLEST, -1, np.int32)

    @property
    def rows(self) -> AnyInts:
        """The rows in the order of arrival; ``[n, k]``, not to be written to."""
        return self._rows[: self.count]

    def find(self, rows: AnyInts) -> Int64s:
        """Return the number of each row, or -1 where it is absent; int64 ``[m]``."""
        numbers = np.full(len(rows), -1, np.int64)
        if self.count == 0 or len(rows) == 0:
            return numbers
        place = self._home(rows)
        asking = np.arange(len(rows))
        step = 0
        while len(asking):
            candidate = self._slots[place]
            taken = candidate >= 0
            if not taken.all():
                asking, place, candidate = asking[taken], place[taken], candidate[taken]
            same = self._equal(candidate, rows, asking)
            numbers[asking[same]] = candidate[same]
            other = ~same
            asking = asking[other]
            step += 1
            place = (place[other] + step) & (len(self._slots) - 1)
        return numbers

    def add(self, rows: AnyInts) -> Int64s:
        """Add the rows that are new and return the number of every row; int64 ``[m]``."""
        numbers = self.find(rows)
        missing = np.flatnonzero(numbers < 0)
        if not len(missing):
            return numbers
        self._reserve(len(missing))
        first = self.count
        # All of them are stored for the moment, each as a row of its own; the equal ones among
        # them meet in the table, where the first to arrive stays.
        self._rows[first : first + len(missing)] = rows[missing]
        winner, place = self._insert(first, len(missing))
        stays = winner == first + np.arange(len(missing))
        rank = np.cumsum(stays) - 1
        self.count = first + int(rank[-1]) + 1
        if self.count < first + len(missing):
            self._rows[first : self.count] = rows[missing[stays]]
            self._slots[place[stays]] = np.arange(first, self.count)
        numbers[missing] = first + rank[winner - first]
        return numbers

    def _insert(self, first: int, count: int) -> tuple[Int64s, Int64s]:
        """Put stored rows that are not in the table into it.

        Returns:
            The row that took the place of each (itself, or an equal one before it), and its
            slot; int64 ``[count]`` each.
        """
        rows = self._rows[first : first + count]
        place = self._home(rows)
        winner = np.full(count, -1, np.int64)
        slot = np.zeros(count, np.int64)
        asking = np.arange(count)
        step = 0
        while len(asking):
            empty = self._slots[place] < 0
            # Written from the last to the first, so that the first to arrive stays.
            self._slots[place[empty][::-1]] = first + asking[empty][::-1]
            candidate = self._slots[place]
            same = (candidate == first + asking) | self._equal(candidate, rows, asking)
            winner[asking[same]] = candidate[same]
            slot[asking[same]] = place[same]
            other = ~same
            asking = asking[other]
            step += 1
            place = (place[other] + step) & (len(self._slots) - 1)
        return winner, slot

    def _equal(self, candidate: Int32s, rows: AnyInts, asking: Int64s) -> Bools:
        """Return whether stored rows equal the rows that ask for them."""
        if self.arity == 0:
            return np.ones(len(candidate), np.bool_)
        # Whole rows are fetched: each lies in one place of the memory.
        stored = self._rows[candidate]
        asked = rows if len(asking) == len(rows) else rows[asking]
        same: Bools = stored[:, 0] == asked[:, 0]
        for column in range(1, self.arity):
            same &= stored[:, column] == asked[:, column]
        return same

    def _home(self, rows: AnyInts) -> Int64s:
        """Return the slot where the search for each row starts."""
        shift = np.uint64(64 - (len(self._slots).bit_length() - 1))
        home: Int64s = (_scatter(rows) >> shift).view(np.int64)
        return home

    def _reserve(self, extra: int) -> None:
        """Make room for more rows, and keep the table at most a quarter full."""
        total = self.count + extra
        if total > len(self._rows):
            if self._look is not None:
                self._look(2 * self._rows.nbytes / 2**20)
            grown = np.zeros((max(total, 2 * len(self._rows)), self.arity), self._rows.dtype)
            grown[: self.count] = self.rows
            self._rows = grown
        if 4 * total > len(self._slots):
            self._slots = np.full(1 << (4 * total - 1).bit_length(), -1, np.int32)
            for first in range(0, self.count, STRETCH):
                if self._look is not None:
                    self._look(0.0)
                self._insert(first, min(STRETCH, self.count - first))


def _scatter(columns: AnyInts) -> UInt64s:
    """Hash each row to 64 bits whose highest ones are well mixed."""
    state = np.full(len(columns), _MULTIPLIER)
    for column in range(columns.shape[1]):
        state ^= columns[:, column].astype(np.int64, copy=False).view(np.uint64)
        state *= _MULTIPLIER
        state ^= state >> np.uint64(29)
    state *= _MULTIPLIER
    return state
