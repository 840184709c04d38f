"""The value of a node from the values of its children, for compiled code."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s1, Float32s2, Int64s1
from neurogame.native.compiled import inner
from neurogame.search.alphabeta.compiled.records import Child, Records, Row

_ZERO, _ONE = np.float32(0), np.float32(1)


@inner
def best_reply(
    rows: Records[Child], first: int, moves: int, answers: int
) -> tuple[np.float32, int]:
    """Return the value of a node all of whose children have their static values.

    Args:
        rows: ``[C]``.
        first: index of row 0.
        moves: number of moves of the searching role.
        answers: joint moves of the others.

    Returns:
        The value of the searching role's best move against the worst answer to it, float32, and
        the row of that answer.
    """
    best, best_row = np.float32(-np.inf), 0
    for group in range(moves):
        worst, worst_row = np.float32(np.inf), 0
        for row in range(group * answers, (group + 1) * answers):
            value = rows[first + row].static
            if value < worst:
                worst, worst_row = value, row
                # Whatever else is answered to this move, another one is at least as good.
                if worst <= best:
                    break
        if worst > best:
            best, best_row = worst, worst_row
    return best, best_row


@inner
def proved_bounds(
    rows: Records[Row], first: int, moves: int, answers: int, opposed: bool
) -> tuple[np.float32, np.float32]:
    """Return the proved bounds of a node from those of its rows.

    The searching role can be sure of the best of its moves against the worst answer. One opponent
    can hold it to what is left when that one chooses first; both are plain minimax where only one
    has a choice. Where the others are not one opponent, the bounds are those of the paranoid
    value alone, and meet as soon as all lines are known.

    Args:
        rows: ``[S]``.
        first: index of row 0.
        moves: number of moves of the searching role.
        answers: joint moves of the others.
        opposed: whether the others are one opponent, or there are none.
    """
    low, high = _ZERO, _ONE
    if not opposed:
        high = _ZERO
        for group in range(moves):
            worst = _ONE
            for row in range(first + group * answers, first + (group + 1) * answers):
                worst = min(worst, rows[row].high)
            high = max(high, worst)
    for group in range(moves):
        worst = _ONE
        for row in range(first + group * answers, first + (group + 1) * answers):
            worst = min(worst, rows[row].low)
        low = max(low, worst)
    for answer in range(answers if opposed else 0):
        best = _ZERO
        for row in range(first + answer, first + moves * answers, answers):
            best = max(best, rows[row].high)
            if best >= high:
                break
        high = min(high, best)
    return low, high


@inner
def final_bounds(
    rows: Records[Child], first: int, moves: int, answers: int, opposed: bool
) -> tuple[np.float32, np.float32]:
    """Return the same for children of which only terminal ones are known; ``[C]``."""
    low, high = _ZERO, _ONE
    if not opposed:
        high = _ZERO
        for group in range(moves):
            worst = _ONE
            for row in range(first + group * answers, first + (group + 1) * answers):
                if rows[row].terminal != 0:
                    worst = min(worst, rows[row].static)
            high = max(high, worst)
    for group in range(moves):
        worst = _ONE
        for row in range(first + group * answers, first + (group + 1) * answers):
            child = rows[row]
            worst = min(worst, child.static if child.terminal != 0 else _ZERO)
            if worst <= low:
                break
        low = max(low, worst)
    for answer in range(answers if opposed else 0):
        best = _ZERO
        for row in range(first + answer, first + moves * answers, answers):
            child = rows[row]
            best = max(best, child.static if child.terminal != 0 else _ONE)
            if best >= high:
                break
        high = min(high, best)
    return low, high


@inner
def equilibrium(
    values: Float32s2, first: int, order: Int64s1, starts: Int64s1, picked: Int64s1
) -> int:
    """Return the row that is played if every role maximises its own value.

    The roles choose one after the other in the given order, each knowing the choices before. Of
    moves that are equally good for whoever chooses, the one that is worst for the searching role
    is expected, and of those the first.

    Args:
        values: float32 ``[N, R]``.
        first: index of row 0.
        order: roles, the searching one first; int64 ``[R]``.
        starts: where each role's moves begin in a list of all; int64 ``[R + 1]``.
        picked: memory to compute in; int64 ``[R]``.
    """
    rows = 1
    for index in range(len(order)):
        picked[index] = -1
        rows *= starts[index + 1] - starts[index]
    # Rows are the leaves of a tree of choices, counted up, the last role's choice innermost. After
    # the last move of a role its pick is known, and is one choice of the role before it: one array
    # of picks is all the memory, and no row is looked at twice.
    for row in range(rows):
        chosen, rest = row, row
        for index in range(len(order) - 1, -1, -1):
            count = starts[index + 1] - starts[index]
            if picked[index] < 0 or _prefers(
                values[first + chosen], values[first + picked[index]], order[index], order[0]
            ):
                picked[index] = chosen
            if rest % count != count - 1:
                break
            rest //= count
            chosen = picked[index]
            if index > 0:
                picked[index] = -1
    best: int = picked[0]
    return best


@inner
def _prefers(one: Float32s1, other: Float32s1, role: int, searching: int) -> bool:
    if one[role] != other[role]:
        return bool(one[role] > other[role])
    return bool(one[searching] < other[searching])


@inner
def is_certain(values: Float32s2, first: int, best: int, order: Int64s1, starts: Int64s1) -> bool:
    """Return whether no tie-break and no order of simultaneous choices could change the value.

    Args:
        values: as for :func:`equilibrium`.
        first: likewise.
        best: the row that is played.
        order: likewise.
        starts: likewise.
    """
    chooser, rows = -1, 1
    for index in range(len(order)):
        count = starts[index + 1] - starts[index]
        if count > 1 and chooser >= 0:
            return False
        if count > 1:
            chooser = order[index]
        rows *= count
    for row in range(first, first + rows):
        if chooser < 0 or values[row, chooser] == values[first + best, chooser]:
            for role in range(len(order)):
                if values[row, role] != values[first + best, role]:
                    return False
    return True
