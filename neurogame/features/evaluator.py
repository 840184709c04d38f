"""Features as an evaluator: one made of parts, with their weights in place of learned ones.

What is a sum over fluents goes into one hidden unit for each output, far above its threshold, and
look-ups stay look-ups. So searches value it by differences, as what has been learned, and learning
can go on from it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from neurogame.circuit.circuit import HasCircuit
from neurogame.evaluators.parts.build import describe_parts
from neurogame.evaluators.parts.config import PartsConfig
from neurogame.evaluators.parts.evaluator import PartsEvaluator
from neurogame.evaluators.parts.layout import PartsLayout, PartsSizes
from neurogame.features.feature import Feature, Reals


def feature_evaluator(
    game: HasCircuit,
    features: Sequence[Feature],
    weights: Reals,
    constants: Reals,
    *,
    opposed: bool,
) -> PartsEvaluator:
    """Return the evaluator whose logit is a weighted sum of features.

    Args:
        game: the game.
        features: none that reads moves or goals.
        weights: float32 ``[O, K]``; one output, of the first role, if opposed, else one per role.
        constants: float32 ``[O]``.
        opposed: whether there are two roles whose goals always add up to 100.
    """
    circuit = game.circuit
    fluents, outputs = len(circuit.fluents), len(constants)
    linear = weights @ np.stack([own.fluents for own in features])
    rows: dict[bytes, tuple[np.ndarray, int, np.ndarray]] = {}
    for number, own in enumerate(features):
        tables = own.lookups
        if tables is None:
            continue
        for lookup, first in enumerate(tables.first.tolist()):
            mine = np.flatnonzero(tables.lookup == lookup)
            column = np.zeros(fluents, np.int32)
            column[tables.fluent[mine]] = tables.addend[mine]
            size = int(column.sum()) + 1
            values = tables.values[first : first + size]
            share = weights[:, number, None] * values[None]
            key = column.tobytes()
            if key in rows:
                rows[key][2][:] += share
            else:
                rows[key] = (column, size, share.copy())
    # A constant is a look-up that nothing changes.
    above = np.abs(linear).sum(axis=1) + 1.0
    constant = (constants - above).astype(np.float32)
    columns = [np.zeros(fluents, np.int32), *(column for column, _, _ in rows.values())]
    sizes = np.array([1, *(size for _, size, _ in rows.values())])
    tables_of = np.concatenate([constant[:, None], *(own for _, _, own in rows.values())], axis=1)
    ends = np.cumsum(sizes)
    addends = np.stack(columns, axis=1)
    where, lookups = np.nonzero(addends)
    layout = PartsLayout(
        sizes=PartsSizes(
            fluents=fluents,
            modes=1,
            mode_fluents=0,
            sets=1,
            outputs=outputs,
            lookups=len(sizes),
            addends=len(where),
            rows=int(ends[-1]),
            images=1,
            opposed=opposed,
        ),
        mode_fluent=np.zeros(0, np.int32),
        seen_as=np.arange(fluents, dtype=np.int32)[None],
        weights=np.zeros(1, np.int32),
        turn=np.arange(outputs, dtype=np.int32)[None],
        sign=np.ones(1, np.float32),
        start=np.searchsorted(where, np.arange(fluents + 1)).astype(np.int32),
        lookup=lookups.astype(np.int32),
        addend=addends[where, lookups].astype(np.int32),
        first=(ends - sizes).astype(np.int32),
        last=(ends - 1).astype(np.int32),
        images=np.arange(fluents, dtype=np.int32)[None, None],
    )
    config = PartsConfig(logic="none", hidden=outputs, lookups=len(sizes), detectors=0.0)
    found = PartsEvaluator(
        len(circuit.roles), layout, None, outputs, describe_parts(layout.sizes, config, 0)
    )
    with torch.no_grad():
        found.tables.copy_(torch.from_numpy(tables_of)[None])
        found.embedding.copy_(torch.from_numpy(linear.T.astype(np.float32))[None])
        found.bias.copy_(torch.from_numpy(above.astype(np.float32))[None])
        found.readout.copy_(torch.eye(outputs)[None])
    return found
