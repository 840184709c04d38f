"""What compiled searches ask of the rules, as memory that both sides know."""

from __future__ import annotations

import ctypes
from typing import Any

import numba as _numba
import numpy as np
import numpy.typing as npt

from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.memory import build_array
from neurogame.kernels.native.compiled import written

# It is not annotated.
numba: Any = _numba

FUNCTIONS = ("step", "look", "uniform")
"""Addresses of what is called with the request's address."""

_CALL = ("kind", "task", "failed", "count", "seed", "plies")
"""``kind``: whether the functions are compiled or one function of Python; ``task``: which of them
is called; ``failed``: not 0 once a call has failed; ``count``: number of leaves; ``seed`` and
``plies`` of playouts."""

_SIZES = (
    *("leaves", "fluents", "moves", "roles", "state_words", "move_words", "lane_words"),
    *("path_plies", "made_plies"),
)
"""Of the block."""

_ARRAYS = Block._fields
"""Addresses of the block's arrays."""

_RULES = (
    *("evaluate", "arguments", "cells", "cell_count", "cell_words", "first_move"),
    *("fluent_cells", "legal_cells", "terminal_cell"),
    *("goal_count", "goal_cells", "goal_values", "order", "space"),
)
"""What makes moves and looks at states. ``evaluate``: the function, ``arguments``: its own;
``cells``: its memory, ``cell_count`` cells of ``cell_words`` words, those of the fluents first;
``first_move``: the first of the cells that take the moves made; ``fluent_cells``,
``legal_cells``, ``terminal_cell``: where fluents, legal moves and ends are found;
``goal_cells``, ``goal_values``: cell and role, and goal / 100, of each of ``goal_count`` goals
above 0, the highest of a role first; ``order``: 0, 1, 2, ...; ``space``: to work in."""

_PLAYOUTS = (
    *("play", "play_arguments", "block_words", "playouts", "leaf_of", "begin", "begin_words"),
    *("base", "open", "reached", "reached_rows", "reached_goals", "reached_values"),
)
"""What plays at random. ``play``: the function, ``play_arguments``: its own; ``block_words``: lane
words that it plays at once; ``playouts``: of each leaf; ``leaf_of``: leaf of each lane; ``begin``:
the states as rows of ``begin_words`` words, with one playout per leaf those of the block; ``base``,
``open``: seeds of the lane words and lanes that play; ``reached``: lanes that reached a goal,
``reached_rows`` rows; ``reached_goals``, ``reached_values``: row and role of each goal above 0, and
goal / 100, with several playouts per leaf the goal."""

_GROUPS = {"": (*FUNCTIONS, *_CALL, *_SIZES, *_RULES, *_PLAYOUTS), "at_": _ARRAYS}

REQUEST = np.dtype(
    [(prefix + name, np.int64) for prefix, names in _GROUPS.items() for name in names]
)
"""Numbers and addresses; addresses of the block's arrays begin with ``at_``."""

COMPILED, CALLBACK = 0, 1
"""Kinds."""

STEP, LOOK, UNIFORM = 0, 1, 2
"""Tasks."""


def new_request(kind: int, block: Block, *kept: object) -> npt.NDArray[np.void]:
    """Return a request; ``[1]``.

    Args:
        kind: :data:`COMPILED` or :data:`CALLBACK`.
        block: the leaves.
        kept: what else must live as long as the request.
    """
    memory: Any = (ctypes.c_char * REQUEST.itemsize)()
    memory.kept = block, kept
    request = np.frombuffer(memory, REQUEST)
    request["kind"] = kind
    request["leaves"], request["state_words"] = block.states.shape
    request["fluents"], request["lane_words"] = block.lanes.shape
    request["move_words"], request["roles"] = block.legal.shape[1], block.goals.shape[1]
    request["path_plies"], request["made_plies"] = block.path.shape[1], block.made.shape[1]
    for name, array in block._asdict().items():
        request[f"at_{name}"] = array.ctypes.data
    return request


@written
def request_at(typing: Any, address: Any) -> Any:
    """Return the request at an address, as an array of one."""
    kind = numba.types.Array(numba.from_dtype(REQUEST), 1, "C")

    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        one = context.get_constant(numba.types.intp, 1)
        return build_array(context, builder, kind, values[0], [one])

    return kind(numba.types.int64), generate
