"""Successors and looks with compiled rules, in the memory of the rules' own cells."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from neurogame.kernels.call_address import call_address
from neurogame.kernels.compiled import uncounted, uncounted_inlined
from neurogame.kernels.lane_rows import from_lanes, to_lanes
from neurogame.kernels.leaves.bits import first_ones, lowest_bit, mixed
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.llvm.evaluate import Input
from neurogame.kernels.llvm.frame import Part
from neurogame.kernels.random_words import G1

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float32]
_ONE, _G1 = np.uint64(1), np.uint64(G1)
_PARTS = int(Input.PARTS)
_MOVE = 1 << Part.MOVE
_SEE = 1 << Part.LOOK | 1 << Part.GOALS


class Machine(NamedTuple):
    """Compiled rules and a block of leaves; one per thread.

    ``F`` fluents, ``M`` moves of all roles, ``N`` leaves, ``C`` cells of ``w`` words.

    Attributes:
        block: the leaves.
        evaluate: address of the function that makes given moves and looks at states.
        arguments: of that function, which works on one block of lanes without copying any.
        cells: its memory; the first ``F`` cells are the fluents; int64 ``[C, w]``.
        fluents: cell of each fluent; int64 ``[F]``.
        moves: the cells that take the moves made; int64 ``[M, w]``.
        legal: cell of each legal move; int64 ``[M]``.
        terminal: cell that tells the ends.
        goals: cell and role of each goal above 0, the highest of a role first; int64 ``[V, 2]``.
        goal_values: those goals / 100; float32 ``[V]``.
        order: ``0, 1, 2, ...``; int64 ``[N]``.
    """

    block: Block
    evaluate: int
    arguments: Integers
    cells: Integers
    fluents: Integers
    moves: Integers
    legal: Integers
    terminal: int
    goals: Integers
    goal_values: Reals
    order: Integers


@uncounted_inlined
def make_moves(machine: Any, count: int) -> None:
    """Make the joint moves of the first leaves and look at what follows."""
    block, cells = machine.block, machine.cells
    lanes = 64 * cells.shape[1]
    machine.arguments[_PARTS] = _MOVE | _SEE
    for begin in range(0, count, lanes):
        size = min(count - begin, lanes)
        to_lanes(block.parents, machine.order, begin, size, cells[: len(machine.fluents)])
        _set_moves(block.joint, begin, size, machine.moves)
        call_address(machine.evaluate, machine.arguments.ctypes.data)
        _clear_moves(block.joint, begin, size, machine.moves)
        from_lanes(cells, machine.fluents, begin, size, block.states)
        _see(machine, begin, size)


@uncounted_inlined
def look_at(machine: Any, count: int) -> None:
    """Look at the first leaves' states."""
    block, cells = machine.block, machine.cells
    lanes = 64 * cells.shape[1]
    machine.arguments[_PARTS] = _SEE
    for begin in range(0, count, lanes):
        size = min(count - begin, lanes)
        to_lanes(block.states, machine.order, begin, size, cells[: len(machine.fluents)])
        call_address(machine.evaluate, machine.arguments.ctypes.data)
        _see(machine, begin, size)


@uncounted
def _set_moves(joint: Any, begin: int, size: int, cells: Any) -> None:
    """Set the bits of the moves made; lanes that follow each other often make the same one."""
    for role in range(joint.shape[1]):
        for first in range(0, size, 64):
            word, last, lanes = first >> 6, np.uint64(joint[begin + first, role]), np.uint64(0)
            for lane in range(min(size - first, 64)):
                move = np.uint64(joint[begin + first + lane, role])
                if move != last:
                    cells[last, word] |= np.int64(lanes)
                    last, lanes = move, np.uint64(0)
                lanes |= _ONE << np.uint64(lane)
            cells[last, word] |= np.int64(lanes)


@uncounted
def _clear_moves(joint: Any, begin: int, size: int, cells: Any) -> None:
    """Clear the bits again: of all moves, or of those made where these are few."""
    if size * joint.shape[1] >= len(cells):
        cells[:] = 0
        return
    for lane in range(size):
        for role in range(joint.shape[1]):
            cells[np.uint64(joint[begin + lane, role]), lane >> 6] = 0


@uncounted
def hash_rows(rows: Any, begin: int, size: int, hashes: Any) -> None:
    """Write the hashes of some packed states, those of ``hash_states``."""
    for lane in range(begin, begin + size):
        hashes[lane] = 0
    for place in range(rows.shape[1]):
        added = np.uint64(place + 1) * _G1
        for lane in range(begin, begin + size):
            hashes[lane] = mixed(hashes[lane] + rows[lane, place] + added)


@uncounted_inlined
def _see(machine: Any, begin: int, size: int) -> None:
    """Read what has been computed of some states."""
    block, cells = machine.block, machine.cells
    first = begin >> 6
    for word in range((size + 63) >> 6):
        for fluent in range(len(machine.fluents)):
            block.lanes[fluent, first + word] = cells[fluent, word]
    from_lanes(cells, machine.legal, begin, size, block.legal)
    _read_ends(cells[machine.terminal], begin, size, block.terminal, block.legal)
    block.goals[begin : begin + size] = 0
    for goal in range(len(machine.goals) - 1, -1, -1):
        # The highest goal of a role is written last.
        cell, role = machine.goals[goal]
        value = machine.goal_values[goal]
        for word in range((size + 63) >> 6):
            rest = np.uint64(cells[cell, word]) & first_ones(size - 64 * word)
            while rest:
                block.goals[begin + 64 * word + lowest_bit(rest), role] = value
                rest &= rest - _ONE
    hash_rows(block.states, begin, size, block.hashes)


@uncounted_inlined
def _read_ends(ended: Any, begin: int, size: int, terminal: Any, legal: Any) -> None:
    """Read which states are terminal, and remove their legal moves."""
    terminal[begin : begin + size] = False
    for word in range((size + 63) >> 6):
        rest = np.uint64(ended[word]) & first_ones(size - 64 * word)
        while rest:
            lane = begin + 64 * word + lowest_bit(rest)
            terminal[lane] = True
            legal[lane] = 0
            rest &= rest - _ONE
