"""Making a layout from the structure of a game."""

from __future__ import annotations

import numpy as np

from neurogame.evaluators.parts.config import PartsConfig
from neurogame.evaluators.parts.layout import PartsLayout, PartsSizes
from neurogame.evaluators.parts.perspective import Perspectives, find_perspectives
from neurogame.structure.structure import Structure

MOST_IMAGES = 64
"""Symmetries under which embeddings see positions, at most: each takes a row of fluents."""


def make_layout(
    structure: Structure, config: PartsConfig, *, opposed: bool, seed: int
) -> PartsLayout:
    """Return the rows that states of a game read, and their perspectives.

    Args:
        structure: of the game.
        config: which parts there are.
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
    start, lookup, addend, first, rows = _tables(structure, config, seen, seed)
    return PartsLayout(
        sizes=PartsSizes(
            fluents=fluents,
            modes=len(view),
            mode_fluents=len(seen.fluents),
            sets=int(seen.weights.max()) + 1,
            outputs=outputs,
            lookups=len(first),
            addends=len(lookup),
            rows=rows,
            images=images.shape[1],
            opposed=opposed,
        ),
        mode_fluent=seen.fluents.astype(np.int32),
        mode=np.arange(len(seen.fluents), dtype=np.int32),
        seen_as=view.astype(np.int32),
        weights=seen.weights.astype(np.int32),
        turn=np.stack(turn).astype(np.int32),
        sign=np.array(sign, np.float32),
        start=start,
        lookup=lookup,
        addend=addend,
        first=first,
        images=images.astype(np.int32),
    )


def _tables(
    structure: Structure, config: PartsConfig, seen: Perspectives, seed: int
) -> tuple[Int32s1, Int32s1, Int32s1, Int32s1, int]:
    """Return addends by fluent, the first row of each look-up, and the number of rows."""
    none = np.zeros(0, np.int32)
    start = np.zeros(len(structure.variable_of) + 1, np.int32)
    return start, none, none, none, 1
