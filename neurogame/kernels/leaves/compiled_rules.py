"""Successors and looks with compiled rules, in the memory of the rules' own cells.

:func:`make_moves` and :func:`look_at` are what a
:class:`~neurogame.kernels.leaves.machine.StateMachine` calls where the rules are compiled.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import (
    Bools1,
    Float32s1,
    Float32s2,
    Int32s2,
    Int64s,
    Int64s1,
    Int64s2,
    UInt64s1,
    UInt64s2,
)
from neurogame.circuit.circuit import Circuit
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.evaluate import Input
from neurogame.kernels.codegen.frame import Part
from neurogame.kernels.codegen.step import CompiledStep
from neurogame.kernels.lane_rows import SPACE, from_lanes, hash_rows, to_lanes
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.kernels.step import GOALS, STATUS
from neurogame.native.arrays import cast, rows
from neurogame.native.bits import first_ones, lowest_bit
from neurogame.native.call_address import call_address
from neurogame.native.compiled import inner
from neurogame.native.struct import Struct

_ONE = np.uint64(1)
_PARTS = int(Input.PARTS)
_MOVE = 1 << Part.MOVE
_SEE = 1 << Part.LOOK | 1 << Part.GOALS


class CompiledRules(Struct):
    """The memory of a game's compiled rules, one word of lanes or more to a cell.

    ``C`` cells of ``W`` words, ``F`` fluents, ``M`` moves of all roles, ``V`` goals above 0.

    Attributes:
        evaluate: address of the generated code, which takes the address of its arguments.
        arguments: of the generated code.
        cells: int64 ``[C, W]``.
        fluents: the cells that take a state; int64 ``[F, W]``.
        moves: the cells that take the moves made; int64 ``[M, W]``.
        ended: the cell that says which lanes are terminal; int64 ``[W]``.
        fluent_cells: where the fluents of the next state are; int64 ``[F]``.
        legal_cells: where legal moves are; int64 ``[M]``.
        goal_cells: cell and role of each goal, the highest of a role first; int64 ``[V, 2]``.
        goal_values: goal / 100; float32 ``[V]``.
        order: 0, 1, 2, ...; int64 ``[N]``.
        space: to work in; uint64 ``[SPACE]``.
    """

    evaluate: int
    arguments: Int64s1
    cells: Int64s2
    fluents: Int64s2
    moves: Int64s2
    ended: Int64s1
    fluent_cells: Int64s1
    legal_cells: Int64s1
    goal_cells: Int64s2
    goal_values: Float32s1
    order: Int64s1
    space: UInt64s1


_compiled_rules = cast(CompiledRules)


def make_compiled_rules(circuit: Circuit, rules: CompiledStep, leaves: int) -> CompiledRules:
    """Reserve memory.

    Args:
        circuit: the game.
        rules: its compiled rules, which must live as long.
        leaves: most leaves at once.
    """
    words, fluents = rules.lane_words, len(circuit.fluents)
    size = 8 * words
    memory = aligned(rules.memory // 8)
    cells = memory.reshape(-1, words)
    arguments = rules.arguments(memory)
    arguments[Input.BLOCK_END] = 1
    status, goals = rules.outputs[STATUS] // size, rules.outputs[GOALS] // size
    roles, values = goals_of(circuit)
    counted = values > 0
    # The cells of the inputs follow each other: those of the fluents, then of the moves.
    first_move = int(rules.inputs[fluents]) // size if circuit.move_count else 0
    return CompiledRules(
        evaluate=rules.code.address("evaluate"),
        arguments=arguments,
        cells=cells,
        fluents=cells[:fluents],
        moves=cells[first_move : first_move + circuit.move_count],
        ended=cells[status[-1]],
        fluent_cells=np.arange(fluents),
        legal_cells=np.ascontiguousarray(status[:-1]),
        goal_cells=np.stack([goals, roles], axis=1)[counted],
        goal_values=(values[counted] / 100).astype(np.float32),
        order=np.arange(leaves),
        space=np.zeros(SPACE, np.uint64),
    )


def goals_of(circuit: Circuit) -> tuple[Int64s, Int64s]:
    """Return role and value, 0..100, of each goal, a role's highest first; int64 ``[V]`` each."""
    pairs = [(role, value) for role, goals in enumerate(circuit.goals) for value, _ in goals]
    table: Int64s = np.array(pairs, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def make_moves(machine: StateMachine) -> None:
    """Make the joint moves of the first leaves and look at what follows."""
    rules, block, count = _compiled_rules(machine.rules), machine.block, machine.count
    lanes = 64 * rules.cells.shape[1]
    for begin in range(0, count, lanes):
        size = min(count - begin, lanes)
        states, origin = rows(block.states, begin, size), rows(block.origin, begin, size)
        to_lanes(block.parents, origin, rules.fluents, rules.space)
        joint = rows(block.joint, begin, size)
        _set_moves(joint, rules.moves)
        _evaluate(rules, _MOVE | _SEE)
        _clear_moves(joint, rules.moves)
        from_lanes(rules.cells, rules.fluent_cells, states, rules.space)
        _see(rules, block, states, begin, machine.brief)


def look_at(machine: StateMachine) -> None:
    """Look at the states of the first leaves."""
    rules, block, count = _compiled_rules(machine.rules), machine.block, machine.count
    lanes = 64 * rules.cells.shape[1]
    for begin in range(0, count, lanes):
        size = min(count - begin, lanes)
        states = rows(block.states, begin, size)
        to_lanes(states, rows(rules.order, 0, size), rules.fluents, rules.space)
        _evaluate(rules, _SEE)
        _see(rules, block, states, begin, 0)


@inner
def _evaluate(rules: CompiledRules, parts: int) -> None:
    rules.arguments[_PARTS] = parts
    call_address(rules.evaluate, rules.arguments.ctypes.data)


@inner
def _see(rules: CompiledRules, block: Block, states: UInt64s2, begin: int, brief: int) -> None:
    """Write what has been computed of ``states`` into the block, from leaf ``begin`` on."""
    size = len(states)
    legal = rows(block.legal, begin, size)
    if brief == 0:
        for word in range((size + 63) >> 6):
            for fluent in range(len(block.lanes)):
                block.lanes[fluent, (begin >> 6) + word] = rules.cells[fluent, word]
        from_lanes(rules.cells, rules.legal_cells, legal, rules.space)
        hash_rows(states, rows(block.hashes, begin, size))
    _read_ends(rules.ended, rows(block.terminal, begin, size), legal)
    _read_goals(rules.cells, rules.goal_cells, rules.goal_values, rows(block.goals, begin, size))


@inner
def _set_moves(joint: Int32s2, cells: Int64s2) -> None:
    """Set the bits of the moves made; lanes that follow each other often make the same one."""
    for role in range(joint.shape[1]):
        for word in range((len(joint) + 63) >> 6):
            first = 64 * word
            last = np.uint64(joint[first, role])
            lanes = np.uint64(0)
            for lane in range(min(len(joint) - first, 64)):
                move = np.uint64(joint[first + lane, role])
                if move != last:
                    cells[last, word] |= np.int64(lanes)
                    last, lanes = move, np.uint64(0)
                lanes |= _ONE << np.uint64(lane)
            cells[last, word] |= np.int64(lanes)


@inner
def _clear_moves(joint: Int32s2, cells: Int64s2) -> None:
    """Clear the bits again: of all moves, or of those made where these are few."""
    if len(joint) * joint.shape[1] >= len(cells):
        for move in range(len(cells)):
            for word in range(cells.shape[1]):
                cells[move, word] = 0
        return
    for lane in range(len(joint)):
        for role in range(joint.shape[1]):
            cells[np.uint64(joint[lane, role]), lane >> 6] = 0


@inner
def _read_ends(ended: Int64s1, terminal: Bools1, legal: UInt64s2) -> None:
    """Read which states are terminal, and remove their legal moves."""
    for lane in range(len(terminal)):
        terminal[lane] = False
    for word in range((len(terminal) + 63) >> 6):
        rest = np.uint64(ended[word]) & first_ones(len(terminal) - 64 * word)
        while rest:
            lane = 64 * word + lowest_bit(rest)
            terminal[lane] = True
            for place in range(legal.shape[1]):
                legal[lane, place] = 0
            rest &= rest - _ONE


@inner
def _read_goals(cells: Int64s2, table: Int64s2, values: Float32s1, goals: Float32s2) -> None:
    """Read the goals of some states; the highest of a role is written last."""
    for lane in range(len(goals)):
        for role in range(goals.shape[1]):
            goals[lane, role] = 0
    for goal in range(len(table) - 1, -1, -1):
        cell, column = np.uint64(table[goal, 0]), np.uint64(table[goal, 1])
        for word in range((len(goals) + 63) >> 6):
            rest = np.uint64(cells[cell, word]) & first_ones(len(goals) - 64 * word)
            while rest:
                goals[64 * word + lowest_bit(rest), column] = values[goal]
                rest &= rest - _ONE
