"""The loop of a tree search: one iteration, left and taken up again at any time.

Nodes are kept on a stack of their own, so that interrupts are noticed, limits are kept and memory
is enlarged between two steps. A node whose children have been generated has a value one ply deep
already, kept in the table; so nodes one ply above the horizon never come onto the stack.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from neurogame.array_types import Int32s2, UInt64s2
from neurogame.compiling import compile_declared
from neurogame.judges.states import evaluate
from neurogame.kernels.leaves.machine import look, step
from neurogame.native.arrays import copy_row
from neurogame.native.clock import nanoseconds
from neurogame.native.compiled import compiled, inner
from neurogame.native.random import hashed
from neurogame.search.alphabeta.compiled.generate import (
    ask,
    fill_frame,
    generate,
    is_kept,
    request,
)
from neurogame.search.alphabeta.compiled.maxn import back_up_maxn, open_maxn, push_maxn, settle_maxn
from neurogame.search.alphabeta.compiled.memory import Search
from neurogame.search.alphabeta.compiled.moves import joint_count, joint_move, list_moves
from neurogame.search.alphabeta.compiled.order import row_at
from neurogame.search.alphabeta.compiled.paranoid import (
    back_up_paranoid,
    look_up,
    open_paranoid,
    push_paranoid,
    settle_paranoid,
)
from neurogame.search.alphabeta.compiled.records import (
    DEEPER,
    DONE,
    GENERATE,
    MORE_ENTRIES,
    MORE_PROOFS,
    MORE_ROWS,
    OUT_OF_TIME,
    PAUSED,
)
from neurogame.search.alphabeta.compiled.table import child_key, claim, find, refill

_NEXT_ITERATION = 1 << 60

_SLICE = 10_000_000
"""Nanoseconds after which the caller looks for interrupts."""


@compiled
def advance(search: Search, rooted: bool) -> int:
    """Go on with an iteration.

    Args:
        search: changed.
        rooted: whether the root's children are on the stack. If not, they are put there, and
            there is no iteration.

    Returns:
        ``DONE``, or why it had to be interrupted.
    """
    stack = search.stack
    search.pause = nanoseconds() + _SLICE
    maxn = len(search.table.values) > 0
    while True:
        action, place = GENERATE, 0
        frame = stack.frames[search.top]
        if rooted:
            place = frame.first + row_at(frame, stack.rows, frame.group, frame.answer)
            # Not an expression: each call is compiled by itself.
            if maxn:
                action = settle_maxn(search, frame, place)
            else:
                action = settle_paranoid(search, frame, place)
        elif _has_root(search):
            return DONE
        if action == DEEPER:
            status = _interruption(search)
            if frame.first + frame.count + stack.rows[place].width > len(stack.rows):
                status = MORE_ROWS
            if status != 0:
                return status
            if maxn:
                push_maxn(search, frame, place)
            else:
                push_paranoid(search, frame, place)
        elif action == GENERATE:
            status = _interruption(search)
            if status == 0:
                status = request(search) if rooted else _request_root(search)
            if status == 0:
                status = generate(search)
            if status != 0:
                return status
        elif back_up_maxn(search) if maxn else back_up_paranoid(search):
            return DONE


@compiled
def begin(search: Search, depth: int, alpha: np.float32, beta: np.float32) -> None:
    """Prepare an iteration; the root's children are on the stack.

    Args:
        search: changed.
        depth: plies to look ahead, at least 1.
        alpha: values at or below are of no interest; float32.
        beta: values at or above are of no interest; float32.
    """
    stack = search.stack
    table = search.table
    frame = stack.frames[0]
    search.top = 0
    search.visits += 1
    if search.numbers.transpositions == 0:
        # Nothing is to be remembered from one iteration to the next; keys of rows are mixed with
        # small numbers.
        for place in range(frame.first, frame.first + frame.count):
            stack.rows[place].key = hashed(stack.rows[place].key, _NEXT_ITERATION)
    if len(table.values) > 0:
        open_maxn(search, search.top, depth)
    else:
        entry = table.entries[claim(search, table.entries, frame.key)]
        if depth == 1 and entry.draft <= 1:
            # Of equal moves a random one, not the first.
            entry.best = -1
        open_paranoid(search, search.top, entry, depth, depth, alpha, beta)
        # What is proved of the root is of use only with the rows that prove it.
        frame.low, frame.high = np.float32(0), np.float32(1)
        frame.slack = np.float32(search.slack)


@inner
def _interruption(search: Search) -> int:
    """Return why the search must be interrupted, or 0."""
    now = nanoseconds()
    if now >= search.deadline:
        return OUT_OF_TIME
    if now >= search.pause:
        return PAUSED
    if search.entry_count > search.entries_limit:
        return MORE_ENTRIES
    if search.proof_count > search.proofs_limit:
        return MORE_PROOFS
    return 0


@inner
def _has_root(search: Search) -> bool:
    """Put the root's children onto the stack if they are kept; row 0 is the root itself."""
    stack = search.stack
    entries = search.table.entries
    index = find(entries, stack.rows[0].key)
    if index < 0 or not is_kept(search, search.kept, entries[index].place):
        return False
    entries[index].age = search.age
    search.top = 0
    frame = stack.frames[0]
    frame.first = 1
    fill_frame(search, frame, search.top, entries[index].place)
    look_up(search, search.top)
    return True


@inner
def _request_root(search: Search) -> int:
    """Put the root on the list of nodes whose children are to be generated."""
    stack = search.stack
    search.asked = 0
    row = stack.rows[0]
    if row.width + 1 > len(stack.rows):
        return MORE_ROWS
    ask(search, stack.states, stack.legal, 0, row.key, row.width)
    return 0


@compiled
def set_root(search: Search, state: UInt64s2) -> int:
    """Make a state the root, which is row 0 of the stack.

    Args:
        search: changed.
        state: packed; uint64 ``[1, Fw]``.

    Returns:
        The number of joint moves.
    """
    stack = search.stack
    block = search.block
    copy_row(state, 0, block.states, 0)
    look(search.rules, 1)
    copy_row(block.states, 0, stack.states, 0)
    copy_row(block.legal, 0, stack.legal, 0)
    search.top = 0
    row = stack.rows[0]
    row.key = child_key(block.hashes[0], 0, block.hashes[0], 1)
    if search.numbers.transpositions == 0:
        row.key = hashed(row.key, -search.age)
    row.width = joint_count(stack.legal[0], search.choices.offsets)
    return row.width


@compiled
def principal_line(search: Search, first: int, most: int, line: Int32s2) -> int:
    """Follow the best rows from the root: the principal line.

    On return, goals and value of the last state are those of leaf 0.

    Args:
        search: after an iteration.
        first: row of the root to begin with.
        most: joint moves to go; 0: only the first one is written, and nothing computed.
        line: written: joint moves, as move numbers; int32 ``[>= max(most, 1), R]``.

    Returns:
        The number of joint moves.
    """
    stack = search.stack
    choices = search.choices
    entries, block = search.table.entries, search.block
    key, row = stack.frames[0].key, first
    copy_row(stack.states, 0, block.parents, 0)
    list_moves(choices, stack.legal[0])
    if most == 0:
        joint_move(choices, row, line[0])
        return 1
    for ply in range(most):
        joint_move(choices, row, line[ply])
        copy_row(line, ply, block.joint, 0)
        step(search.rules, 1)
        if search.numbers.transpositions == 0 and ply == 0:
            key = stack.rows[1 + row].key
        else:
            key = child_key(key, row, block.hashes[0], search.numbers.transpositions)
        index = find(entries, key)
        if block.terminal[0] or ply + 1 == most or index < 0 or entries[index].best < 0:
            most = ply + 1
            break
        row = entries[index].best
        copy_row(block.states, 0, block.parents, 0)
        list_moves(choices, block.legal[0])
        if row >= joint_count(block.legal[0], choices.offsets):
            most = ply + 1
            break
    evaluate(search.values, block.states, block.lanes, 1, block.values)
    return most


@cache
def prepare() -> None:
    """Compile what a search calls, or load it from the cache; a second time nothing is done."""
    compile_declared(__name__)
    compile_declared(refill.__module__)
