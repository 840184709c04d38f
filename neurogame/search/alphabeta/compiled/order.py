"""The order in which children are searched, and what is learned about it on the way.

A row's promise is the best guess of its value, from the table or else the static one, plus what
its moves have been worth elsewhere: the history of a move, and a bonus for *killers*, moves that
were best in another node of the same ply. Moves of the searching role are sorted by the promise
of their worst answer, the answers to each by how much they threaten; the move remembered in the
table comes first.

*Reference:* Schaeffer, The history heuristic and alpha-beta search enhancements in practice, IEEE
PAMI 11 (1989): weight ``2^depth`` there; ``depth^2`` here, which deep forced lines cannot
overflow. Killers: Akl and Newborn, The principal continuation and the killer heuristic (1977).
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s1
from neurogame.native.compiled import inner
from neurogame.search.alphabeta.compiled.memory import Choices, Search
from neurogame.search.alphabeta.compiled.moves import list_moves
from neurogame.search.alphabeta.compiled.records import Frame, Records, Row

_FIRST = np.float32(np.inf)


@inner
def row_at(frame: Frame, rows: Records[Row], group: int, answer: int) -> int:
    """Return the row, counted from the frame's first, at a place in the order."""
    base = int(rows[frame.first + group].group) * frame.answers
    return base + rows[frame.first + base + answer].order


@inner
def arrange(search: Search, frame: Frame, ply: int, best_row: int) -> None:
    """Put a frame's rows in order.

    Args:
        search: changed.
        frame: the node; its rows have their estimates.
        ply: its distance from the root.
        best_row: the row remembered as the best one, or -1.
    """
    rows, first, moves, answers = search.stack.rows, frame.first, frame.own, frame.answers
    _give_bonus(search, frame, ply)
    for move in range(moves):
        worth = _FIRST
        for row in range(first + move * answers, first + (move + 1) * answers):
            worth = min(worth, rows[row].estimate)
        head = rows[first + move]
        head.order = move
        head.weight = worth + head.bonus
        if best_row >= 0 and best_row // answers == move:
            head.weight = _FIRST
    _sort(rows, first, moves)
    for place in range(moves):
        rows[first + place].group = rows[first + place].order
    if answers == 1:
        for place in range(moves):
            rows[first + place].order = 0
        return
    _give_reply_bonus(search, frame, ply)
    for move in range(moves):
        base = first + move * answers
        for answer in range(answers):
            rows[base + answer].order = answer
            rows[base + answer].weight = rows[first + answer].bonus - rows[base + answer].estimate
        if best_row >= 0 and best_row // answers == move:
            rows[first + best_row].weight = _FIRST
        _sort(rows, base, answers)


@inner
def _sort(rows: Records[Row], first: int, count: int) -> None:
    """Sort places by weight, the highest first; equal ones by rank, then as they were."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(gap, count):
            order, weight = rows[first + place].order, rows[first + place].weight
            rank = rows[first + order].rank
            free = place
            while free >= gap:
                other = rows[first + free - gap]
                other_rank = rows[first + other.order].rank
                if other.weight > weight or (
                    other.weight == weight
                    and (other_rank < rank or (other_rank == rank and other.order < order))
                ):
                    break
                rows[first + free].order = other.order
                rows[first + free].weight = other.weight
                free -= gap
            rows[first + free].order = order
            rows[first + free].weight = weight
        gap //= 3


@inner
def _experience(search: Search, choices: Choices, role: int, move: int) -> np.float32:
    """Return what the history says of a move, times its weight."""
    if choices.top[role] > 0:
        weight, history = np.float32(search.numbers.history), choices.history
        worth: np.float32 = weight * history[move] / choices.top[role]
        return worth
    return np.float32(0)


@inner
def _give_bonus(search: Search, frame: Frame, ply: int) -> None:
    """Write the bonus of each move of the searching role."""
    stack = search.stack
    choices = search.choices
    rows = stack.rows
    source = stack.legal[frame.source]
    list_moves(choices, source)
    for place in range(frame.own):
        bonus = np.float32(0)
        if frame.own > 1:
            move = choices.moves[place]
            bonus = _experience(search, choices, choices.order[0], move)
            if move == choices.killers[ply, 0] or move == choices.killers[ply, 1]:
                bonus += np.float32(search.numbers.killers)
        rows[frame.first + place].bonus = bonus


@inner
def _give_reply_bonus(search: Search, frame: Frame, ply: int) -> None:
    """Write the bonus of each joint move of the others."""
    choices = search.choices
    rows = search.stack.rows
    for place in range(frame.answers):
        bonus, code, rest = np.float32(0), 0, place
        for index in range(len(choices.order) - 1, 0, -1):
            begin = choices.starts[index]
            count = choices.starts[index + 1] - begin
            move = choices.moves[begin + rest % count]
            rest //= count
            code = code * len(choices.history) + move
            if count > 1:
                bonus += _experience(search, choices, choices.order[index], move)
        if code == choices.killers[ply, 2] or code == choices.killers[ply, 3]:
            bonus += np.float32(search.numbers.killers)
        rows[frame.first + place].bonus = bonus


@inner
def learn(search: Search, frame: Frame, ply: int) -> None:
    """Take note that a frame's best row was good for whoever had the choice."""
    choices = search.choices
    source = search.stack.legal[frame.source]
    list_moves(choices, source)
    code, rest = 0, frame.best_row
    for index in range(len(choices.order) - 1, -1, -1):
        begin, role = choices.starts[index], choices.order[index]
        count = choices.starts[index + 1] - begin
        move = choices.moves[begin + rest % count]
        rest //= count
        if index > 0:
            code = code * len(choices.history) + move
        if count > 1:
            choices.history[move] += frame.depth * frame.depth
            choices.top[role] = max(choices.top[role], choices.history[move])
        if index == 0 and count > 1:
            _add_killer(choices.killers[ply], 0, int(move))
    if frame.answers > 1:
        _add_killer(choices.killers[ply], 2, code)


@inner
def _add_killer(killers: Int64s1, place: int, code: int) -> None:
    if killers[place] != code:
        killers[place + 1] = killers[place]
        killers[place] = code
