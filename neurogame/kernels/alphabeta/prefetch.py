"""Chooses the nodes whose children are generated together: those that will be needed next.

A block of lanes costs little more than a few of them. So where a node's children are needed, the
block is filled with those of the nodes that the search will look at next if it goes as expected:
the following rows of the same frame, unless the first is expected to be enough; then, the
remembered best children of the next rows of the frame below, whose turn comes then.
"""

from __future__ import annotations

from typing import Any

from neurogame.kernels.alphabeta.address import choices_at, kept_at, run_at, stack_at, table_at
from neurogame.kernels.alphabeta.generate import ask, is_kept
from neurogame.kernels.alphabeta.order import row_at
from neurogame.kernels.alphabeta.records import OUT_OF_NODES, UNKNOWN
from neurogame.kernels.alphabeta.table import child_key, find
from neurogame.kernels.alphabeta.width import measure, measured
from neurogame.kernels.native.compiled import inner, merged


@inner
def request(at: int) -> int:
    """Put the present row and others on the list of nodes whose children are to be generated.

    Returns:
        0, or ``OUT_OF_NODES``.
    """
    run = run_at(at)[0]
    stack = stack_at(at)
    frame = stack.frames[run.top]
    place = frame.first + row_at(frame, stack.rows, frame.group, frame.answer)
    row = stack.rows[place]
    run.asked = 0
    if run.nodes + row.width > run.limit:
        return OUT_OF_NODES
    room = min(-row.width % run.fill, run.limit - run.nodes - row.width)
    if frame.cut == 0 or frame.group + frame.answer > 0:
        _ask_siblings(at, frame, room)
    elif run.top > 0:
        _ask_cousins(at, stack.frames[run.top - 1], room)
    # Last, so that none of the others takes its place in the table.
    ask(at, stack.states, stack.legal, place, row.key, row.width)
    return 0


@merged
def _ask_siblings(at: int, frame: Any, room: int) -> None:
    """Add the next rows of a frame."""
    stack = stack_at(at)
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
            measure(at, place)
        if 0 < row.width <= room and not _has_children(at, row.key):
            ask(at, stack.states, stack.legal, place, row.key, row.width)
            room -= row.width


@merged
def _ask_cousins(at: int, frame: Any, room: int) -> None:
    """Add the best child of the next rows of a frame."""
    run = run_at(at)[0]
    stack = stack_at(at)
    kept = kept_at(at)
    table = table_at(at)
    choices = choices_at(at)
    rows, entries = stack.rows, table.entries
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
        if entry.best < 0 or not is_kept(run, kept, entry.place) or entry.low == entry.high:
            continue
        place = entry.place % len(kept.rows) + entry.best
        key = child_key(row.key, entry.best, kept.rows[place].hash, run.shared)
        if kept.rows[place].terminal != 0 or _has_children(at, key):
            continue
        width = measured(run, choices.offsets, kept.legal[place])
        if 0 < width <= room:
            ask(at, kept.states, kept.legal, place, key, width)
            room -= width


@merged
def _has_children(at: int, key: Any) -> bool:
    """Return whether the children of a node are kept."""
    run = run_at(at)[0]
    kept = kept_at(at)
    table = table_at(at)
    entries = table.entries
    index = find(entries, key)
    return index >= 0 and is_kept(run, kept, entries[index].place)
