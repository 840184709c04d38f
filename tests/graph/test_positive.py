"""Formulas without inner negations hold exactly where the formulas do."""

from __future__ import annotations

import numpy as np
import pytest

from neurogame.circuit.circuit import AND
from neurogame.graph.formulas import Formulas
from neurogame.graph.positive import PositiveFormulas, positive
from neurogame.graph.prune import outputs
from neurogame.simulate.game import Game


def slow_holds(formulas: PositiveFormulas, inputs: np.ndarray) -> list[bool]:
    """Return which formulas hold, node by node."""
    truth = [bool(inputs[leaf >> 1]) != bool(leaf & 1) for leaf in formulas.leaves.tolist()]
    for gate in range(formulas.gate_count):
        own = formulas.inputs[formulas.start[gate] : formulas.start[gate + 1]].tolist()
        assert all(node < len(truth) for node in own)
        below = [truth[node] for node in own]
        truth.append(all(below) if formulas.kind[gate] == AND else any(below))
    return [truth[node] for node in formulas.outputs.tolist()]


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "breakthrough"])
def test_pushing_negations_down_changes_no_truth(name: str) -> None:
    circuit = Game.load(name).circuit
    formulas = Formulas.of_circuit(circuit, outputs(circuit))
    found = positive(formulas)
    assert (np.diff(found.level) >= 0).all()
    assert (np.diff(found.leaves) > 0).all()
    rng = np.random.default_rng(1)
    flags = rng.random((8, circuit.first_gate - 1)) < 0.4
    for row, held in zip(flags, formulas.holds(flags), strict=True):
        assert slow_holds(found, np.concatenate([[False], row])) == held.tolist()
