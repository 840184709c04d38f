"""Playout policies: how a search's playouts choose their moves, with what they learn."""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.judges.moves import no_scores
from neurogame.kernels.leaves.choosing import choose_learned, choose_scored
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.move_statistics import (
    MAST,
    SCORED,
    UNIFORM,
    Policy,
    forget,
    learn_all,
)
from neurogame.kernels.leaves.playouts import walk
from neurogame.kernels.leaves.preference import SCALINGS
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.native.entries import entry

KINDS = {"uniform": UNIFORM, "mast": MAST, "scored": SCORED}


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
    ) -> None:
        """Reserve memory; nothing is learned yet.

        Args:
            circuit: the game.
            leaves: most leaves at once, at least 1.
            kind: ``uniform``, ``mast`` or ``scored``.
            choice: ``greedy`` or ``gibbs``.
            epsilon: probability of a uniform move instead, 0..1; None: 0.4 of ``greedy`` playouts.
            tau: temperature of Gibbs playouts on the scale 0..100; above 0.
            scores: the judge of ``scored`` playouts, for this policy alone.
            blend: share of the judge's score in the score of a move, 0..1.
            scaling: of the judge's scores: ``range``, ``max`` or ``raw``.
        """
        moves, roles = circuit.move_count, len(circuit.roles)
        widest = max(map(len, circuit.moves)) if scores is not None else 1
        # The leaves' own block is the caller's; a playout's steps would overwrite it.
        self.steps = Leaves(circuit, leaves, depth=1, playouts=0)
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
            chance=-1 if circuit.chance is None else circuit.chance,
            offsets=circuit.move_offsets,
            lanes=np.zeros(leaves, np.int64),
            legal=np.zeros_like(self.steps.block.legal),
            counts=np.zeros((leaves, roles), np.int32),
            estimates=np.zeros((leaves, roles), np.float32),
            gathered=np.zeros(leaves, np.int64),
            marks=np.zeros((leaves, widest), np.float32),
            judge=no_scores() if scores is None else scores.scores,
            rules=self.steps.rules,
            block=self.steps.block,
            walk=entry(walk),
            choose=entry(choose_scored if kind == "scored" else choose_learned),
            learn_all=entry(learn_all),
            leaves=self.steps.block,
        )


def decay(policy: Policy, keep: float) -> None:
    """Forget a part of what was learned of moves.

    Args:
        policy: of the playouts.
        keep: the part to keep, 0..1; 0 forgets everything.
    """
    policy.keep = keep
    entry(forget)(policy)
