"""What playouts learn of moves, and how it makes them choose: MAST, N-grams, good replies.

A *context* is a hash of the moves that were chosen last: of one ply, or of two. Plies at which
nobody had a choice, and roles without one, leave none, so that in turn-taking games the context of
one ply is the opponent's last move.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.compiled import compiled, uncounted_inlined
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.rules import Rules

Reals = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]

UNIFORM, MAST, NST, LGR = range(4)
KINDS = {"uniform": UNIFORM, "mast": MAST, "nst": NST, "lgr": LGR}
_TABLE_BITS = 18


class Policy(NamedTuple):
    """How playouts choose, with what has been learned; one numba type for all; one per thread.

    ``M`` moves of all roles, ``R`` roles, ``N`` leaves, ``T`` places of a table.

    Attributes:
        kind: ``UNIFORM``, ``MAST``, ``NST`` or ``LGR``.
        gibbs: 1 to draw by ``exp(100 mean / tau)``, 0 to take the best but for ``epsilon``.
        epsilon: probability of any move.
        tau: temperature on the scale 0..100.
        visits: times that each move was made; float32 ``[M]``.
        sums: sum of its role's values; float32 ``[M]``.
        scores: mean of each move, 1 where it was never made; of Gibbs playouts the weight; ``[M]``.
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
        chosen: the moves of one lane, -1 where there was no choice; int32 ``[R]``.
        estimates: float32 ``[N, R]``.
        rules: of the playouts' own block.
        block: in which playouts make their steps.
    """

    kind: int
    gibbs: int
    epsilon: float
    tau: float
    visits: Reals
    sums: Reals
    scores: Reals
    keys: Words
    gram_visits: Reals
    gram_sums: Reals
    reply_keys: Words
    replies: Numbers
    results: npt.NDArray[np.float64]
    offsets: Integers
    contexts: Words
    lanes: Integers
    legal: Words
    chosen: Numbers
    estimates: Reals
    rules: Rules
    block: Block


@final
class PlayoutPolicy:
    """The Python object that owns a policy's memory.

    Attributes:
        policy: for compiled code; it must not outlive this object.
        steps: the rules and the block in which playouts make their steps.
    """

    def __init__(
        self,
        circuit: Circuit,
        leaves: int,
        *,
        kind: str = "uniform",
        choice: str = "greedy",
        epsilon: float = 0.4,
        tau: float = 10.0,
        backend: str | None = None,
    ) -> None:
        """Reserve memory; nothing is learned yet.

        Args:
            circuit: the game.
            leaves: most leaves at once, at least 1.
            kind: ``uniform``, ``mast``, ``nst`` or ``lgr``.
            choice: ``greedy`` or ``gibbs``.
            epsilon: probability of a uniform move in greedy playouts, 0..1.
            tau: temperature of Gibbs playouts on the scale 0..100; above 0.
            backend: of the rules; None: chosen by their size.
        """
        moves, roles = circuit.move_count, len(circuit.roles)
        table = 1 << _TABLE_BITS
        grams, replies = (table if kind == name else 1 for name in ("nst", "lgr"))
        # The leaves' own block is the caller's; a playout's steps would overwrite it.
        self.steps = Leaves(circuit, leaves, depth=1, backend=backend)
        self.policy = Policy(
            kind=KINDS[kind],
            gibbs=int(choice == "gibbs"),
            epsilon=float(epsilon),
            tau=float(tau),
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
            chosen=np.zeros(roles, np.int32),
            estimates=np.zeros((leaves, roles), np.float32),
            rules=self.steps.rules,
            block=self.steps.block,
        )
        decay(self.policy, 0.0)


@compiled
def decay(policy: Any, keep: float) -> None:
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
    for index in range(policy.results.size):
        policy.results.flat[index] *= keep
    if keep == 0:
        policy.keys[:] = 0
        policy.reply_keys[:] = 0


@uncounted_inlined
def score(policy: Any, visits: Any, sums: Any) -> Any:
    """Return what a move with such a mean counts for; an unknown one counts as always won.

    *Reference:* Finnsson and Bjornsson, "Simulation-based approach to general game playing", 2008
    (MAST, Gibbs); Tak, Winands and Bjornsson, "N-grams and the last-good-reply policy applied in
    general game playing", 2012 (epsilon-greedy is stronger).
    """
    mean = sums / visits if visits > np.float32(1e-3) else np.float32(1.0)
    if policy.gibbs:
        # Of a mean of 1 it is 1, so that no weight overflows.
        return np.float32(math.exp(100.0 * (mean - 1.0) / policy.tau))
    return np.float32(mean)
