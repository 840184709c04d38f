"""Successors and looks with compiled rules, in the memory of the rules' own cells.

:func:`make_moves` and :func:`look_at` are called by their address, with that of a request: so a
search core is compiled once, whatever the game, and without the code behind them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.codegen.evaluate import Input
from neurogame.kernels.codegen.frame import Part
from neurogame.kernels.lane_rows import SPACE, from_lanes, hash_rows, to_lanes
from neurogame.kernels.leaves.bits import first_ones, lowest_bit
from neurogame.kernels.leaves.memory import array_at
from neurogame.kernels.leaves.request import request_at
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.compiled import inner, uncounted

_ONE = np.uint64(1)
_PARTS = int(Input.PARTS)
_MOVE = 1 << Part.MOVE
_SEE = 1 << Part.LOOK | 1 << Part.GOALS


def make_moves(address: int) -> None:
    """Make the joint moves of the first leaves of a request and look at what follows."""
    asked = request_at(address)[0]
    for begin in range(0, asked.count, 64 * asked.cell_words):
        size = min(asked.count - begin, 64 * asked.cell_words)
        shape, skip = (size, asked.state_words), 8 * begin * asked.state_words
        _load(asked, array_at(asked.at_parents + skip, shape, np.uint64))
        cells = asked.cells + 8 * asked.first_move * asked.cell_words
        taken = array_at(cells, (asked.moves, asked.cell_words), np.int64)
        joint = array_at(asked.at_joint + 4 * begin * asked.roles, (size, asked.roles), np.int32)
        _set_moves(joint, taken)
        _evaluate(asked, _MOVE | _SEE)
        _clear_moves(joint, taken)
        fluents = array_at(asked.fluent_cells, (asked.fluents,), np.int64)
        states = array_at(asked.at_states + skip, shape, np.uint64)
        _read_rows(asked, fluents, states)
        _see(asked, states, begin)


def look_at(address: int) -> None:
    """Look at the states of the first leaves of a request."""
    asked = request_at(address)[0]
    for begin in range(0, asked.count, 64 * asked.cell_words):
        size = min(asked.count - begin, 64 * asked.cell_words)
        place = asked.at_states + 8 * begin * asked.state_words
        states = array_at(place, (size, asked.state_words), np.uint64)
        _load(asked, states)
        _evaluate(asked, _SEE)
        _see(asked, states, begin)


@inner
def _load(asked: Any, states: Any) -> None:
    """Write packed states into the fluents' cells."""
    cells = array_at(asked.cells, (asked.fluents, asked.cell_words), np.int64)
    order = array_at(asked.order, (len(states),), np.int64)
    space = array_at(asked.space, (SPACE,), np.uint64)
    to_lanes(states, order, cells, space)


@inner
def _evaluate(asked: Any, parts: int) -> None:
    array_at(asked.arguments, (_PARTS + 1,), np.int64)[_PARTS] = parts
    call_address(asked.evaluate, asked.arguments)


@inner
def _read_rows(asked: Any, signals: Any, rows: Any) -> None:
    """Write the lanes of some cells as packed rows."""
    cells = array_at(asked.cells, (asked.cell_count, asked.cell_words), np.int64)
    from_lanes(cells, signals, rows, array_at(asked.space, (SPACE,), np.uint64))


@inner
def _see(asked: Any, states: Any, begin: int) -> None:
    """Read what has been computed of some states, the first of which has a number."""
    size: int = len(states)
    cells = array_at(asked.cells, (asked.cell_count, asked.cell_words), np.int64)
    lanes = array_at(asked.at_lanes, (asked.fluents, asked.lane_words), np.int64)
    _copy_lanes(cells, lanes[:, begin >> 6 :], (size + 63) >> 6)
    place = asked.at_legal + 8 * begin * asked.move_words
    legal = array_at(place, (size, asked.move_words), np.uint64)
    _read_rows(asked, array_at(asked.legal_cells, (asked.moves,), np.int64), legal)
    terminal = array_at(asked.at_terminal + begin, (size,), np.bool_)
    _read_ends(cells[asked.terminal_cell], terminal, legal)
    table = array_at(asked.goal_cells, (asked.goal_count, 2), np.int64)
    values = array_at(asked.goal_values, (asked.goal_count,), np.float32)
    place = asked.at_goals + 4 * begin * asked.roles
    _read_goals(cells, table, values, array_at(place, (size, asked.roles), np.float32))
    hash_rows(states, array_at(asked.at_hashes + 8 * begin, (size,), np.uint64))


@uncounted
def _set_moves(joint: Any, cells: Any) -> None:
    """Set the bits of the moves made; lanes that follow each other often make the same one."""
    for role in range(joint.shape[1]):
        for word in range((len(joint) + 63) >> 6):
            own = joint[64 * word : 64 * word + 64, role]
            last: Any = np.uint64(own[0])
            lanes = np.uint64(0)
            for lane in range(len(own)):
                move = np.uint64(own[lane])
                if move != last:
                    cells[last, word] |= np.int64(lanes)
                    last, lanes = move, np.uint64(0)
                lanes |= _ONE << np.uint64(lane)
            cells[last, word] |= np.int64(lanes)


@uncounted
def _clear_moves(joint: Any, cells: Any) -> None:
    """Clear the bits again: of all moves, or of those made where these are few."""
    if joint.size >= len(cells):
        cells[:] = 0
        return
    for lane in range(len(joint)):
        for role in range(joint.shape[1]):
            cells[np.uint64(joint[lane, role]), lane >> 6] = 0


@uncounted
def _copy_lanes(cells: Any, lanes: Any, words: int) -> None:
    """Copy the states as lane words."""
    for word in range(words):
        for fluent in range(len(lanes)):
            lanes[fluent, word] = cells[fluent, word]


@uncounted
def _read_ends(ended: Any, terminal: Any, legal: Any) -> None:
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


@uncounted
def _read_goals(cells: Any, table: Any, values: Any, goals: Any) -> None:
    """Read the goals of some states; the highest of a role is written last."""
    for lane in range(len(goals)):
        for role in range(goals.shape[1]):
            goals[lane, role] = 0
    for goal in range(len(table) - 1, -1, -1):
        cell, own = np.uint64(table[goal, 0]), np.uint64(table[goal, 1])
        for word in range((len(goals) + 63) >> 6):
            rest = np.uint64(cells[cell, word]) & first_ones(len(goals) - 64 * word)
            while rest:
                goals[64 * word + lowest_bit(rest), own] = values[goal]
                rest &= rest - _ONE
