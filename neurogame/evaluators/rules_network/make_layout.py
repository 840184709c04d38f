"""Making a layout from the structure of a game."""

from __future__ import annotations

import numpy as np

from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.layout import (
    RulesNetworkLayout,
    RulesNetworkSizes,
    by_fluent,
)
from neurogame.evaluators.rules_network.perspective import find_perspectives
from neurogame.structure.patterns import draw_patterns
from neurogame.structure.structure import Structure

MOST_IMAGES = 64
"""Symmetries under which embeddings see positions, at most: each takes a row of fluents."""


def make_layout(
    structure: Structure, config: RulesNetworkConfig, *, opposed: bool, seed: int
) -> RulesNetworkLayout:
    """Return the rows that states of a game read, and their perspectives.

    Args:
        structure: of the game.
        config: which look-ups there are.
        opposed: whether there are two roles whose goals always add up to 100.
        seed: decides which patterns are drawn.
    """
    seen = find_perspectives(structure, mode=config.mode, symmetries=config.symmetries)
    roles, fluents = len(structure.symmetries[0].roles), len(structure.variable_of)
    counts = structure.variable_of >= 0
    if structure.mode is not None and config.mode:
        counts = counts & (structure.variable_of != structure.mode.variable)
    view = np.stack([np.where(counts, v.fluents, -1) for v in seen.views])
    images = np.stack(
        [
            [np.where(counts, g.fluents[v.fluents], -1) for g in seen.kept[:MOST_IMAGES]]
            for v in seen.views
        ]
    )
    outputs = 1 if opposed else roles
    turn = [np.zeros(1) if opposed else v.roles for v in seen.views]
    sign = [-1.0 if opposed and v.roles[0] != 0 else 1.0 for v in seen.views]
    patterns = draw_patterns(
        structure,
        seen.kept,
        seed=seed,
        lookups=config.lookups,
        length=config.longest,
        most_values=config.most_values,
        line_share=config.line_share,
    )
    start, lookup, addend = by_fluent(patterns.addends)
    ends = np.cumsum(patterns.table_size)
    first = (ends - patterns.table_size)[patterns.table]
    return RulesNetworkLayout(
        sizes=RulesNetworkSizes(
            fluents=fluents,
            modes=len(view),
            mode_fluents=len(seen.fluents),
            sets=int(seen.weights.max()) + 1,
            outputs=outputs,
            lookups=len(first),
            addends=len(lookup),
            rows=int(ends[-1]) if len(ends) else 1,
            images=images.shape[1],
            opposed=opposed,
        ),
        mode_fluent=seen.fluents.astype(np.int32),
        seen_as=view.astype(np.int32),
        weights=seen.weights.astype(np.int32),
        turn=np.stack(turn).astype(np.int32),
        sign=np.array(sign, np.float32),
        start=start,
        lookup=lookup,
        addend=addend,
        first=first.astype(np.int32),
        last=(first + patterns.table_size[patterns.table] - 1).astype(np.int32),
        images=images.astype(np.int32),
    )
