"""The value of a node from the values of its children, for compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.native.compiled import inner, merged

_ZERO, _ONE = np.float32(0), np.float32(1)


@merged
def best_reply(rows: Any, first: int, own: int, answers: int) -> Any:
    """Return the value of a node all of whose children have their static values.

    Args:
        rows: ``CHILD [C]``.
        first: index of row 0.
        own: moves of the searching role.
        answers: joint moves of the others.

    Returns:
        The value of the searching role's best move against the worst answer to it, float32, and
        the row of that answer.
    """
    best, best_row = np.float32(-np.inf), 0
    for group in range(own):
        worst, worst_row = np.float32(np.inf), 0
        for row in range(group * answers, (group + 1) * answers):
            value = rows[first + row].static
            if value < worst:
                worst, worst_row = value, row
                if worst <= best:
                    break
        if worst > best:
            best, best_row = worst, worst_row
    return best, best_row


@merged
def proved_bounds(rows: Any, first: int, own: int, answers: int) -> Any:
    """Return the proved bounds of a node from those of its rows.

    The searching role can be sure of the best of its moves against the worst answer; it can never
    get more than the others allow who commit themselves first. With one role to choose both are
    plain minimax.

    Args:
        rows: ``ROW [S]``.
        first: index of row 0.
        own: moves of the searching role.
        answers: joint moves of the others.
    """
    low, high = _ZERO, _ONE
    for group in range(own):
        worst = _ONE
        for row in range(first + group * answers, first + (group + 1) * answers):
            worst = min(worst, rows[row].low)
        low = max(low, worst)
    for answer in range(answers):
        best = _ZERO
        for row in range(first + answer, first + own * answers, answers):
            best = max(best, rows[row].high)
            if best >= high:
                break
        high = min(high, best)
    return low, high


@merged
def final_bounds(rows: Any, first: int, own: int, answers: int) -> Any:
    """Return the same for children of which only terminal ones are known; ``CHILD [C]``."""
    low, high = _ZERO, _ONE
    for group in range(own):
        worst = _ONE
        for row in range(first + group * answers, first + (group + 1) * answers):
            child = rows[row]
            worst = min(worst, child.static if child.terminal != 0 else _ZERO)
            if worst <= low:
                break
        low = max(low, worst)
    for answer in range(answers):
        best = _ZERO
        for row in range(first + answer, first + own * answers, answers):
            child = rows[row]
            best = max(best, child.static if child.terminal != 0 else _ONE)
            if best >= high:
                break
        high = min(high, best)
    return low, high


@inner
def equilibrium(values: Any, first: int, order: Any, starts: Any, picked: Any) -> Any:
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
    return picked[0]


@merged
def _prefers(one: Any, other: Any, role: int, searching: int) -> Any:
    if one[role] != other[role]:
        return one[role] > other[role]
    return one[searching] < other[searching]


@merged
def is_certain(values: Any, first: int, best: int, order: Any, starts: Any) -> bool:
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
