"""Making a layout from the structure of a game."""

from __future__ import annotations

import numpy as np

from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.layout import RulesNetworkLayout, bare_layout
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
    counts = structure.variable_of >= 0
    if config.mode:
        counts[structure.mode_fluents] = False
    view = np.stack([np.where(counts, v.fluents, -1) for v in seen.views])
    images = np.stack(
        [
            [np.where(counts, g.fluents[v.fluents], -1) for g in seen.kept[:MOST_IMAGES]]
            for v in seen.views
        ]
    )
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
    ends = np.cumsum(patterns.table_size)
    first = (ends - patterns.table_size)[patterns.table]
    last = first + patterns.table_size[patterns.table] - 1
    return bare_layout(
        mode_fluent=seen.fluents,
        seen_as=view,
        weights=seen.weights,
        turn=np.stack(turn),
        sign=np.array(sign),
        images=images,
        opposed=opposed,
    ).with_lookups(patterns.addends, first, last)
