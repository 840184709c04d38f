"""Generates and values the children of nodes, many nodes in one block of lanes."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.alphabeta.address import (
    batch_at,
    choices_at,
    kept_at,
    proofs_at,
    run_at,
    table_at,
)
from neurogame.kernels.alphabeta.backup import (
    best_reply,
    equilibrium,
    final_bounds,
    is_certain,
)
from neurogame.kernels.alphabeta.moves import joint_move, list_moves
from neurogame.kernels.alphabeta.records import (
    CERTAIN,
    EXACT,
    FAILED,
    OUT_OF_TIME,
    PER_PLY,
    SOLVED,
)
from neurogame.kernels.alphabeta.table import claim, narrow, remember, remember_all
from neurogame.kernels.leaves.machine import failed, step
from neurogame.kernels.leaves.values import evaluate, has_failed
from neurogame.kernels.native.clock import nanoseconds
from neurogame.kernels.native.compiled import inner, merged

_BETWEEN, _TOLERANCE = 20_000_000, 2_000_000
"""Nanoseconds that a block may take where there is a deadline, and may end after it."""

_FEWEST = 8
"""Lanes of the smallest blocks."""


@merged
def copy_row(target: Any, to: int, source: Any, place: int) -> None:
    """Copy one row of a matrix to another matrix of the same width."""
    for column in range(target.shape[1]):
        target[to, column] = source[place, column]


@merged
def ask(at: int, states: Any, legal: Any, place: int, key: Any, width: int) -> None:
    """Put a node on the list of those whose children are generated next."""
    run = run_at(at)[0]
    batch = batch_at(at)
    number = run.asked
    run.asked += 1
    batch.asked[number].key = key
    batch.asked[number].width = width
    copy_row(batch.states, number, states, place)
    copy_row(batch.legal, number, legal, place)


@merged
def is_kept(run: Any, kept: Any, place: int) -> bool:
    """Return whether children are still there."""
    return place >= 0 and run.head <= place + len(kept.rows)


@inner
def generate(at: int, rules: Any, block: Any, values: Any) -> int:
    """Generate the children of all nodes on the list; they get their entries in the table.

    Returns:
        0, or why the search has to return: the children are not kept then.
    """
    run = run_at(at)[0]
    kept = kept_at(at)
    batch = batch_at(at)
    choices = choices_at(at)
    lanes, lane, last = min(run.slow, len(block.terminal)), 0, run.asked - 1
    asked_count, run.asked = run.asked, 0
    for number in range(asked_count):
        asked = batch.asked[number]
        list_moves(
            batch.legal[number], choices.offsets, choices.order, choices.moves, choices.starts
        )
        asked.own = choices.starts[1]
        asked.place = _reserve(run, len(kept.rows), asked.width)
        first = asked.place % len(kept.rows)
        for row in range(asked.width):
            copy_row(block.parents, lane, batch.states, number)
            joint_move(row, choices.order, choices.moves, choices.starts, block.joint[lane])
            batch.target[lane] = first + row
            lane += 1
            if lane == lanes or (number == last and row == asked.width - 1):
                status = _work(at, rules, block, values, lane)
                if status != 0:
                    return status
                lanes, lane = min(run.slow, len(block.terminal)), 0
    for number in range(asked_count):
        _conclude(at, number)
    return 0


@merged
def _reserve(run: Any, room: int, count: int) -> Any:
    """Return the place of a number of children that lie side by side."""
    if run.head % room + count > room:
        run.head += room - run.head % room
    place = run.head
    run.head += count
    return place


@merged
def _work(at: int, rules: Any, block: Any, values: Any, count: int) -> int:
    """Make the moves of the first lanes, value what follows, and keep it."""
    run = run_at(at)[0]
    begin = nanoseconds()
    if max(begin, begin + _expected(run, count) - _TOLERANCE) >= run.deadline:
        return OUT_OF_TIME
    step(rules, block, count)
    middle = nanoseconds()
    if failed(rules):
        return FAILED
    evaluate(values, block.states, block.lanes, count, block.values)
    end = nanoseconds()
    run.nodes += count
    run.blocks += 1
    run.rules_time += middle - begin
    run.values_time += end - middle
    if run.deadline < np.iinfo(np.int64).max:
        _adapt(run, count, end - begin)
    if has_failed(values):
        return FAILED
    for lane in range(count):
        _keep(at, block, lane)
    return 0


@merged
def _expected(run: Any, count: int) -> Any:
    """Return how long a block will take, judged by the last one; nanoseconds."""
    return run.last_time * max(count, run.last_count) // max(run.last_count, 1)


@merged
def _adapt(run: Any, count: int, time: int) -> None:
    """Make blocks smaller where they take long, unless the time does not depend on their size."""
    if time < _BETWEEN // 4 or run.last_count == 0:
        larger = time < _BETWEEN
    elif count < run.last_count:
        larger = 4 * time > 3 * run.last_time
    else:
        larger = count > run.last_count and 2 * time < 3 * run.last_time
    if larger:
        run.slow = max(run.slow, 2 * count)
    elif time > _BETWEEN and count != run.last_count:
        run.slow = max(count // 2, _FEWEST)
    run.last_count, run.last_time = count, time


@merged
def _keep(at: int, block: Any, lane: int) -> None:
    """Keep one child."""
    run = run_at(at)[0]
    kept = kept_at(at)
    batch = batch_at(at)
    place = batch.target[lane]
    copy_row(kept.states, place, block.states, lane)
    copy_row(kept.legal, place, block.legal, lane)
    terminal = block.terminal[lane]
    copy_row(kept.values, place, block.goals if terminal else block.values, lane)
    static = kept.values[place, run.role]
    if run.margin != 0 and not terminal:
        static = (static + np.float32(1) - kept.values[place, 1 - run.role]) / np.float32(2)
    child = kept.rows[place]
    child.hash = block.hashes[lane]
    child.static = static
    child.terminal = terminal
    if not terminal:
        run.evaluations += 1


@inner
def _conclude(at: int, number: int) -> None:
    """Remember what one ply says of a node."""
    run = run_at(at)[0]
    kept = kept_at(at)
    table = table_at(at)
    proofs = proofs_at(at)
    batch = batch_at(at)
    asked = batch.asked[number]
    first = asked.place % len(kept.rows)
    index = claim(run, table.entries, asked.key)
    entry = table.entries[index]
    entry.place = asked.place
    if len(table.values) > 0:
        if entry.draft < PER_PLY:
            _conclude_all(at, number, index, first)
        return
    answers = asked.width // asked.own
    was_proved = entry.low == entry.high
    low, high = final_bounds(kept.rows, first, asked.own, answers)
    narrow(entry, low, high)
    if entry.low == entry.high and not was_proved:
        remember(run, proofs, batch.states[number], low)
    if entry.draft < PER_PLY:
        entry.value, entry.best = best_reply(kept.rows, first, asked.own, answers)
        entry.draft = PER_PLY
        entry.bound = EXACT


@inner
def _conclude_all(at: int, number: int, index: int, first: int) -> None:
    """Remember the same for max^n."""
    run = run_at(at)[0]
    kept = kept_at(at)
    table = table_at(at)
    proofs = proofs_at(at)
    batch = batch_at(at)
    choices = choices_at(at)
    entry, asked = table.entries[index], batch.asked[number]
    list_moves(
        batch.legal[number],
        choices.offsets,
        choices.order,
        choices.moves,
        choices.starts,
    )
    best = equilibrium(kept.values, first, choices.order, choices.starts, choices.picked)
    solved = True
    for row in range(first, first + asked.width):
        solved = solved and kept.rows[row].terminal != 0
    entry.best = best
    entry.draft = PER_PLY
    entry.bound = EXACT
    entry.value = kept.values[first + best, run.role]
    copy_row(table.values, index, kept.values, first + best)
    if solved:
        entry.marks = SOLVED
        if is_certain(kept.values, first, best, choices.order, choices.starts):
            entry.marks = SOLVED | CERTAIN
            remember_all(run, proofs, batch.states[number], table.values[index])
