"""Puts a node's children onto the stack, for compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.alphabeta.address import choices_at, kept_at, run_at, stack_at
from neurogame.kernels.alphabeta.generate import copy_row
from neurogame.kernels.alphabeta.moves import list_moves
from neurogame.kernels.alphabeta.records import CERTAIN, CLOSED, SOLVED, UNKNOWN
from neurogame.kernels.alphabeta.table import child_key
from neurogame.kernels.native.compiled import inner, merged


@merged
def push_rows(at: int, source: int, kept_place: int) -> None:
    """Make a row of the stack the new top frame.

    Args:
        at: address of the memory, with enough room on the stack.
        source: the row.
        kept_place: where its children are kept.
    """
    run = run_at(at)[0]
    stack = stack_at(at)
    below = stack.frames[run.top]
    run.top += 1
    frame = stack.frames[run.top]
    frame.first = below.first + below.count
    fill_frame(at, frame, source, kept_place)


@inner
def fill_frame(at: int, frame: Any, source: int, kept_place: int) -> None:
    """Copy kept children onto the stack, from ``frame.first`` on."""
    run = run_at(at)[0]
    stack = stack_at(at)
    kept = kept_at(at)
    choices = choices_at(at)
    parent = stack.rows[source]
    frame.key, frame.source, frame.count = parent.key, source, parent.width
    list_moves(stack.legal[source], choices.offsets, choices.order, choices.moves, choices.starts)
    frame.own = choices.starts[1]
    frame.answers = frame.count // frame.own
    base = kept_place % len(kept.rows)
    for number in range(frame.count):
        place, child = frame.first + number, kept.rows[base + number]
        copy_row(stack.states, place, kept.states, base + number)
        copy_row(stack.legal, place, kept.legal, base + number)
        copy_row(stack.values, place, kept.values, base + number)
        row, terminal = stack.rows[place], child.terminal != 0
        row.key = child_key(parent.key, number, child.hash, run.shared)
        row.width = CLOSED if terminal else UNKNOWN
        row.static = row.estimate = row.score = child.static
        row.low = child.static if terminal else np.float32(0)
        row.high = child.static if terminal else np.float32(1)
        row.marks = SOLVED | CERTAIN if terminal else 0
        row.rank = 0
