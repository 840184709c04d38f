"""Tables and upper neurons say the same as the wiring."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from neurogame.kernels.neural.layout import FILLER, NEGATED, TRUE, Layout
from neurogame.kernels.neural.merge import merge_patterns
from tests.kernels.neural.random_networks import random_layout, random_wiring

SEEDS = pytest.mark.parametrize("seed", range(12))
SHARES = pytest.mark.parametrize("share", ["network", "game"])


@SEEDS
def test_merged_functions_find_their_columns(seed: int) -> None:
    generator = np.random.default_rng(seed)
    parent = np.sort(generator.integers(0, 4, 60))
    columns = np.full((60, 5), -1, dtype=np.int64)
    for row in columns:
        count = generator.integers(1, 6)
        row[:count] = generator.permutation(8)[:count]
    table, bits = merge_patterns(parent, columns)
    assert set(table.tolist()) == set(range(len(bits)))
    assert len(bits) < 60
    for i in range(60):
        assert set(columns[i][columns[i] >= 0]) <= set(bits[table[i]].tolist())
    assert all(len(set(parent[table == t].tolist())) == 1 for t in range(len(bits)))
    assert bool((np.diff(parent[np.unique(table, return_index=True)[1]]) >= 0).all())


def upper_values(layout: Layout, state: int, weights: torch.Tensor) -> list[float]:
    """Return linear neurons: each upper one sums weights times what it reads, given by bits."""
    bits = [state >> column & 1 for column in range(layout.columns)] + [0]
    values: list[float] = []
    for n in range(len(layout.unit)):
        total = 0.0
        for part in (layout.small_parent == n).nonzero().view(-1).tolist():
            entry = entry_of(layout, int(layout.small_table[part]), bits)
            inner = 0.0
            for edge, choice in zip(
                layout.small_inner[part], layout.small_choice[part, :, entry], strict=True
            ):
                inner += read(float(weights[edge]) if int(edge) < len(weights) else 0.0, choice)
            sign = -1.0 if layout.small_negated[part] else 1.0
            total += sign * float(weights[layout.small_edge[part]]) * inner
        for part in (layout.leaf_parent == n).nonzero().view(-1).tolist():
            entry = entry_of(layout, int(layout.leaf_table[part]), bits)
            total += read(float(weights[layout.leaf_edge[part]]), layout.leaf_choice[part, entry])
        for e in range(int(layout.edge_start[n]), int(layout.edge_start[n + 1])):
            child = int(layout.edge_child[e])
            sign = -1.0 if child & 1 else 1.0
            total += sign * float(weights[layout.edge[e]]) * values[child >> 1]
        values.append(total)
    return values


def entry_of(layout: Layout, table: int, bits: list[int]) -> int:
    pattern = layout.pattern[int(layout.table_pattern[table])].tolist()
    return sum(bits[column] << place for place, column in enumerate(pattern))


def read(weight: float, choice: torch.Tensor) -> float:
    """Return the weight where a leaf holds, its negative where not, signed by the negation."""
    if int(choice) == FILLER:
        return 0.0
    negated = int(choice) > TRUE
    held = int(choice) - (NEGATED if negated else 0) == TRUE
    return (weight if held else -weight) * (-1.0 if negated else 1.0)


@SEEDS
@SHARES
def test_linear_networks_are_those_of_the_wiring(seed: int, share: str) -> None:
    wiring, layout = random_wiring(seed, share=share), random_layout(seed, share)
    weights = torch.rand(
        wiring.edge_count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    )
    for state in (0, 127, 85, 44, 19):
        rows = [0.0]
        rows += [1.0 if state >> column & 1 else -1.0 for column in wiring.leaves.tolist()]
        for unit in range(wiring.unit_count):
            edges = range(int(wiring.start[unit]), int(wiring.start[unit + 1]))
            rows.append(
                sum(
                    float(weights[e]) * rows[wiring.row[e]] * (-1.0 if wiring.negated[e] else 1.0)
                    for e in edges
                )
            )
        found = upper_values(layout, state, weights)
        for place, row in zip(layout.output.tolist(), wiring.output_row.tolist(), strict=True):
            if place >= 0:
                assert found[place] == pytest.approx(rows[row])


@SEEDS
def test_what_is_shared_is_computed_once(seed: int) -> None:
    """The upper neurons of a game's one network are different neurons."""
    layout = random_layout(seed, share="game")
    assert len(set(layout.unit.tolist())) == len(layout.unit)
    parts = torch.cat([layout.small_edge, layout.leaf_edge, layout.edge])
    assert len(set(parts.tolist())) == len(parts)
