"""Sums over fluents, and of looked-up rows, as a rules network whose weights are given.

What is a sum over fluents goes into one hidden unit for each output, far above its threshold, and a
constant is a look-up that nothing changes. So searches value it by differences, as what has been
learned, and learning can go on from it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from neurogame.array_types import Float32s, Float64s, Int64s
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.layout import bare_layout


def sum_network(
    constant: Float32s | Float64s,
    linear: Float32s | Float64s,
    lookups: Sequence[tuple[Int64s, Float32s | Float64s]],
    *,
    roles: int,
    modes: Sequence[int] = (),
    opposed: bool,
) -> RulesNetwork:
    """Return the evaluator whose log-odds are sums; ``M`` modes, ``O`` outputs, ``F`` fluents.

    States are seen as they are, in each mode by weights of its own.

    Args:
        constant: what is added in every state; ``[M, O]``.
        linear: what fluents add that hold; ``[M, O, F]``.
        lookups: of each by how much fluents raise its row, ``[F]``, and what its rows add,
            ``[M, O, n]``.
        roles: of the game.
        modes: fluents of which always one holds and says which mode it is; none: one mode.
        opposed: whether there is one output, for the first of two roles.
    """
    count, outputs, fluents = linear.shape
    above = np.abs(linear).sum(axis=2) + 1.0
    columns = [np.zeros(fluents, np.int64), *(column for column, _ in lookups)]
    blocks = [(constant - above)[:, :, None], *(rows for _, rows in lookups)]
    sizes = np.array([block.shape[2] for block in blocks], np.int64)
    ends, seen = np.cumsum(sizes), np.tile(np.arange(fluents), (count, 1))
    layout = bare_layout(
        mode_fluent=np.array(modes, np.int64),
        seen_as=seen,
        weights=np.arange(count),
        turn=np.tile(np.arange(outputs), (count, 1)),
        sign=np.ones(count),
        images=seen[:, None],
        opposed=opposed,
    ).with_lookups(np.stack(columns, axis=1), ends - sizes, ends - 1)
    config = RulesNetworkConfig(hidden=outputs, lookups=len(blocks), rules=0.0)
    evaluator = RulesNetwork(roles, layout, config, 0)
    with torch.no_grad():
        evaluator.tables.copy_(torch.from_numpy(np.concatenate(blocks, axis=2)))
        evaluator.embedding.copy_(torch.from_numpy(linear.transpose(0, 2, 1)))
        evaluator.bias.copy_(torch.from_numpy(above))
        evaluator.readout.copy_(torch.eye(outputs).expand(count, -1, -1))
    return evaluator
