"""Alpha-beta: the searching role maximises, all others minimise its value.

Fail-soft alpha-beta on the searching role's own value. For one role it is plain maximisation, for
two roles with a constant sum of goals exact minimax, for more roles the paranoid algorithm, whose
bounds hold as all opponents act as one. Where several roles move at once, the others are assumed
to know the searching role's move and to answer it jointly: a value that the role can rely on,
whatever they do.

*Reference:* Knuth and Moore, An analysis of alpha-beta pruning (1975); fail-soft by Fishburn;
null windows: Marsland and Campbell, Parallel search of strongly ordered game trees (1982);
Sturtevant and Korf, On pruning techniques for multi-player games (2000), for paranoid. Late moves
that are searched less deep at first: Levy, Broughton and Taylor, The SEX algorithm in computer
chess (1989), for depths that depend on how interesting a move is.
"""

from __future__ import annotations

import math

import numpy as np

from neurogame.native.compiled import inner
from neurogame.search.alphabeta.compiled.backup import proved_bounds
from neurogame.search.alphabeta.compiled.generate import is_kept, push_rows
from neurogame.search.alphabeta.compiled.memory import Search
from neurogame.search.alphabeta.compiled.moves import measure
from neurogame.search.alphabeta.compiled.order import arrange, learn, row_at
from neurogame.search.alphabeta.compiled.records import (
    DEEPER,
    EXACT,
    GENERATE,
    LOWER,
    SETTLED,
    TWO_ROLES,
    UNKNOWN,
    UPPER,
    Frame,
    Records,
    Row,
    TableEntry,
)
from neurogame.search.alphabeta.compiled.table import (
    claim,
    find,
    is_enough,
    narrow,
    of_hundredths,
    remember,
)

_NARROW = np.float32(1e-6)
"""Width of a null window. Values inside it are exact, so that no width would be wrong."""
_LEAST_REDUCED = 3
_LACK = 5.0
"""How much a row's distance to the window counts, in 0..1, beside the logarithm of its place."""


@inner
def _alpha(frame: Frame) -> np.float32:
    """Return below which value the present row is of no interest."""
    # Not the proved lower bound, too: a refuted move would then look as good as the move that the
    # bound came from.
    return max(frame.alpha, frame.best - frame.slack)


@inner
def _beta(frame: Frame) -> np.float32:
    """Return above which value the present row is of no interest."""
    return min(frame.beta, frame.worst)


@inner
def _window(frame: Frame) -> tuple[np.float32, np.float32]:
    """Return the window for the present row; a null window where it is only to be refuted."""
    alpha, beta = _alpha(frame), _beta(frame)
    if frame.full == 0:
        if frame.answers == 1:
            beta = min(beta, alpha + _NARROW)
        else:
            alpha = max(alpha, beta - _NARROW)
    return alpha, beta


@inner
def settle_paranoid(search: Search, frame: Frame, place: int) -> int:
    """Find the value of the present row without searching, or say what is needed for it.

    Args:
        search: changed.
        frame: the top one.
        place: of the row on the stack.

    Returns:
        ``SETTLED``, with the value in ``search.value``; ``DEEPER`` or ``GENERATE``.
    """
    entries = search.table.entries
    row = search.stack.rows[place]
    if row.low == row.high:
        search.value = float(row.low)
        return SETTLED
    depth = frame.depth - 1 - frame.less
    if row.width == UNKNOWN and depth > 0:
        measure(search, place)
    if depth == 0 or row.width <= 0:
        search.horizon |= depth == 0
        search.value = float(min(max(row.static, row.low), row.high))
        return SETTLED
    index = find(entries, row.key)
    if index < 0:
        return GENERATE
    entry = entries[index]
    row.low, row.high = of_hundredths(entry.low), of_hundredths(entry.high)
    if _is_known(search, frame, row, entry, depth):
        search.visits += 1
        return SETTLED
    if not is_kept(search, search.kept, entry.place):
        return GENERATE
    if depth > 1 or frame.draft == frame.depth:
        return DEEPER
    # The frame is searched deeper than asked for already: once is enough, or it never ends.
    search.horizon, search.value = 1, float(min(max(row.static, row.low), row.high))
    return SETTLED


@inner
def _is_known(search: Search, frame: Frame, row: Row, entry: TableEntry, depth: int) -> bool:
    """Return whether what is remembered of a row is enough: then it is in ``search.value``."""
    alpha, beta = _window(frame)
    if row.low >= beta or row.low == row.high:
        search.value = float(row.low)
    elif row.high <= alpha:
        search.value = float(row.high)
    elif is_enough(entry, depth, alpha, beta):
        search.value = float(entry.value)
    else:
        return False
    search.horizon |= row.low != row.high
    return True


@inner
def push_paranoid(search: Search, frame: Frame, place: int) -> None:
    """Put the present row onto the stack of nodes."""
    table = search.table
    row = search.stack.rows[place]
    alpha, beta = _window(frame)
    draft = frame.depth - 1 - frame.less
    # Bounds of deeper searches have taken the place of what one ply says: two say more than that.
    depth = max(draft, 2)
    entry = table.entries[find(table.entries, row.key)]
    push_rows(search, place, entry.place)
    if depth >= 3:
        look_up(search, search.top)
    open_paranoid(search, search.top, entry, depth, draft, alpha, beta)
    search.visits += 1


@inner
def look_up(search: Search, ply: int) -> None:
    """Take estimates and proved bounds of a frame's rows from the table."""
    stack = search.stack
    rows, entries = stack.rows, search.table.entries
    frame = stack.frames[ply]
    if search.numbers.transpositions == 0:
        return
    for place in range(frame.first, frame.first + frame.count):
        row = rows[place]
        index = find(entries, row.key) if row.low != row.high else -1
        if index >= 0:
            entry = entries[index]
            row.low, row.high = of_hundredths(entry.low), of_hundredths(entry.high)
            row.estimate = min(max(entry.value, row.low), row.high)


@inner
def open_paranoid(
    search: Search,
    ply: int,
    entry: TableEntry,
    depth: int,
    draft: int,
    alpha: np.float32,
    beta: np.float32,
) -> None:
    """Begin with the first row of a frame."""
    stack = search.stack
    frame, rows = stack.frames[ply], stack.rows
    frame.depth, frame.draft = depth, draft
    frame.alpha, frame.beta = alpha, beta
    frame.low, frame.high = of_hundredths(entry.low), of_hundredths(entry.high)
    frame.best, frame.worst = np.float32(-np.inf), np.float32(np.inf)
    frame.best_row, frame.worst_row = -1, -1
    frame.slack = np.float32(0)
    frame.group = frame.answer = 0
    frame.full, frame.less = 1, 0
    arrange(search, frame, ply, entry.best)
    guess = rows[frame.first + row_at(frame, rows, 0, 0)].estimate
    frame.cut = (frame.answers == 1 and frame.own > 1 and guess >= beta) or (
        frame.own == 1 and frame.answers > 1 and guess <= alpha
    )


@inner
def back_up_paranoid(search: Search) -> bool:
    """Hand ``search.value`` to the present row, and finished nodes' values down the stack.

    Returns:
        Whether the root is finished.
    """
    stack = search.stack
    while True:
        frame = stack.frames[search.top]
        if not _absorb(search, frame, stack.rows):
            return False
        _finish_paranoid(search, frame)
        if search.top == 0:
            return True
        row = stack.rows[frame.source]
        row.low, row.high = frame.low, frame.high
        search.top -= 1


@inner
def _absorb(search: Search, frame: Frame, rows: Records[Row]) -> bool:
    """Take over the value of the present row and go to the next; return whether there is none."""
    number = row_at(frame, rows, frame.group, frame.answer)
    row, value = rows[frame.first + number], np.float32(search.value)
    alpha, beta = _alpha(frame), _beta(frame)
    row.estimate = value
    if frame.less > 0 and (value > alpha if frame.answers == 1 else value < beta):
        # A search less deep has not refuted the row: once more, as deep as asked for.
        frame.less = 0
        return False
    if frame.full == 0 and alpha < value < beta:
        # The null window was to refute the row and has not: once more, with the whole window.
        frame.full = 1
        return False
    if value < frame.worst:
        frame.worst, frame.worst_row = value, number
    frame.answer += 1
    if frame.answer == frame.answers or frame.worst <= alpha:
        # At the row with the number of the move, whose own field that is not otherwise.
        rows[frame.first + number // frame.answers].score = frame.worst
        if frame.worst > frame.best:
            frame.best, frame.best_row = frame.worst, frame.worst_row
        frame.worst, frame.answer = np.float32(np.inf), 0
        frame.group += 1
        if frame.group == frame.own or frame.best >= min(frame.beta, frame.high):
            return True
    one_chooses = frame.own == 1 or frame.answers == 1
    frame.full = search.numbers.scout == 0 or not one_chooses or not (_has_value(frame))
    frame.less = 0 if frame.full else _reduction(search, frame, rows)
    return False


@inner
def _reduction(search: Search, frame: Frame, rows: Records[Row]) -> int:
    """Return by how many plies less the present row is searched first, which is to be refuted.

    The more, the later it comes, and the worse it looks for whoever has the choice.
    """
    scale = search.numbers.reductions
    if scale == 0 or frame.depth < _LEAST_REDUCED:
        return 0
    estimate = rows[frame.first + row_at(frame, rows, frame.group, frame.answer)].estimate
    lacks = _alpha(frame) - estimate if frame.answers == 1 else estimate - _beta(frame)
    late = math.log(1 + frame.group + frame.answer) + max(_LACK * float(lacks), -1.0)
    return max(0, min(int(scale * math.log(frame.depth) * late), frame.depth - 2))


@inner
def _has_value(frame: Frame) -> bool:
    """Return whether a value to compare with has been found."""
    return bool(frame.best > -np.inf if frame.answers == 1 else frame.worst < np.inf)


@inner
def _finish_paranoid(search: Search, frame: Frame) -> None:
    """Remember the value of a node all of whose rows are done."""
    stack = search.stack
    table = search.table
    entries = table.entries
    opposed = search.sums <= TWO_ROLES
    low, high = proved_bounds(stack.rows, frame.first, frame.own, frame.answers, opposed)
    was_proved = frame.low == frame.high
    frame.low, frame.high = max(frame.low, low), min(frame.high, high)
    value = frame.best
    search.value = float(value)
    entry = entries[claim(search, entries, frame.key)]
    narrow(entry, frame.low, frame.high)
    # Once only: states that are proved are handed out, and the table may have known it already.
    if frame.low == frame.high and not was_proved:
        remember(search, search.proofs, stack.states[frame.source], frame.low)
    if frame.draft >= entry.draft:
        entry.value, entry.best, entry.draft = value, frame.best_row, frame.draft
        entry.bound = UPPER if value <= frame.alpha else LOWER if value >= frame.beta else EXACT
    good = value > frame.alpha if frame.own > 1 else value < frame.beta
    if good:
        learn(search, frame, search.top)
