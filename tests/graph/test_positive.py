"""Graphs without inner negations hold exactly where the graphs do."""

from __future__ import annotations

import numpy as np
import pytest

from neurogame.graph.evaluate import holds
from neurogame.graph.graph import AND, Graph
from neurogame.graph.positive import positive
from neurogame.simulate.game import Game


def slow_holds(graph: Graph, leaves: np.ndarray, inputs: np.ndarray) -> list[bool]:
    """Return which outputs hold, node by node."""
    held = [bool(inputs[leaf >> 1]) != bool(leaf & 1) for leaf in leaves.tolist()]
    truth = [False, *held]
    for gate in range(graph.gate_count):
        own = graph.inputs[graph.start[gate] : graph.start[gate + 1]].tolist()
        assert all(literal & 1 == 0 and literal >> 1 < len(truth) for literal in own)
        below = [truth[literal >> 1] for literal in own]
        truth.append(all(below) if graph.kind[gate] == AND else any(below))
    return [truth[literal >> 1] for literal in graph.outputs.tolist()]


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "breakthrough"])
def test_pushing_negations_down_changes_no_truth(name: str) -> None:
    circuit = Game.load(name).circuit
    found, leaves = positive(circuit.graph)
    assert (np.diff(found.level) >= 0).all()
    assert (np.diff(leaves) > 0).all()
    rng = np.random.default_rng(1)
    flags = rng.random((8, circuit.input_count - 1)) < 0.4
    for row, held in zip(flags, holds(circuit.graph, flags), strict=True):
        assert slow_holds(found, leaves, np.concatenate([[False], row])) == held.tolist()
