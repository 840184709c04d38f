"""The rules of a game for compiled code: successors, looks and uniform playouts of a block."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from neurogame.kernels.leaves.request import LOOK, STEP, UNIFORM
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.compiled import compiled


class Rules(NamedTuple):
    """The rules as compiled code takes them: one type for all games; one per thread.

    They belong to the block of the same :class:`~neurogame.kernels.leaves.leaves.Leaves`.

    Attributes:
        request: see :data:`~neurogame.kernels.leaves.request.REQUEST`; ``[1]``.
    """

    request: npt.NDArray[np.void]


@compiled
def step(rules: Any, block: Any, count: int) -> None:
    """Make the joint moves of the first leaves: fills states, hashes, lanes and what is seen."""
    request = rules.request[0]
    request.task, request.count = STEP, count
    call_address(request.step, rules.request.ctypes.data)


@compiled
def look(rules: Any, block: Any, count: int) -> None:
    """Look at the first leaves' ``states``: fills hashes, lanes, legal moves, ends and goals."""
    request = rules.request[0]
    request.task, request.count = LOOK, count
    call_address(request.look, rules.request.ctypes.data)


@compiled
def play_uniform(rules: Any, block: Any, count: int, seed: int, plies: int) -> None:
    """Play the first leaves' states on at random; fills ``values``.

    Args:
        rules: the game.
        block: the leaves, as the last :func:`step` or :func:`look` left them.
        count: number of leaves.
        seed: any integer, different for every call.
        plies: most plies of a playout; where it is reached, the goals of that state count.
    """
    request = rules.request[0]
    request.task, request.count, request.seed, request.plies = UNIFORM, count, seed, plies
    call_address(request.uniform, rules.request.ctypes.data)


@compiled
def failed(rules: Any) -> bool:
    """Return whether a call has failed, after which what is in the block means nothing."""
    found: bool = rules.request[0].failed != 0
    return found
