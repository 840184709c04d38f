"""Max^n: every role maximises its own value.

Of moves that are equally good for whoever chooses, the one that is worst for the searching role
is expected, and of those the first, so the value is well defined. There is no pruning: the only
bounds that hold for max^n need a constant sum, and save little. Where several roles move at once,
they are taken to choose one after the other, each knowing the choices before: the searching role
first, then the others in role order (the pessimistic order for the searching role). Chance comes
last, and its outcomes are averaged: expectimax.

*Reference:* Luckhardt and Irani, An algorithmic solution of n-person games (1986).
"""

from __future__ import annotations

import numpy as np

from neurogame.native.arrays import copy_row
from neurogame.native.compiled import inner
from neurogame.search.alphabeta.compiled.chance import settle_all
from neurogame.search.alphabeta.compiled.generate import is_kept, push_rows
from neurogame.search.alphabeta.compiled.memory import Search
from neurogame.search.alphabeta.compiled.moves import list_moves, measure
from neurogame.search.alphabeta.compiled.records import (
    CERTAIN,
    DEEPER,
    EXACT,
    GENERATE,
    SETTLED,
    SOLVED,
    UNKNOWN,
    Frame,
)
from neurogame.search.alphabeta.compiled.table import claim, find, remember_all


@inner
def settle_maxn(search: Search, frame: Frame, place: int) -> int:
    """Find the values of a row without searching, or say what is needed for them."""
    stack = search.stack
    table = search.table
    row, depth = stack.rows[place], frame.depth - 1
    if row.marks & SOLVED:
        return SETTLED
    if row.width == UNKNOWN and depth > 0:
        measure(search, place)
    if depth == 0 or row.width <= 0:
        search.horizon |= depth == 0
        return SETTLED
    index = find(table.entries, row.key)
    if index < 0:
        return GENERATE
    entry = table.entries[index]
    if entry.marks & SOLVED or entry.draft >= depth:
        copy_row(table.values, index, stack.values, place)
        row.marks = entry.marks
        search.horizon |= entry.marks & SOLVED == 0
        search.visits += 1
        return SETTLED
    return DEEPER if is_kept(search, search.kept, entry.place) else GENERATE


@inner
def push_maxn(search: Search, frame: Frame, place: int) -> None:
    """Put a row onto the stack of nodes."""
    table = search.table
    index = find(table.entries, search.stack.rows[place].key)
    push_rows(search, place, table.entries[index].place)
    open_maxn(search, search.top, frame.depth - 1)
    search.visits += 1


@inner
def open_maxn(search: Search, ply: int, depth: int) -> None:
    """Begin with the first row of a frame."""
    stack = search.stack
    frame, rows = stack.frames[ply], stack.rows
    frame.depth = depth
    frame.cut = frame.group = frame.answer = 0
    for move in range(frame.own):
        rows[frame.first + move].group = move
    for number in range(frame.count):
        rows[frame.first + number].order = number % frame.answers


@inner
def back_up_maxn(search: Search) -> bool:
    """Go on to the next row, and hand finished nodes' values down the stack.

    Returns:
        Whether the root is finished.
    """
    while True:
        frame = search.stack.frames[search.top]
        frame.answer += 1
        if frame.answer == frame.answers:
            frame.answer = 0
            frame.group += 1
        if frame.group < frame.own:
            return False
        _finish_maxn(search, frame)
        if search.top == 0:
            return True
        search.top -= 1


@inner
def _finish_maxn(search: Search, frame: Frame) -> None:
    """Choose for all roles, and remember the values of a node all of whose rows are done."""
    stack = search.stack
    table = search.table
    choices = search.choices
    source = frame.source
    list_moves(choices, stack.legal[source])
    marks = SOLVED | CERTAIN
    for place in range(frame.first, frame.first + frame.count):
        marks &= stack.rows[place].marks
    solved = marks & CERTAIN != 0
    best, certain = settle_all(
        search, stack.values, frame.first, frame.count, solved, stack.values, source
    )
    if not certain:
        marks &= ~CERTAIN
    frame.best_row = best
    stack.rows[source].marks = marks
    search.value = stack.values[source, search.role]
    index = claim(search, table.entries, frame.key)
    entry = table.entries[index]
    if marks & CERTAIN and not entry.marks & CERTAIN:
        remember_all(search, search.proofs, stack.states[source], stack.values[source])
    if frame.depth >= entry.draft or marks & SOLVED:
        entry.value, entry.best = np.float32(search.value), best
        entry.draft, entry.bound, entry.marks = frame.depth, EXACT, marks
        copy_row(stack.values, source, table.values, index)
