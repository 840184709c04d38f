"""Making a layout from the structure of a game."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from neurogame.array_types import Int32s1
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.layout import RulesNetworkLayout, RulesNetworkSizes
from neurogame.evaluators.rules_network.perspective import Perspectives, find_perspectives
from neurogame.structure.patterns import PatternLimits, draw_patterns
from neurogame.structure.structure import Structure

MOST_IMAGES = 64
"""Symmetries under which embeddings see positions, at most: each takes a row of fluents."""


class _Tables(NamedTuple):
    """Addends by fluent, the rows of each look-up, and the number of rows."""

    start: Int32s1
    lookup: Int32s1
    addend: Int32s1
    first: Int32s1
    last: Int32s1
    rows: int


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
    tables = _tables(structure, config, seen, seed)
    return RulesNetworkLayout(
        sizes=RulesNetworkSizes(
            fluents=fluents,
            modes=len(view),
            mode_fluents=len(seen.fluents),
            sets=int(seen.weights.max()) + 1,
            outputs=outputs,
            lookups=len(tables.first),
            addends=len(tables.lookup),
            rows=tables.rows,
            images=images.shape[1],
            opposed=opposed,
        ),
        mode_fluent=seen.fluents.astype(np.int32),
        seen_as=view.astype(np.int32),
        weights=seen.weights.astype(np.int32),
        turn=np.stack(turn).astype(np.int32),
        sign=np.array(sign, np.float32),
        start=tables.start,
        lookup=tables.lookup,
        addend=tables.addend,
        first=tables.first,
        last=tables.last,
        images=images.astype(np.int32),
    )


def _tables(
    structure: Structure, config: RulesNetworkConfig, seen: Perspectives, seed: int
) -> _Tables:
    """Draw patterns, and lay their tables out one after the other."""
    limits = PatternLimits(
        lookups=config.lookups,
        length=config.longest,
        most_values=config.most_values,
        line_share=config.line_share,
        images=len(seen.kept),
        exchange=False,
    )
    patterns = draw_patterns(replace(structure, symmetries=seen.kept), seed=seed, limits=limits)
    ends = np.cumsum(patterns.table_size)
    owner = np.repeat(np.arange(patterns.lookup_count), np.diff(patterns.start))
    order = np.argsort(patterns.fluent, kind="stable")
    fluents = np.arange(len(structure.variable_of) + 1)
    first = (ends - patterns.table_size)[patterns.table]
    return _Tables(
        start=np.searchsorted(patterns.fluent[order], fluents).astype(np.int32),
        lookup=owner[order].astype(np.int32),
        addend=patterns.addend[order].astype(np.int32),
        first=first.astype(np.int32),
        last=(first + patterns.table_size[patterns.table] - 1).astype(np.int32),
        rows=int(ends[-1]) if len(ends) else 1,
    )
