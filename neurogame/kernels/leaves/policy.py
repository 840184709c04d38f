"""What playouts learn of moves, and how it makes them choose: MAST, N-grams, good replies.

They may also choose by the scores of a judge, alone or mixed with MAST.

A *context* is a hash of the moves that were chosen last: of one ply, or of two. Plies at which
nobody had a choice, and roles without one, leave none, so that in turn-taking games the context of
one ply is the opponent's last move.
"""

from __future__ import annotations

import math
from typing import final

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.kernels.leaves.move_scores import MoveScores, SearchJudge, no_scores
from neurogame.kernels.leaves.preference import SCALINGS
from neurogame.kernels.native.compiled import compiled, uncounted_inlined
from neurogame.kernels.native.layout import (
    Float32s1,
    Float32s2,
    Float64s2,
    Int32s1,
    Int32s2,
    Int64s1,
    UInt64s1,
    UInt64s2,
)
from neurogame.kernels.native.struct import Struct

UNIFORM, MAST, NST, LGR, SCORED = range(5)
KINDS = {"uniform": UNIFORM, "mast": MAST, "nst": NST, "lgr": LGR, "scored": SCORED}
_TABLE_BITS = 18


class Policy(Struct):
    """How playouts choose, with what has been learned; one type for all; one per thread.

    ``M`` moves of all roles, ``R`` roles, ``N`` leaves, ``T`` places of a table, ``A`` most moves
    of one role; ``A`` is 1 where there is no judge.

    Attributes:
        kind: ``UNIFORM``, ``MAST``, ``NST``, ``LGR`` or ``SCORED``.
        gibbs: 1 to draw by ``exp(100 mean / tau)``, 0 to take the best.
        epsilon: probability of any move instead.
        tau: temperature on the scale 0..100.
        blend: share of the judge's score in the score of a move, the rest being its mean.
        scaling: of the judge's scores, ``RANGE``, ``MAX`` or ``RAW``.
        visits: times that each move was made; float32 ``[M]``.
        sums: sum of its role's values; float32 ``[M]``.
        scores: mean of each move, 1 where it was never made; of Gibbs playouts without a judge
            the weight; ``[M]``.
        keys: context and move of each N-gram of two and three moves, 0 for none; uint64 ``[T]``.
        gram_visits: float32 ``[T]``.
        gram_sums: float32 ``[T]``.
        reply_keys: role and context of each good reply, 0 for none; uint64 ``[T]``.
        replies: the move; int32 ``[T]``.
        results: number and sum of each role's values so far; float64 ``[2, R]``.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        contexts: of each lane that plays, one and two plies back; uint64 ``[N, 2]``.
        lanes: which leaf each lane that plays is; int64 ``[N]``.
        legal: its packed legal moves; uint64 ``[N, Mw]``.
        counts: number of its legal moves of each role; int32 ``[N, R]``.
        chosen: the moves of one lane, -1 where there was no choice; int32 ``[R]``.
        estimates: float32 ``[N, R]``.
        gathered: lanes for which the judge is asked; int64 ``[N]``.
        marks: its scores; float32 ``[N, A]``.
        judge: of the moves.
        rules: of the playouts' own block.
        block: in which playouts make their steps.
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
    keys: UInt64s1
    gram_visits: Float32s1
    gram_sums: Float32s1
    reply_keys: UInt64s1
    replies: Int32s1
    results: Float64s2
    offsets: Int64s1
    contexts: UInt64s2
    lanes: Int64s1
    legal: UInt64s2
    counts: Int32s2
    chosen: Int32s1
    estimates: Float32s2
    gathered: Int64s1
    marks: Float32s2
    judge: MoveScores
    rules: StateMachine
    block: Block


@final
class PlayoutPolicy:
    """The Python object that owns a policy's memory.

    Attributes:
        policy: for compiled code; it must not outlive this object.
        steps: the rules and the block in which playouts make their steps.
        scores: the judge, or None.
    """

    def __init__(
        self,
        circuit: Circuit,
        leaves: int,
        *,
        kind: str = "uniform",
        choice: str = "greedy",
        epsilon: float | None = None,
        tau: float = 10.0,
        scores: SearchJudge | None = None,
        blend: float = 1.0,
        scaling: str = "range",
        backend: str | None = None,
    ) -> None:
        """Reserve memory; nothing is learned yet.

        Args:
            circuit: the game.
            leaves: most leaves at once, at least 1.
            kind: ``uniform``, ``mast``, ``nst``, ``lgr`` or ``scored``.
            choice: ``greedy`` or ``gibbs``.
            epsilon: probability of a uniform move instead, 0..1; None: 0.4 of ``greedy`` playouts.
            tau: temperature of Gibbs playouts on the scale 0..100; above 0.
            scores: the judge of ``scored`` playouts, for this policy alone.
            blend: share of the judge's score in the score of a move, 0..1.
            scaling: of the judge's scores: ``range``, ``max`` or ``raw``.
            backend: of the rules; None: chosen by their size.
        """
        moves, roles = circuit.move_count, len(circuit.roles)
        table = 1 << _TABLE_BITS
        widest = max(map(len, circuit.moves)) if scores is not None else 1
        grams, replies = (table if kind == name else 1 for name in ("nst", "lgr"))
        # The leaves' own block is the caller's; a playout's steps would overwrite it.
        self.steps = Leaves(circuit, leaves, depth=1, backend=backend)
        self.scores = scores
        self.policy = Policy(
            kind=KINDS[kind],
            gibbs=int(choice == "gibbs"),
            epsilon=(0.4 if choice == "greedy" else 0.0) if epsilon is None else float(epsilon),
            tau=float(tau),
            blend=float(blend),
            scaling=SCALINGS[scaling],
            visits=np.zeros(moves, np.float32),
            sums=np.zeros(moves, np.float32),
            scores=np.ones(moves, np.float32),
            keys=np.zeros(grams, np.uint64),
            gram_visits=np.zeros(grams, np.float32),
            gram_sums=np.zeros(grams, np.float32),
            reply_keys=np.zeros(replies, np.uint64),
            replies=np.zeros(replies, np.int32),
            results=np.zeros((2, roles)),
            offsets=np.cumsum([0, *(len(own) for own in circuit.moves)]).astype(np.int64),
            contexts=np.zeros((leaves, 2), np.uint64),
            lanes=np.zeros(leaves, np.int64),
            legal=np.zeros_like(self.steps.block.legal),
            counts=np.zeros((leaves, roles), np.int32),
            chosen=np.zeros(roles, np.int32),
            estimates=np.zeros((leaves, roles), np.float32),
            gathered=np.zeros(leaves, np.int64),
            marks=np.zeros((leaves, widest), np.float32),
            judge=no_scores() if scores is None else scores.scores,
            rules=self.steps.rules,
            block=self.steps.block,
        )
        decay(self.policy, 0.0)


@compiled
def decay(policy: Policy, keep: float) -> None:
    """Forget a part of what was learned of moves.

    Args:
        policy: of the playouts.
        keep: the part to keep, 0..1; 0 forgets everything, good replies too.
    """
    factor = np.float32(keep)
    for move in range(len(policy.visits)):
        policy.visits[move] *= factor
        policy.sums[move] *= factor
        policy.scores[move] = score(policy, policy.visits[move], policy.sums[move])
    for place in range(len(policy.keys)):
        policy.gram_visits[place] *= factor
        policy.gram_sums[place] *= factor
    for row in range(2):
        for role in range(policy.results.shape[1]):
            policy.results[row, role] *= keep
    if keep == 0:
        for place in range(len(policy.keys)):
            policy.keys[place] = 0
        for place in range(len(policy.reply_keys)):
            policy.reply_keys[place] = 0


@uncounted_inlined
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
