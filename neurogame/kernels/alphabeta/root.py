"""The ends of a search in compiled code: its root, and the principal line from there."""

from __future__ import annotations

from typing import Any

from neurogame.kernels.alphabeta.address import choices_at, run_at, stack_at, table_at
from neurogame.kernels.alphabeta.bits import mixed
from neurogame.kernels.alphabeta.generate import copy_row
from neurogame.kernels.alphabeta.moves import joint_count, joint_move, list_moves
from neurogame.kernels.alphabeta.table import child_key, find
from neurogame.kernels.leaves.machine import look, step
from neurogame.kernels.leaves.values import evaluate
from neurogame.kernels.native.compiled import uncounted


@uncounted
def plant(at: int, rules: Any, block: Any, state: Any) -> Any:
    """Make a state the root, which is row 0 of the stack.

    Args:
        at: address of the memory.
        rules: the game.
        block: memory for leaves.
        state: packed; uint64 ``[1, Fw]``.

    Returns:
        The number of joint moves.
    """
    run = run_at(at)[0]
    stack = stack_at(at)
    choices = choices_at(at)
    copy_row(block.states, 0, state, 0)
    look(rules, block, 1)
    copy_row(stack.states, 0, block.states, 0)
    copy_row(stack.legal, 0, block.legal, 0)
    run.top = 0
    row = stack.rows[0]
    row.key = child_key(block.hashes[0], 0, block.hashes[0], 1)
    if run.shared == 0:
        row.key = mixed(row.key, -run.age)
    row.width = joint_count(stack.legal[0], choices.offsets)
    return row.width


@uncounted
def follow(at: int, rules: Any, block: Any, values: Any, first: int, most: int, line: Any) -> int:
    """Follow the best rows from the root.

    Args:
        at: address of the memory, after an iteration.
        rules: the game.
        block: memory for leaves; on return, goals and value of the last state are those of
            leaf 0.
        values: the evaluator.
        first: row of the root to begin with.
        most: joint moves to go; 0: only the first one is written, and nothing computed.
        line: written: joint moves, as move numbers; int32 ``[>= max(most, 1), R]``.

    Returns:
        The number of joint moves.
    """
    run = run_at(at)[0]
    stack = stack_at(at)
    table = table_at(at)
    choices = choices_at(at)
    entries = table.entries
    key, row = stack.frames[0].key, first
    copy_row(block.parents, 0, stack.states, 0)
    list_moves(stack.legal[0], choices.offsets, choices.order, choices.moves, choices.starts)
    if most == 0:
        joint_move(row, choices.order, choices.moves, choices.starts, line[0])
        return 1
    for ply in range(most):
        joint_move(row, choices.order, choices.moves, choices.starts, line[ply])
        copy_row(block.joint, 0, line, ply)
        step(rules, block, 1)
        if run.shared == 0 and ply == 0:
            key = stack.rows[1 + row].key
        else:
            key = child_key(key, row, block.hashes[0], run.shared)
        index = find(entries, key)
        if block.terminal[0] or ply + 1 == most or index < 0 or entries[index].best < 0:
            most = ply + 1
            break
        row = entries[index].best
        copy_row(block.parents, 0, block.states, 0)
        list_moves(block.legal[0], choices.offsets, choices.order, choices.moves, choices.starts)
        if row >= joint_count(block.legal[0], choices.offsets):
            most = ply + 1
            break
    evaluate(values, block.states, block.lanes, 1, block.values)
    return most
