"""What a policy learns of a finished simulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.leaves.context import push_context
from neurogame.kernels.leaves.grams import learn_grams
from neurogame.kernels.leaves.policy import LGR, NST, SCORED, UNIFORM, score
from neurogame.kernels.leaves.replies import learn_reply
from neurogame.kernels.native.compiled import uncounted, uncounted_inlined


@uncounted
def learn(policy: Any, block: Any, count: int) -> None:
    """Learn of the moves of the first leaves' simulations, of the tree and the playout alike.

    Args:
        policy: of the playouts.
        block: with ``path`` and ``depth``, ``made`` and ``plies``, and ``values``; a leaf of a
            depth below 0 is left out.
        count: number of leaves.
    """
    if policy.kind == UNIFORM or (policy.kind == SCORED and policy.blend >= 1):
        return
    for lane in range(count):
        if block.depth[lane] >= 0:
            _learn_simulation(policy, block, lane)


@uncounted_inlined
def _learn_simulation(policy: Any, block: Any, lane: int) -> None:
    policy.contexts[0, 0] = policy.contexts[0, 1] = 0
    depth, plies = block.depth[lane], min(block.plies[lane], block.made.shape[1])
    for ply in range(depth + plies):
        for role in range(len(policy.chosen)):
            if ply < depth:
                policy.chosen[role] = block.path[lane, ply, role]
            else:
                policy.chosen[role] = block.made[lane, ply - depth, role]
        for role in range(len(policy.chosen)):
            if policy.chosen[role] >= 0:
                _learn_move(policy, role, policy.chosen[role], block.values[lane, role])
        push_context(policy, 0)
    for role in range(len(policy.chosen)):
        policy.results[0, role] += 1
        policy.results[1, role] += block.values[lane, role]


@uncounted_inlined
def _learn_move(policy: Any, role: int, move: int, value: float) -> None:
    """Learn of one move, made after the contexts of row 0."""
    policy.visits[move] += np.float32(1)
    policy.sums[move] += np.float32(value)
    policy.scores[move] = score(policy, policy.visits[move], policy.sums[move])
    if policy.kind == NST:
        learn_grams(policy, 0, move, value)
    elif policy.kind == LGR:
        games = policy.results[0, role]
        usual = policy.results[1, role] / games if games > 0 else 0.5
        learn_reply(policy, 0, role, move, value - usual)
