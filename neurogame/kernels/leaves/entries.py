"""Functions that are called by their address, with the address of a request.

So a search core is compiled once, whatever the game, and without the code behind these.
"""

from __future__ import annotations

from typing import Any

import numba as _numba
import numpy as np

from neurogame.kernels.compiled import uncounted_inlined
from neurogame.kernels.leaves.block import make_block
from neurogame.kernels.leaves.machine import Machine, look_at, make_moves
from neurogame.kernels.leaves.request import request_at
from neurogame.kernels.leaves.uniform import Playouts, play_on
from neurogame.kernels.neural.by_address import loader

# It is not annotated.
numba: Any = _numba


def step_leaves(address: int) -> None:
    """Make the moves of the request at an address."""
    _step(address)


def look_at_leaves(address: int) -> None:
    """Look at the states of the request at an address."""
    _look(address)


def play_leaves(address: int) -> None:
    """Play the leaves of the request at an address on at random."""
    _play(address)


@uncounted_inlined
def _step(address: int) -> None:
    request = request_at(address)[0]
    make_moves(_load_machine(request.machine), request.count)


@uncounted_inlined
def _look(address: int) -> None:
    request = request_at(address)[0]
    look_at(_load_machine(request.machine), request.count)


@uncounted_inlined
def _play(address: int) -> None:
    request = request_at(address)[0]
    play_on(_load_playouts(request.playouts), request.count, request.seed, request.plies)


def _examples() -> tuple[Machine, Playouts]:
    """Return what shows numba the types."""
    block = make_block(leaves=1, fluents=1, moves=1, roles=1, lane_words=1, depth=1, plies=1)
    flat, wide = np.zeros(1, np.int64), np.zeros((1, 1), np.int64)
    reals = np.zeros(1, np.float32)
    machine = Machine(block, 0, flat, wide, flat, wide, flat, 0, wide, reals, flat)
    playouts = Playouts(block, 0, flat, 1, flat, 1, wide, flat, flat, wide, wide, reals)
    return machine, playouts


_MACHINE, _PLAYOUTS = _examples()
_load_machine = loader(numba.typeof(_MACHINE))
_load_playouts = loader(numba.typeof(_PLAYOUTS))
