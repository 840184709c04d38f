"""Uniform playouts of a block's leaves on the fused kernel.

Each leaf has as many lanes side by side as it has playouts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.codegen.frame import Argument
from neurogame.kernels.lane_rows import SPACE, to_lanes
from neurogame.kernels.leaves.bits import first_ones, lowest_bit, mixed
from neurogame.kernels.leaves.memory import array_at
from neurogame.kernels.leaves.request import request_at
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.compiled import inner, uncounted
from neurogame.kernels.twin.random_words import G1

_ONE, _G1 = np.uint64(1), np.uint64(G1)
_LOOKS, _BLOCK_END = int(Argument.LOOKS), int(Argument.BLOCK_END)


def play_on(address: int) -> None:
    """Play the first leaves' states of a request on at random; fills ``values``.

    It is called by its address; see :mod:`~neurogame.kernels.leaves.machine`.
    """
    asked = request_at(address)[0]
    lanes, words = asked.count * asked.playouts, asked.block_words
    leaf_of = array_at(asked.leaf_of, (asked.leaves * asked.playouts,), np.int64)
    if asked.playouts > 1:
        states = array_at(asked.at_states, (asked.leaves, asked.state_words), np.uint64)
        begin = array_at(asked.begin, (asked.fluents, asked.begin_words), np.int64)
        space = array_at(asked.space, (SPACE,), np.uint64)
        to_lanes(states, leaf_of[:lanes], begin, space)
    blocks = (lanes + 64 * words - 1) // (64 * words)
    _open_lanes(asked, lanes, blocks * words)
    arguments = array_at(asked.play_arguments, (_BLOCK_END + _LOOKS,), np.int64)
    arguments[_LOOKS], arguments[_BLOCK_END] = asked.plies + 1, blocks
    call_address(asked.play, asked.play_arguments)
    reached = array_at(asked.reached, (asked.reached_rows, asked.begin_words), np.int64)
    goals = array_at(asked.reached_goals, (asked.goal_count, 2), np.int64)
    goal_values = array_at(asked.reached_values, (asked.goal_count,), np.float32)
    values = array_at(asked.at_values, (asked.leaves, asked.roles), np.float32)
    _read_goals(reached, goals, goal_values, leaf_of, lanes, values[: asked.count])
    if asked.playouts > 1:
        _divide(values[: asked.count], asked.playouts)


@inner
def _open_lanes(asked: Any, lanes: int, words: int) -> None:
    """Write the seeds of lane words and the lanes that play; forget which goals were reached."""
    base = array_at(asked.base, (asked.begin_words,), np.int64)
    open_ = array_at(asked.open, (asked.begin_words,), np.int64)
    reached = array_at(asked.reached, (asked.reached_rows, asked.begin_words), np.int64)
    start = mixed(np.uint64(asked.seed))
    for word in range(words):
        base[word] = np.int64(mixed(start + np.uint64(word + 1) * _G1))
        open_[word] = np.int64(first_ones(lanes - 64 * word))
    for row in range(len(reached)):
        for word in range(words):
            reached[row, word] = 0


@uncounted
def _read_goals(
    reached: Any, goals: Any, goal_values: Any, leaf_of: Any, lanes: int, values: Any
) -> None:
    """Add up the goals of each leaf's lanes."""
    for leaf in range(len(values)):
        for role in range(values.shape[1]):
            values[leaf, role] = 0
    for goal in range(len(goals)):
        row, role = goals[goal, 0], goals[goal, 1]
        for word in range((lanes + 63) >> 6):
            rest = np.uint64(reached[row, word])
            while rest:
                values[leaf_of[64 * word + lowest_bit(rest)], role] += goal_values[goal]
                rest &= rest - _ONE


@uncounted
def _divide(values: Any, playouts: int) -> None:
    """Turn sums of goals, which are whole numbers, into means of 0..1."""
    for leaf in range(len(values)):
        for role in range(values.shape[1]):
            values[leaf, role] = np.float32(values[leaf, role] / (100.0 * playouts))
