"""The loop of a tree search: one iteration, left and taken up again at any time.

Nodes are kept on a stack of their own, so that interrupts are noticed, limits are kept and memory
is enlarged between two steps. A node whose children have been generated has a value one ply deep
already, kept in the table; so nodes one ply above the horizon never come onto the stack.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.alphabeta.address import kept_at, run_at, stack_at, table_at
from neurogame.kernels.alphabeta.bits import mixed
from neurogame.kernels.alphabeta.generate import ask, generate, is_kept
from neurogame.kernels.alphabeta.maxn import back_up_maxn, open_maxn, push_maxn, settle_maxn
from neurogame.kernels.alphabeta.order import row_at
from neurogame.kernels.alphabeta.paranoid import (
    back_up_paranoid,
    look_up,
    open_paranoid,
    push_paranoid,
    settle_paranoid,
)
from neurogame.kernels.alphabeta.prefetch import request
from neurogame.kernels.alphabeta.records import (
    DEEPER,
    DONE,
    GENERATE,
    MORE_ENTRIES,
    MORE_PROOFS,
    MORE_ROWS,
    OUT_OF_TIME,
    PAUSED,
    PER_PLY,
)
from neurogame.kernels.alphabeta.stack import fill_frame
from neurogame.kernels.alphabeta.table import claim, find
from neurogame.kernels.native.clock import nanoseconds
from neurogame.kernels.native.compiled import merged, uncounted

_NEXT_ITERATION = 1 << 60

_SLICE = 10_000_000
"""Nanoseconds after which the caller looks for interrupts."""


@uncounted
def advance(at: int, rules: Any, block: Any, values: Any, rooted: bool) -> int:
    """Go on with an iteration.

    Args:
        at: address of the memory.
        rules: the game.
        block: memory for leaves.
        values: the evaluator.
        rooted: whether the root's children are on the stack. If not, they are put there, and
            there is no iteration.

    Returns:
        ``DONE``, or why it had to be interrupted.
    """
    run = run_at(at)[0]
    stack = stack_at(at)
    table = table_at(at)
    run.pause = nanoseconds() + _SLICE
    maxn = len(table.values) > 0
    while True:
        found, place = GENERATE, 0
        frame = stack.frames[run.top]
        if rooted:
            place = frame.first + row_at(frame, stack.rows, frame.group, frame.answer)
            # Not an expression: each call is compiled by itself.
            if maxn:  # noqa: SIM108
                found = settle_maxn(at, frame, place)
            else:
                found = settle_paranoid(at, frame, place)
        elif _has_root(at):
            return DONE
        if found == DEEPER:
            status = _interruption(at)
            if frame.first + frame.count + stack.rows[place].width > len(stack.rows):
                status = MORE_ROWS
            if status != 0:
                return status
            if maxn:
                push_maxn(at, frame, place)
            else:
                push_paranoid(at, frame, place)
        elif found == GENERATE:
            status = _interruption(at)
            if status == 0:
                status = request(at) if rooted else _request_root(at)
            if status == 0:
                status = generate(at, rules, block, values)
            if status != 0:
                return status
        elif back_up_maxn(at) if maxn else back_up_paranoid(at):
            return DONE


@uncounted
def begin(at: int, depth: int, quiet: int, alpha: Any, beta: Any) -> None:
    """Prepare an iteration; the root's children are on the stack.

    Args:
        at: address of the memory.
        depth: plies to look ahead, at least 1.
        quiet: plies of quiescence.
        alpha: values at or below are of no interest; float32.
        beta: values at or above are of no interest; float32.
    """
    run = run_at(at)[0]
    stack = stack_at(at)
    table = table_at(at)
    frame = stack.frames[0]
    run.top = 0
    run.visits += 1
    if run.shared == 0:
        # Nothing is to be remembered from one iteration to the next; keys of rows are mixed with
        # small numbers.
        for place in range(frame.first, frame.first + frame.count):
            stack.rows[place].key = mixed(stack.rows[place].key, _NEXT_ITERATION)
    if len(table.values) > 0:
        open_maxn(at, run.top, depth)
    else:
        entry = table.entries[claim(run, table.entries, frame.key)]
        if depth == 1 and entry.draft <= PER_PLY:
            # Of equal moves a random one, not the first.
            entry.best = -1
        open_paranoid(at, run.top, entry, depth, PER_PLY * depth + quiet, quiet, alpha, beta)
        # What is proved of the root is of use only with the rows that prove it.
        frame.low, frame.high = np.float32(0), np.float32(1)


@merged
def _interruption(at: int) -> int:
    """Return why the search must be interrupted, or 0."""
    run = run_at(at)[0]
    now = nanoseconds()
    if now >= run.deadline:
        return OUT_OF_TIME
    if now >= run.pause:
        return PAUSED
    if run.entries > run.entries_limit:
        return MORE_ENTRIES
    if run.proofs > run.proofs_limit:
        return MORE_PROOFS
    return 0


@merged
def _has_root(at: int) -> bool:
    """Put the root's children onto the stack if they are kept; row 0 is the root itself."""
    run = run_at(at)[0]
    stack = stack_at(at)
    kept = kept_at(at)
    table = table_at(at)
    entries = table.entries
    index = find(entries, stack.rows[0].key)
    if index < 0 or not is_kept(run, kept, entries[index].place):
        return False
    entries[index].age = run.age
    run.top = 0
    frame = stack.frames[0]
    frame.first = 1
    fill_frame(at, frame, run.top, entries[index].place)
    look_up(at, run.top)
    return True


@merged
def _request_root(at: int) -> int:
    """Put the root on the list of nodes whose children are to be generated."""
    run = run_at(at)[0]
    stack = stack_at(at)
    run.asked = 0
    row = stack.rows[0]
    if row.width + 1 > len(stack.rows):
        return MORE_ROWS
    ask(at, stack.states, stack.legal, 0, row.key, row.width)
    return 0
