"""Cells by liveness: a row gives its cell back after its last use."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence


def place_rows(
    cells: dict[int, int],
    pinned: Iterable[int],
    stored: Iterable[tuple[int, int]],
    last: Callable[[int], int],
    following: Sequence[int],
    in_place: int,
) -> int:
    """Give cells to rows, those of the next state in place where nobody reads the old one.

    Args:
        cells: cell of each row that has one, from 0 on; those of the fluents come first. Others
            are added.
        pinned: rows that get cells of their own, which no other row gets.
        stored: when rows are written, ascending, and which; what has a cell keeps it.
        last: when a row is used last; -1: never.
        following: row of each fluent in the next state.
        in_place: from when on the state may be written over.

    Returns:
        Number of cells, those that were added included.
    """
    for row in sorted(pinned):
        cells.setdefault(row, len(cells))
    count = len(cells)
    targets: dict[int, list[int]] = {}
    for fluent, row in enumerate(following):
        targets.setdefault(row, []).append(fluent)
    free: list[int] = []
    release: list[tuple[int, int]] = []
    for at, row in stored:
        while release and release[0][0] < at:
            heapq.heappush(free, heapq.heappop(release)[1])
        if row in cells:
            continue
        if at >= in_place:
            direct = [fluent for fluent in targets.get(row, ()) if last(1 + fluent) <= at]
            if direct:
                cells[row] = direct[0]
                continue
        if free:
            cells[row] = heapq.heappop(free)
        else:
            cells[row], count = count, count + 1
        heapq.heappush(release, (max(last(row), at), cells[row]))
    return count
