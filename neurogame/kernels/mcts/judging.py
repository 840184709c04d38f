"""Memory for nodes that a judge of moves is to give priors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from neurogame.kernels.leaves.move_scores import MoveScores, no_scores
from neurogame.kernels.mcts.tree import Narrow, Reals, Wide


class Judging(NamedTuple):
    """Nodes whose priors are wanted, at most ``S`` at once.

    ``Fw`` and ``Mw`` words of a packed state and of packed legal moves, ``A`` most moves of one
    role, ``M`` moves of all roles.

    Attributes:
        function: address of what gives them their priors, called with the search's; int64
            ``[1]``.
        queue: how many there are, then their records; int32 ``[S + 1]``.
        scores: the judge.
        rows: 0, 1, 2, ... in the order in which a role's nodes are scored; int64 ``[S]``.
        states: of the nodes, packed; uint64 ``[S, Fw]``.
        legal: their legal moves, packed; uint64 ``[S, Mw]``.
        marks: scores; float32 ``[S, A]``.
        places: which legal move of its role a move is; int32 ``[M]``.
        order: of slots; int32 ``[2, A]``.
        columns: a copy of an array of slots; int32 ``[A]``.
    """

    function: Wide
    queue: Narrow
    scores: MoveScores
    rows: Wide
    states: npt.NDArray[np.uint64]
    legal: npt.NDArray[np.uint64]
    marks: Reals
    places: Narrow
    order: Narrow
    columns: Narrow


def make_judging(
    *, scores: MoveScores, function: int, nodes: int, fluents: int, offsets: tuple[int, ...]
) -> Judging:
    """Reserve memory.

    Args:
        scores: the judge.
        function: see :class:`Judging`.
        nodes: ``S``, at least 1.
        fluents: of the game.
        offsets: first move of each role, and the number of moves.
    """
    widest = int(np.diff(offsets).max(initial=1))
    return Judging(
        function=np.array([function], np.int64),
        queue=np.zeros(nodes + 1, np.int32),
        scores=scores,
        rows=np.zeros(nodes, np.int64),
        states=np.zeros((nodes, (fluents + 63) // 64), np.uint64),
        legal=np.zeros((nodes, (offsets[-1] + 63) // 64), np.uint64),
        marks=np.zeros((nodes, widest), np.float32),
        places=np.zeros(offsets[-1], np.int32),
        order=np.zeros((2, widest), np.int32),
        columns=np.zeros(widest, np.int32),
    )


def no_judging() -> Judging:
    """Return what stands for a judge where no node gets priors."""
    return make_judging(scores=no_scores(), function=0, nodes=1, fluents=1, offsets=(0, 1))
