"""Alpha-beta and max^n in plain Python: a slow twin of ``search/alphabeta/compiled``.

To be read beside the core, function for function: each function here has the name of one there,
and does the same to the same fields. Left out is what changes no value but only the time it takes:
the order of moves (here: as they come), blocks of lanes, the limits of memory and of the clock.
One state is one number; nothing is packed. What the values *are* is said in
:mod:`tests.search.random_tree`, in a few lines and without any pruning.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from neurogame.search.alphabeta.compiled.records import (
    CERTAIN,
    DEEPER,
    EXACT,
    GENERATE,
    LOWER,
    SETTLED,
    SOLVED,
    UPPER,
)
from tests.search.random_tree import RandomTree

Key = tuple[int, ...]
Values = tuple[float, ...]
_NARROW = 1e-6


@dataclass
class Row:
    """A child of a node on the stack."""

    key: Key
    state: int
    terminal: bool
    values: Values
    static: float
    low: float
    high: float
    marks: int


@dataclass
class Frame:
    """A node on the stack, with its rows: the searching role's moves are the outermost."""

    key: Key
    rows: list[Row]
    counts: list[int]
    depth: int = 0
    draft: int = 0
    alpha: float = -math.inf
    beta: float = math.inf
    low: float = 0.0
    high: float = 1.0
    best: float = -math.inf
    worst: float = math.inf
    best_row: int = -1
    worst_row: int = -1
    group: int = 0
    answer: int = 0
    full: bool = True

    @property
    def own(self) -> int:
        return self.counts[0]

    @property
    def answers(self) -> int:
        return math.prod(self.counts[1:])

    @property
    def place(self) -> int:
        """The present row."""
        return self.group * self.answers + self.answer


@dataclass
class Entry:
    """What the table remembers of a node."""

    value: float = 0.0
    values: Values = ()
    low: float = 0.0
    high: float = 1.0
    bound: int = EXACT
    best: int = -1
    draft: int = 0
    marks: int = 0


@dataclass
class Search:
    """A search: the game, its settings, and what it is doing."""

    tree: RandomTree
    role: int
    maxn: bool = False
    shared: bool = True
    scout: bool = True
    opposed: bool = False
    stack: list[Frame] = field(default_factory=list)
    table: dict[Key, Entry] = field(default_factory=dict)
    value: float = 0.0
    values: Values = ()
    horizon: bool = False
    iteration: int = 0

    @property
    def order(self) -> list[int]:
        """Roles, the searching one first."""
        return [self.role, *(r for r in range(self.tree.role_count) if r != self.role)]


# advance.py


def advance(search: Search) -> None:
    """One iteration, to its end."""
    while True:
        frame = search.stack[-1]
        found = settle_maxn(search, frame) if search.maxn else settle_paranoid(search, frame)
        if found == DEEPER:
            (push_maxn if search.maxn else push_paranoid)(search, frame)
        elif found == GENERATE:
            generate(search, frame.rows[frame.place])
        elif back_up_maxn(search) if search.maxn else back_up_paranoid(search):
            return


def begin(search: Search, depth: int, alpha: float, beta: float) -> None:
    """Prepare an iteration."""
    search.iteration += 1
    search.horizon = False
    key: Key = (0,) if search.shared else (0, search.iteration)
    search.stack = [fill_frame(search, key, 0)]
    if search.maxn:
        open_maxn(search, depth)
    else:
        entry = search.table.setdefault(key, Entry())
        open_paranoid(search, entry, depth, depth, alpha, beta)
        search.stack[0].low, search.stack[0].high = 0.0, 1.0


# generate.py


def fill_frame(search: Search, key: Key, state: int) -> Frame:
    """A node with its rows."""
    tree, order = search.tree, search.order
    position = tree.positions[state]
    counts = [position.counts[role] for role in order]
    rows = []
    for number, picked in enumerate(itertools.product(*map(range, counts))):
        joint = tuple(picked[order.index(role)] for role in range(tree.role_count))
        child = position.children[joint]
        values, terminal = tree.positions[child].values, not tree.positions[child].children
        static = values[search.role]
        rows.append(
            Row(
                key=child_key(search, key, number, child),
                state=child,
                terminal=terminal,
                values=values,
                static=static,
                low=static if terminal else 0.0,
                high=static if terminal else 1.0,
                marks=SOLVED | CERTAIN if terminal else 0,
            )
        )
    return Frame(key, rows, counts)


def generate(search: Search, row: Row) -> None:
    """Remember what one ply says of a node."""
    frame = fill_frame(search, row.key, row.state)
    rows, entry = frame.rows, search.table.setdefault(row.key, Entry())
    if search.maxn:
        best = equilibrium([child.values for child in rows], frame.counts, search.order)
        entry.best, entry.draft, entry.values = best, 1, rows[best].values
        if all(child.terminal for child in rows):
            certain = is_certain([c.values for c in rows], best, frame.counts, search.order)
            entry.marks = SOLVED | CERTAIN if certain else SOLVED
        return
    # Rows have no bounds yet but those of terminal states.
    entry.low, entry.high = proved_bounds(rows, frame.own, frame.answers, search.opposed)
    entry.value, entry.best = best_reply(rows, frame.own, frame.answers)
    entry.draft, entry.bound = 1, EXACT


# table.py


def child_key(search: Search, key: Key, row: int, state: int) -> Key:
    """The state, or the way to it where nothing is shared."""
    return (state,) if search.shared else (*key, row)


def is_enough(entry: Entry, draft: int, alpha: float, beta: float) -> bool:
    """Whether the remembered value answers a search with this draft and window."""
    if entry.draft < draft:
        return False
    if entry.bound == EXACT:
        return True
    return entry.value >= beta if entry.bound == LOWER else entry.value <= alpha


# backup.py


def best_reply(rows: Sequence[Row], own: int, answers: int) -> tuple[float, int]:
    """The static value of the best move against the worst answer to it, and the answer's row."""
    worst = [
        min((rows[row].static, row) for row in range(move * answers, (move + 1) * answers))
        for move in range(own)
    ]
    value = max(value for value, _ in worst)
    return next((value, row) for found, row in worst if found == value)


def proved_bounds(
    rows: Sequence[Row], own: int, answers: int, opposed: bool
) -> tuple[float, float]:
    """What the role can be sure of, and what it can be held to."""
    grid = [rows[move * answers : (move + 1) * answers] for move in range(own)]
    low = max(min(row.low for row in group) for group in grid)
    if opposed:
        return low, min(max(row.high for row in column) for column in zip(*grid, strict=True))
    return low, max(min(row.high for row in group) for group in grid)


def equilibrium(values: Sequence[Values], counts: Sequence[int], order: Sequence[int]) -> int:
    """The row that is played if every role maximises its own value, in the given order."""

    def choose(index: int, first: int) -> int:
        if index == len(order):
            return first
        rest, role = math.prod(counts[index + 1 :]), order[index]
        picks = [choose(index + 1, first + move * rest) for move in range(counts[index])]
        return max(picks, key=lambda row: (values[row][role], -values[row][order[0]], -row))

    return choose(0, 0)


def is_certain(
    values: Sequence[Values], best: int, counts: Sequence[int], order: Sequence[int]
) -> bool:
    """Whether no tie and no order of simultaneous choices could change the value."""
    choosers = [role for role, count in zip(order, counts, strict=True) if count > 1]
    if len(choosers) > 1:
        return False
    tied = [v for v in values if not choosers or v[choosers[0]] == values[best][choosers[0]]]
    return all(v == values[best] for v in tied)


# paranoid.py


def _alpha(frame: Frame) -> float:
    return max(frame.alpha, frame.best)


def _beta(frame: Frame) -> float:
    return min(frame.beta, frame.worst)


def _window(frame: Frame) -> tuple[float, float]:
    """The window for the present row; a null window where it is only to be refuted."""
    alpha, beta = _alpha(frame), _beta(frame)
    if not frame.full and frame.answers == 1:
        beta = min(beta, alpha + _NARROW)
    elif not frame.full:
        alpha = max(alpha, beta - _NARROW)
    return alpha, beta


def settle_paranoid(search: Search, frame: Frame) -> int:
    """Find the value of the present row without searching, or say what is needed for it."""
    row, depth = frame.rows[frame.place], frame.depth - 1
    if row.low == row.high:
        search.value = row.low
        return SETTLED
    if depth == 0:
        search.horizon = True
        search.value = min(max(row.static, row.low), row.high)
        return SETTLED
    if row.key not in search.table:
        return GENERATE
    entry = search.table[row.key]
    row.low, row.high = entry.low, entry.high
    if _is_known(search, frame, row, entry, depth):
        return SETTLED
    if depth > 1 or frame.draft == frame.depth:
        return DEEPER
    # The frame is searched deeper than asked for already.
    search.horizon, search.value = True, min(max(row.static, row.low), row.high)
    return SETTLED


def _is_known(search: Search, frame: Frame, row: Row, entry: Entry, depth: int) -> bool:
    """Whether what is remembered of a row is enough."""
    alpha, beta = _window(frame)
    if row.low >= beta or row.low == row.high:
        search.value = row.low
    elif row.high <= alpha:
        search.value = row.high
    elif is_enough(entry, depth, alpha, beta):
        search.value = entry.value
    else:
        return False
    search.horizon |= row.low != row.high
    return True


def push_paranoid(search: Search, frame: Frame) -> None:
    """Put the present row onto the stack of nodes."""
    row = frame.rows[frame.place]
    alpha, beta = _window(frame)
    draft = frame.depth - 1
    # Bounds of deeper searches have taken the place of what one ply says: two say more than that.
    depth = max(draft, 2)
    search.stack.append(fill_frame(search, row.key, row.state))
    open_paranoid(search, search.table[row.key], depth, draft, alpha, beta)


def open_paranoid(
    search: Search, entry: Entry, depth: int, draft: int, alpha: float, beta: float
) -> None:
    """Begin with the first row of a frame."""
    frame = search.stack[-1]
    frame.depth, frame.draft = depth, draft
    frame.alpha, frame.beta = alpha, beta
    frame.low, frame.high = entry.low, entry.high


def back_up_paranoid(search: Search) -> bool:
    """Hand a value to the present row, and finished nodes' values down the stack."""
    while True:
        frame = search.stack[-1]
        if not _absorb(search, frame):
            return False
        _finish_paranoid(search, frame)
        if len(search.stack) == 1:
            return True
        search.stack.pop()
        below = search.stack[-1]
        row = below.rows[below.place]
        row.low, row.high = frame.low, frame.high


def _absorb(search: Search, frame: Frame) -> bool:
    """Take over the value of the present row and go to the next; whether there is none."""
    number, value = frame.place, search.value
    alpha, beta = _alpha(frame), _beta(frame)
    if not frame.full and alpha < value < beta:
        frame.full = True
        return False
    if value < frame.worst:
        frame.worst, frame.worst_row = value, number
    frame.answer += 1
    if frame.answer == frame.answers or frame.worst <= alpha:
        if frame.worst > frame.best:
            frame.best, frame.best_row = frame.worst, frame.worst_row
        frame.worst, frame.answer = math.inf, 0
        frame.group += 1
        if frame.group == frame.own or frame.best >= min(frame.beta, frame.high):
            return True
    one_chooses = frame.own == 1 or frame.answers == 1
    frame.full = not search.scout or not one_chooses or not _has_value(frame)
    return False


def _has_value(frame: Frame) -> bool:
    """Whether a value to compare with has been found."""
    return frame.best > -math.inf if frame.answers == 1 else frame.worst < math.inf


def _finish_paranoid(search: Search, frame: Frame) -> None:
    """Remember the value of a node all of whose rows are done."""
    low, high = proved_bounds(frame.rows, frame.own, frame.answers, search.opposed)
    frame.low, frame.high = max(frame.low, low), min(frame.high, high)
    search.value = value = frame.best
    entry = search.table[frame.key]
    entry.low, entry.high = max(entry.low, frame.low), min(entry.high, frame.high)
    if frame.draft >= entry.draft:
        entry.value, entry.best, entry.draft = value, frame.best_row, frame.draft
        entry.bound = UPPER if value <= frame.alpha else LOWER if value >= frame.beta else EXACT


# maxn.py


def settle_maxn(search: Search, frame: Frame) -> int:
    """Find the values of a row without searching, or say what is needed for them."""
    row, depth = frame.rows[frame.place], frame.depth - 1
    if row.marks & SOLVED:
        return SETTLED
    if depth == 0:
        search.horizon = True
        return SETTLED
    if row.key not in search.table:
        return GENERATE
    entry = search.table[row.key]
    if entry.marks & SOLVED or entry.draft >= depth:
        row.values, row.marks = entry.values, entry.marks
        search.horizon |= not entry.marks & SOLVED
        return SETTLED
    return DEEPER


def push_maxn(search: Search, frame: Frame) -> None:
    """Put a row onto the stack of nodes."""
    row = frame.rows[frame.place]
    search.stack.append(fill_frame(search, row.key, row.state))
    open_maxn(search, frame.depth - 1)


def open_maxn(search: Search, depth: int) -> None:
    """Begin with the first row of a frame."""
    search.stack[-1].depth = depth


def back_up_maxn(search: Search) -> bool:
    """Go on to the next row, and hand finished nodes' values down the stack."""
    while True:
        frame = search.stack[-1]
        frame.answer += 1
        if frame.answer == frame.answers:
            frame.group, frame.answer = frame.group + 1, 0
        if frame.group < frame.own:
            return False
        marks = _finish_maxn(search, frame)
        if len(search.stack) == 1:
            return True
        search.stack.pop()
        below = search.stack[-1]
        below.rows[below.place].values, below.rows[below.place].marks = search.values, marks


def _finish_maxn(search: Search, frame: Frame) -> int:
    """Choose for all roles, and remember the values of a node all of whose rows are done."""
    values = [row.values for row in frame.rows]
    best = equilibrium(values, frame.counts, search.order)
    marks = SOLVED | CERTAIN
    for row in frame.rows:
        marks &= row.marks
    if not is_certain(values, best, frame.counts, search.order):
        marks &= ~CERTAIN
    frame.best_row, search.values, search.value = best, values[best], values[best][search.role]
    entry = search.table.setdefault(frame.key, Entry())
    if frame.depth >= entry.draft or marks & SOLVED:
        entry.values, entry.best = values[best], best
        entry.draft, entry.marks = frame.depth, marks
    return marks
