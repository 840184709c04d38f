"""Generates and values the children of nodes, many nodes in one block of lanes.

A block of lanes costs little more than a few of them. So where a node's children are needed, the
block is filled with those of the nodes that the search will look at next if it goes as expected:
the following rows of the same frame, unless the first is expected to be enough; then, the
remembered best children of the next rows of the frame below, whose turn comes then.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import UInt64s2
from neurogame.judges.states import evaluate
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.machine import step
from neurogame.native.arrays import copy_row
from neurogame.native.clock import nanoseconds
from neurogame.native.compiled import inner
from neurogame.search.alphabeta.compiled.backup import best_reply, final_bounds
from neurogame.search.alphabeta.compiled.chance import settle_all
from neurogame.search.alphabeta.compiled.memory import Kept, Search
from neurogame.search.alphabeta.compiled.moves import joint_move, list_moves, measure, measured
from neurogame.search.alphabeta.compiled.order import row_at
from neurogame.search.alphabeta.compiled.records import (
    CERTAIN,
    CLOSED,
    EXACT,
    FAILED,
    OUT_OF_NODES,
    OUT_OF_TIME,
    SOLVED,
    TWO_ROLES,
    UNKNOWN,
    Frame,
)
from neurogame.search.alphabeta.compiled.table import (
    child_key,
    claim,
    find,
    narrow,
    remember,
    remember_all,
)

_BETWEEN, _TOLERANCE = 20_000_000, 2_000_000
"""Nanoseconds that a block may take where there is a deadline, and may end after it."""

_FEWEST = 8
"""Lanes of the smallest blocks."""


@inner
def ask(
    search: Search, states: UInt64s2, legal: UInt64s2, place: int, key: np.uint64, width: int
) -> None:
    """Put a node on the list of those whose children are generated next."""
    batch = search.batch
    number = search.asked
    search.asked += 1
    batch.asked[number].key = key
    batch.asked[number].width = width
    copy_row(states, place, batch.states, number)
    copy_row(legal, place, batch.legal, number)


@inner
def is_kept(search: Search, kept: Kept, place: int) -> bool:
    """Return whether the children at a place are still there, not overwritten by later ones."""
    return place >= 0 and search.head <= place + len(kept.rows)


@inner
def generate(search: Search) -> int:
    """Generate the children of all nodes on the list; they get their entries in the table.

    Returns:
        0, or why the search has to return: the children are not kept then.
    """
    kept = search.kept
    batch = search.batch
    choices = search.choices
    block = search.block
    lanes, lane, last = min(search.slow, len(block.terminal)), 0, search.asked - 1
    asked_count, search.asked = search.asked, 0
    for number in range(asked_count):
        asked = batch.asked[number]
        list_moves(choices, batch.legal[number])
        asked.own = choices.starts[1]
        asked.place = _reserve(search, len(kept.rows), asked.width)
        first = asked.place % len(kept.rows)
        for row in range(asked.width):
            copy_row(batch.states, number, block.parents, lane)
            joint_move(choices, row, block.joint[lane])
            batch.target[lane] = first + row
            lane += 1
            if lane == lanes or (number == last and row == asked.width - 1):
                status = _work(search, lane)
                if status != 0:
                    return status
                lanes, lane = min(search.slow, len(block.terminal)), 0
    for number in range(asked_count):
        _conclude(search, number)
    return 0


@inner
def _reserve(search: Search, room: int, count: int) -> int:
    """Return the place of a number of children that lie side by side."""
    if search.head % room + count > room:
        search.head += room - search.head % room
    place = search.head
    search.head += count
    return place


@inner
def _work(search: Search, count: int) -> int:
    """Make the moves of the first lanes, value the states that follow, and keep them.

    Returns:
        0, ``OUT_OF_TIME``, or ``FAILED`` where a function of Python has raised an error.
    """
    rules, block, values = search.rules, search.block, search.values
    begin = nanoseconds()
    if max(begin, begin + _expected(search, count) - _TOLERANCE) >= search.deadline:
        return OUT_OF_TIME
    step(rules, count)
    middle = nanoseconds()
    if rules.failed != 0:
        return FAILED
    evaluate(values, block.states, block.lanes, count, block.values)
    end = nanoseconds()
    search.nodes += count
    search.blocks += 1
    search.rules_time += middle - begin
    search.values_time += end - middle
    if search.deadline < np.iinfo(np.int64).max:
        _adapt(search, count, end - begin)
    if values.failed != 0:
        return FAILED
    for lane in range(count):
        _keep(search, block, lane)
    return 0


@inner
def _expected(search: Search, count: int) -> int:
    """Return how long a block will take, judged by the last one; nanoseconds."""
    return search.last_time * max(count, search.last_count) // max(search.last_count, 1)


@inner
def _adapt(search: Search, count: int, time: int) -> None:
    """Make blocks smaller where they take long, unless the time does not depend on their size."""
    if time < _BETWEEN // 4 or search.last_count == 0:
        larger = time < _BETWEEN
    elif count < search.last_count:
        larger = 4 * time > 3 * search.last_time
    else:
        larger = count > search.last_count and 2 * time < 3 * search.last_time
    if larger:
        search.slow = max(search.slow, 2 * count)
    elif time > _BETWEEN and count != search.last_count:
        search.slow = max(count // 2, _FEWEST)
    search.last_count, search.last_time = count, time


@inner
def _keep(search: Search, block: Block, lane: int) -> None:
    """Keep the child in a lane: its state, legal moves, values and hash."""
    kept = search.kept
    place = search.batch.target[lane]
    copy_row(block.states, lane, kept.states, place)
    copy_row(block.legal, lane, kept.legal, place)
    terminal = block.terminal[lane]
    copy_row(block.goals if terminal else block.values, lane, kept.values, place)
    _neutralise(search, place)
    static = kept.values[place, search.role]
    if search.margin != 0 and not terminal:
        static = (static + np.float32(1) - kept.values[place, 1 - search.role]) / np.float32(2)
    child = kept.rows[place]
    child.hash = block.hashes[lane]
    child.static = static
    child.terminal = terminal
    if not terminal:
        search.evaluations += 1


@inner
def _neutralise(search: Search, place: int) -> None:
    """Take from a kept child what counts for nobody: the goal of chance, those of united others."""
    values, chance, role = search.kept.values, search.choices.chance, search.role
    if chance >= 0:
        values[place, chance] = 0
    if search.united != 0:
        for other in range(values.shape[1]):
            if other != role and other != chance:
                values[place, other] = np.float32(1) - values[place, role]


@inner
def _conclude(search: Search, number: int) -> None:
    """Remember what its children say of a node: its value one ply deep, and proved bounds."""
    kept = search.kept
    table = search.table
    batch = search.batch
    asked = batch.asked[number]
    first = asked.place % len(kept.rows)
    index = claim(search, table.entries, asked.key)
    entry = table.entries[index]
    entry.place = asked.place
    if len(table.values) > 0:
        if entry.draft < 1:
            _conclude_all(search, number, index, first)
        return
    answers = asked.width // asked.own
    was_proved = entry.low == entry.high
    low, high = final_bounds(kept.rows, first, asked.own, answers, search.sums <= TWO_ROLES)
    narrow(entry, low, high)
    if entry.low == entry.high and not was_proved:
        remember(search, search.proofs, batch.states[number], low)
    if entry.draft < 1:
        entry.value, entry.best = best_reply(kept.rows, first, asked.own, answers)
        entry.draft = 1
        entry.bound = EXACT


@inner
def _conclude_all(search: Search, number: int, index: int, first: int) -> None:
    """Remember what its children say of a node, for max^n: values of all roles."""
    kept = search.kept
    table = search.table
    batch = search.batch
    choices = search.choices
    entry, asked = table.entries[index], batch.asked[number]
    list_moves(choices, batch.legal[number])
    solved = True
    for row in range(first, first + asked.width):
        solved = solved and kept.rows[row].terminal != 0
    best, certain = settle_all(search, kept.values, first, asked.width, solved, table.values, index)
    entry.best = best
    entry.draft = 1
    entry.bound = EXACT
    entry.value = table.values[index, search.role]
    if solved:
        entry.marks = SOLVED
        if certain:
            entry.marks = SOLVED | CERTAIN
            remember_all(search, search.proofs, batch.states[number], table.values[index])


@inner
def request(search: Search) -> int:
    """Put the present row and others on the list of nodes whose children are to be generated.

    Returns:
        0, or ``OUT_OF_NODES``.
    """
    stack = search.stack
    frame = stack.frames[search.top]
    place = frame.first + row_at(frame, stack.rows, frame.group, frame.answer)
    row = stack.rows[place]
    search.asked = 0
    if search.nodes + row.width > search.limit:
        return OUT_OF_NODES
    room = min(-row.width % search.fill, search.limit - search.nodes - row.width)
    if frame.cut == 0 or frame.group + frame.answer > 0:
        _ask_siblings(search, frame, room)
    elif search.top > 0:
        _ask_cousins(search, stack.frames[search.top - 1], room)
    # Last, so that none of the others takes its place in the table.
    ask(search, stack.states, stack.legal, place, row.key, row.width)
    return 0


@inner
def _ask_siblings(search: Search, frame: Frame, room: int) -> None:
    """Add the next rows of a frame."""
    stack = search.stack
    rows, group, answer = stack.rows, frame.group, frame.answer
    while room > 0:
        answer += 1
        if answer == frame.answers:
            group, answer = group + 1, 0
            if group == frame.own:
                return
        place = frame.first + row_at(frame, rows, group, answer)
        row = rows[place]
        if row.low == row.high:
            continue
        if row.width == UNKNOWN:
            measure(search, place)
        if 0 < row.width <= room and not _has_children(search, row.key):
            ask(search, stack.states, stack.legal, place, row.key, row.width)
            room -= row.width


@inner
def _ask_cousins(search: Search, frame: Frame, room: int) -> None:
    """Add the best child of the next rows of a frame."""
    kept = search.kept
    rows, entries = search.stack.rows, search.table.entries
    group, answer = frame.group, frame.answer
    while room > 0:
        answer += 1
        if answer == frame.answers:
            group, answer = group + 1, 0
            if group == frame.own:
                return
        row = rows[frame.first + row_at(frame, rows, group, answer)]
        index = find(entries, row.key) if row.low != row.high else -1
        if index < 0:
            continue
        entry = entries[index]
        if entry.best < 0 or not is_kept(search, kept, entry.place) or entry.low == entry.high:
            continue
        place = entry.place % len(kept.rows) + entry.best
        key = child_key(row.key, entry.best, kept.rows[place].hash, search.numbers.transpositions)
        if kept.rows[place].terminal != 0 or _has_children(search, key):
            continue
        width = measured(search, search.choices.offsets, kept.legal[place])
        if 0 < width <= room:
            ask(search, kept.states, kept.legal, place, key, width)
            room -= width


@inner
def _has_children(search: Search, key: np.uint64) -> bool:
    """Return whether the children of a node are kept."""
    entries = search.table.entries
    index = find(entries, key)
    return index >= 0 and is_kept(search, search.kept, entries[index].place)


@inner
def push_rows(search: Search, source: int, kept_place: int) -> None:
    """Make a row of the stack the new top frame.

    Args:
        search: with enough room on the stack.
        source: the row.
        kept_place: where its children are kept.
    """
    stack = search.stack
    below = stack.frames[search.top]
    search.top += 1
    frame = stack.frames[search.top]
    frame.first = below.first + below.count
    fill_frame(search, frame, source, kept_place)


@inner
def fill_frame(search: Search, frame: Frame, source: int, kept_place: int) -> None:
    """Copy kept children onto the stack, from ``frame.first`` on."""
    stack = search.stack
    kept = search.kept
    choices = search.choices
    parent = stack.rows[source]
    frame.key, frame.source, frame.count = parent.key, source, parent.width
    list_moves(choices, stack.legal[source])
    frame.own = choices.starts[1]
    frame.answers = frame.count // frame.own
    base = kept_place % len(kept.rows)
    for number in range(frame.count):
        place, child = frame.first + number, kept.rows[base + number]
        copy_row(kept.states, base + number, stack.states, place)
        copy_row(kept.legal, base + number, stack.legal, place)
        copy_row(kept.values, base + number, stack.values, place)
        row, terminal = stack.rows[place], child.terminal != 0
        row.key = child_key(parent.key, number, child.hash, search.numbers.transpositions)
        row.width = CLOSED if terminal else UNKNOWN
        row.static = row.estimate = row.score = child.static
        row.low = child.static if terminal else np.float32(0)
        row.high = child.static if terminal else np.float32(1)
        row.marks = SOLVED | CERTAIN if terminal else 0
        row.rank = 0
