"""A growing set of integer rows with vectorised look-up: the storage of every relation."""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.ground.atoms import IntArray

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def mix_columns(columns: IntArray, salt: int) -> IntArray:
    """Hash each row to 64 bits; one or two small columns are packed without loss.

    Args:
        columns: non-negative integers below 2**31; ``[n, k]``.
        salt: changes the hash function of three or more columns.

    Returns:
        Keys, int64 ``[n]``; equal rows have equal keys, and for ``k <= 2`` only they do.
    """
    count = columns.shape[1]
    if count == 0:
        return np.zeros(len(columns), np.int64)
    if count == 1:
        return columns[:, 0]
    if count == 2:
        return (columns[:, 0] << 31) | columns[:, 1]
    unsigned = columns.astype(np.uint64)
    state = np.full(len(columns), np.uint64((salt * 2 + 1) & 0xFFFFFFFFFFFFFFFF))
    for k in range(count):
        state = (state ^ unsigned[:, k]) * _MULTIPLIER
        state ^= state >> np.uint64(29)
    return state.view(np.int64)


@final
class RowSet:
    """Distinct rows of ``k`` non-negative integers, numbered in the order of arrival.

    Rows are found by a 64-bit key and compared in full; on a true collision the set picks
    another hash function, so the result is exact whatever the keys.
    """

    def __init__(self, arity: int) -> None:
        """Make an empty set of rows with ``arity`` columns."""
        self.arity = arity
        self.count = 0
        self._rows: IntArray = np.zeros((16, arity), np.int64)
        self._salt = 1
        self._keys: IntArray = np.zeros(0, np.int64)
        self._order: IntArray = np.zeros(0, np.int64)

    @property
    def rows(self) -> IntArray:
        """The rows in the order of arrival; int64 ``[n, k]``, not to be written to."""
        return self._rows[: self.count]

    def find(self, rows: IntArray) -> IntArray:
        """Return the number of each row, or -1 where it is absent; int64 ``[m]``."""
        if self.count == 0 or len(rows) == 0:
            return np.full(len(rows), -1, np.int64)
        keys = mix_columns(rows, self._salt)
        place = np.minimum(np.searchsorted(self._keys, keys), self.count - 1)
        candidate = self._order[place]
        same = self._keys[place] == keys
        if self.arity > 2:
            same &= (self._rows[candidate] == rows).all(axis=1)
        return np.where(same, candidate, -1)

    def add(self, rows: IntArray) -> IntArray:
        """Add the rows that are new and return the number of every row; int64 ``[m]``."""
        if len(rows) == 0:
            return np.zeros(0, np.int64)
        while True:
            keys = mix_columns(rows, self._salt)
            unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
            if self.arity <= 2 or (rows == rows[first][inverse]).all():
                break
            self._rehash()
        found = self._find_unique(unique, rows[first])
        if found is None:
            self._rehash()
            return self.add(rows)
        fresh = np.flatnonzero(found < 0)
        if len(fresh):
            # Keep the order of arrival, so that results do not depend on hash values.
            fresh = fresh[np.argsort(first[fresh], kind="stable")]
            found[fresh] = self.count + np.arange(len(fresh))
            self._append(rows[first[fresh]], unique[fresh])
        return found[inverse]

    def _find_unique(self, keys: IntArray, rows: IntArray) -> IntArray | None:
        """Find rows by their keys; None on a collision with a different stored row."""
        if self.count == 0:
            return np.full(len(keys), -1, np.int64)
        place = np.minimum(np.searchsorted(self._keys, keys), self.count - 1)
        candidate = self._order[place]
        same = self._keys[place] == keys
        if self.arity > 2 and not (self._rows[candidate[same]] == rows[same]).all():
            return None
        return np.where(same, candidate, -1)

    def _append(self, rows: IntArray, keys: IntArray) -> None:
        total = self.count + len(rows)
        if total > len(self._rows):
            grown = np.zeros((max(total, 2 * len(self._rows)), self.arity), np.int64)
            grown[: self.count] = self.rows
            self._rows = grown
        self._rows[self.count : total] = rows
        sort = np.argsort(keys, kind="stable")
        place = np.searchsorted(self._keys, keys[sort])
        self._keys = np.insert(self._keys, place, keys[sort])
        self._order = np.insert(self._order, place, self.count + sort)
        self.count = total

    def _rehash(self) -> None:
        self._salt += 1
        keys = mix_columns(self.rows, self._salt)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
