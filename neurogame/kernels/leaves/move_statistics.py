"""What a playout policy knows of moves, and how it learns from finished simulations (MAST).

A policy (:class:`Policy`) makes moves by their means (MAST), by the scores of a judge, alone or
mixed with means, or at random. Searches call :func:`learn`.

*Reference:* Finnsson and Bjornsson, "Simulation-based approach to general game playing", 2008.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from neurogame.array_types import Float32s1, Float32s2, Int32s2, Int64s1, UInt64s2
from neurogame.judges.moves import MoveScores
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.native.compiled import compiled, inner
from neurogame.native.struct import Struct

_HALF = np.float32(0.5)
_MANY = np.float32(1 << 23)
"""Results from which both sums are halved, which keeps the mean: one more would soon be below their
precision."""
UNIFORM, MAST, SCORED = range(3)
"""What a policy chooses moves by."""


class Policy(Struct):
    """How playouts choose, with what has been learned; one type for all; one per thread.

    ``M`` moves of all roles, ``R`` roles, ``N`` leaves, ``A`` most moves of one role; ``A`` is 1
    where there is no judge.

    Attributes:
        kind: ``UNIFORM``, ``MAST`` or ``SCORED``.
        gibbs: 1 to draw by ``exp(100 mean / tau)``, 0 to take the best.
        epsilon: probability of any move instead.
        tau: temperature on the scale 0..100.
        blend: share of the judge's score in the score of a move, the rest being its mean.
        scaling: of the judge's scores, ``RANGE``, ``MAX`` or ``RAW``.
        visits: times that each move was made; float32 ``[M]``.
        sums: sum of its role's values; float32 ``[M]``.
        scores: mean of each move, 1 where it was never made; of Gibbs playouts without a judge
            the weight; ``[M]``.
        chance: the role that is chance, whose moves are always random; -1 if there is none.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        lanes: which leaf each lane that plays is; int64 ``[N]``.
        legal: its packed legal moves; uint64 ``[N, Mw]``.
        counts: number of its legal moves of each role; int32 ``[N, R]``.
        estimates: an evaluator's values of the states in which playouts were cut; float32
            ``[N, R]``.
        gathered: lanes for which the judge is asked; int64 ``[N]``.
        marks: its scores; float32 ``[N, A]``.
        judge: of the moves.
        rules: of the playouts' own block.
        block: in which playouts make their steps.
        walk: plays the lanes on, as :mod:`~neurogame.kernels.leaves.playouts` says.
        choose: chooses the moves of one ply, as :mod:`~neurogame.kernels.leaves.choosing` says.
        learn_all: see :func:`learn`.
        leaves: given: the caller's block.
        count: given: number of leaves.
        seed: given: of the playouts.
        plies: given: most plies.
        ply: given: number of the ply in which moves are chosen.
        left: number of lanes that play.
        keep: given: the part of what was learned that is not forgotten, 0..1.
    """

    kind: int
    gibbs: int
    epsilon: float
    tau: float
    blend: float
    scaling: int
    visits: Float32s1
    sums: Float32s1
    scores: Float32s1
    chance: int
    offsets: Int64s1
    lanes: Int64s1
    legal: UInt64s2
    counts: Int32s2
    estimates: Float32s2
    gathered: Int64s1
    marks: Float32s2
    judge: MoveScores
    rules: StateMachine
    block: Block
    walk: Callable[[Policy], None]
    choose: Callable[[Policy], None]
    learn_all: Callable[[Policy], None]
    leaves: Block
    count: int = 0
    seed: int = 0
    plies: int = 0
    ply: int = 0
    left: int = 0
    keep: float = 0.0


@compiled
def learn(policy: Policy, block: Block, count: int) -> None:
    """Learn of the moves of the first leaves' simulations, of the tree and the playout alike.

    Args:
        policy: of the playouts.
        block: with ``path`` and ``depth``, ``made`` and ``plies``, and ``values``; a leaf of a
            depth below 0 is left out.
        count: number of leaves.
    """
    if policy.kind == UNIFORM or (policy.kind == SCORED and policy.blend >= 1):
        return
    policy.leaves, policy.count = block, count
    policy.learn_all(policy)


def learn_all(policy: Policy) -> None:
    """Learn of the moves of the given leaves' simulations; see :func:`learn`."""
    block, depth = policy.leaves, policy.leaves.depth
    for lane in range(policy.count):
        if depth[lane] >= 0:
            _learn_simulation(policy, block, lane)


@inner
def _learn_simulation(policy: Policy, block: Block, lane: int) -> None:
    depth, plies = block.depth[lane], min(block.plies[lane], block.made.shape[1])
    for ply in range(depth + plies):
        for role in range(len(policy.offsets) - 1):
            if ply < depth:
                move = block.path[lane, ply, role]
            else:
                move = block.made[lane, ply - depth, role]
            if move >= 0:
                _learn_move(policy, move, block.values[lane, role])


@inner
def _learn_move(policy: Policy, move: int, value: float) -> None:
    if policy.visits[move] >= _MANY:
        policy.visits[move] *= _HALF
        policy.sums[move] *= _HALF
    policy.visits[move] += np.float32(1)
    policy.sums[move] += np.float32(value)
    policy.scores[move] = score(policy, policy.visits[move], policy.sums[move])


def forget(policy: Policy) -> None:
    """Forget a part of what was learned of moves."""
    factor = np.float32(policy.keep)
    for move in range(len(policy.visits)):
        policy.visits[move] *= factor
        policy.sums[move] *= factor
        policy.scores[move] = score(policy, policy.visits[move], policy.sums[move])


@inner
def score(policy: Policy, visits: np.float32, sums: np.float32) -> np.float32:
    """Return what a move with such a mean counts for; an unknown one counts as always won.

    *Reference:* Finnsson and Bjornsson, "Simulation-based approach to general game playing", 2008
    (MAST, Gibbs); Tak, Winands and Bjornsson, "N-grams and the last-good-reply policy applied in
    general game playing", 2012 (epsilon-greedy is stronger).
    """
    mean = sums / visits if visits > np.float32(1e-3) else np.float32(1.0)
    if policy.gibbs and policy.kind != SCORED:
        # Of a mean of 1 it is 1, so that no weight overflows.
        return np.float32(math.exp(100.0 * (mean - 1.0) / policy.tau))
    return np.float32(mean)
