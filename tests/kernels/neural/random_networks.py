"""Random structures and parameters of goal networks for the kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from neurogame.evaluators.proof_build import build_proof_graph
from neurogame.evaluators.wiring import Wiring, wire
from neurogame.kernels.neural.layout import Layout, make_layout
from tests.evaluators.hand_made import random_circuit

NODES = (1, 3)
EDGES = (1, 2)
CHANNELS = (1, 3)


@dataclass(frozen=True)
class Case:
    """A layout with random parameters of one kind, and states."""

    layout: Layout
    words: Tensor
    size: int
    tables: Tensor
    edges: Tensor
    nodes: Tensor
    offsets: Tensor
    kind: int
    steep: float


def random_wiring(seed: int, fluents: int = 7, gates: int = 10, share: str = "network") -> Wiring:
    return wire(build_proof_graph(random_circuit(seed, fluents, gates)), share)


def random_layout(seed: int, share: str = "network") -> Layout:
    wiring = random_wiring(seed, share=share)
    rows = np.where(wiring.output_row >= wiring.first_unit_row, wiring.output_row, 0)
    return make_layout(wiring.graph, wiring.leaves, rows, len(wiring.proof.fluents))


def random_case(seed: int, kind: int, size: int) -> Case:
    """Return a case whose numbers lie where each kind's parameters do."""
    layout = random_layout(seed)
    generator = torch.Generator().manual_seed(seed)

    def uniform(*shape: int) -> Tensor:
        return torch.rand(*shape, generator=generator, dtype=torch.float64) * 2 - 1

    tables = uniform(len(layout.table_pattern), CHANNELS[kind], 32)
    edges, offsets = uniform(EDGES[kind], len(layout.edge)), uniform(2 * kind, len(layout.unit))
    nodes = uniform(NODES[kind], len(layout.unit))
    if kind == 1:
        tables[:, :2] = (2 * tables[:, :2]).exp()
        edges[0], offsets = edges[0].exp(), (2 * offsets).round()
        nodes[0], nodes[1] = -3 + nodes[0], 3 + nodes[1]
    width = (layout.columns, (size + 63) // 64)
    words = torch.randint(-(2**62), 2**62, width, generator=generator)
    return Case(
        layout=layout,
        words=words,
        size=size,
        tables=tables.float(),
        edges=edges.float(),
        nodes=nodes.float(),
        offsets=offsets.float(),
        kind=kind,
        steep=0.7,
    )
