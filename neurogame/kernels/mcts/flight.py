"""The simulations of a block, on their way down the tree and up again."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from neurogame.kernels.mcts.tree import Narrow, Reals, Wide

LOGARITHMS = 4096
"""Counts whose ``sqrt(ln n)`` is looked up."""

LINK, PLACE, LENGTH, END, NODE, LANE, REFERENCE, BACK, HERE, ACTIVE, RIDER = range(11)
"""Columns of a simulation's row: where it has arrived, a link as in the tree; the word where that
link stands, 0 if in the table of joint moves; plies of its path; how that ends; the node where it
ends, 0 if it is not in the tree; its leaf of the block; GRAVE's table; whether its path has led
from a node to an older one; the record where it is, 0 if its path has ended. The last two are lists
of simulations: those still on their way down, and those of the leaves."""
_COLUMNS = 16

STEP, AGAIN, OVER = 0, 1, 2
"""How a path ends: by a joint move to a state that is to be inserted in the tree, by one to a state
that is not, or in a node with proved values."""


class Total(IntEnum):
    """Places in ``Flight.totals``."""

    SIMULATIONS = 0
    BLOCKS = 1
    """Also the number of the next block's random words."""
    PLAYOUTS = 2
    EVALUATIONS = 3
    CREATED = 4
    """Nodes made."""
    LONGEST = 5
    """Plies of the longest path."""
    PLIES = 6
    """Plies of all paths."""
    SELECT = 7
    """Nanoseconds, like the following."""
    RULES = 8
    INSERT = 9
    PLAY = 10
    EVALUATE = 11
    BACK_UP = 12
    PACE = 13
    """Where the time is limited the next block has 2 to the power of this simulations at most."""
    COUNT = 14
    """Simulations of the present block."""
    LEAVES = 15
    """Those of them that have a leaf."""
    TIMES = 16
    """Nanoseconds that blocks take at each pace, 0 where that is unknown; the first of
    :data:`PACES`."""


PACES = 10
"""Number of paces."""
TOTALS = Total.TIMES + PACES
"""Length of ``Flight.totals``."""


class Flight(NamedTuple):
    """The simulations of a block, at most ``S``, each with a path of at most ``D`` plies.

    Attributes:
        sims: what is known of each; int32 ``[S, 16]``.
        paths: of each ply of each simulation: record, and the slots of the deciding roles; int32
            ``[D, S, 1 + R]``.
        value: what each brings back; float32 ``[S, R]``.
        estimate: evaluator's values of the leaves; float32 ``[S, R]``.
        mark: last simulation in which a move was seen; int64 ``[M]``.
        scratch: legal moves of one state, or moves seen in a simulation; int32 ``[M + R]``.
        logarithm: ``sqrt(ln n)`` of small numbers; float32.
        totals: int64 ``[TOTALS]``, see :class:`Total`.
    """

    sims: Narrow
    paths: Narrow
    value: Reals
    estimate: Reals
    mark: Wide
    scratch: Narrow
    logarithm: Reals
    totals: Wide


def make_flight(*, simulations: int, depth: int, roles: int, moves: int) -> Flight:
    """Reserve memory.

    Args:
        simulations: ``S``, at least 1.
        depth: ``D``, at least 1.
        roles: ``R``.
        moves: ``M``.
    """
    counts = np.maximum(np.arange(LOGARITHMS), 1).astype(np.float32)
    return Flight(
        sims=np.zeros((simulations, _COLUMNS), np.int32),
        paths=np.zeros((depth, simulations, 1 + roles), np.int32),
        value=np.zeros((simulations, roles), np.float32),
        estimate=np.zeros((simulations, roles), np.float32),
        mark=np.zeros(moves, np.int64),
        scratch=np.zeros(moves + roles, np.int32),
        logarithm=np.sqrt(np.log(counts)),
        totals=np.zeros(TOTALS, np.int64),
    )
