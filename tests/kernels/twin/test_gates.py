"""Gates in plain torch equal the circuit, gate by gate."""

from __future__ import annotations

from functools import reduce
from operator import or_

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import OR
from neurogame.kernels.twin.gates import TorchGates
from neurogame.kernels.words.pack import pack, unpack
from tests.circuit.by_hand import graph_of
from tests.circuit.evaluate import evaluate_circuit
from tests.kernels.twin.random_circuits import random_circuit

SIZES = st.sampled_from([1, 63, 64, 65, 200])


def run_gates(circuit: Circuit, states: np.ndarray, does: np.ndarray) -> list[np.ndarray]:
    """Return legal and terminal, goals, and next, each from a plan of its own."""
    inputs = pack(torch.from_numpy(np.concatenate([states, does], axis=1)))
    status = np.append(circuit.legal, circuit.terminal)
    return [
        unpack(TorchGates(circuit.graph.with_outputs(outputs)).run(inputs), len(states)).numpy()
        for outputs in (status, circuit.goal_literals, circuit.next)
    ]


@given(st.integers(0, 2**31), st.integers(0, 60), SIZES)
def test_the_gates_are_those_of_the_circuit(seed: int, gates: int, size: int) -> None:
    circuit = random_circuit(seed, gates)
    rng = np.random.default_rng(seed + 1)
    states = rng.random((size, len(circuit.fluents))) < 0.5
    does = rng.random((size, circuit.move_count)) < 0.5
    expected = evaluate_circuit(circuit, states, does)
    status, goals, following = run_gates(circuit, states, does)
    np.testing.assert_array_equal(status[:, :-1], expected.legal)
    np.testing.assert_array_equal(status[:, -1], expected.terminal)
    np.testing.assert_array_equal(following, expected.next)
    names = [(r, v) for r, own in zip(circuit.roles, circuit.goals, strict=True) for v, _ in own]
    for row, held in zip(goals, expected.goals, strict=True):
        assert {name for name, flag in zip(names, row, strict=True) if flag} == held


@pytest.mark.parametrize(("inputs", "steps"), [(1, 0), (2, 1), (37, 6), (64, 6), (65, 7)])
def test_trees_are_balanced_and_shared(inputs: int, steps: int) -> None:
    """Two equal gates of many inputs are computed once, in as few steps as can be."""
    node, read = 1 + inputs, [2 * np.arange(1, 1 + inputs)] * 2
    graph = graph_of(node, [OR, OR], read, np.array([2 * node, 2 * node + 3]))
    words = torch.randint(-(2**63), 2**63 - 1, (inputs, 3))
    gates = TorchGates(graph)
    one, other = gates.run(words)
    assert torch.equal(one, ~other)
    assert one.tolist() == [reduce(or_, column) for column in words.T.tolist()]
    assert (len(gates.steps), gates.gate_count) == (steps, inputs - 1)


@pytest.mark.parametrize("width", [0, 1, 5, 6])
def test_blocks_change_nothing(width: int) -> None:
    circuit = random_circuit(3, 40)
    gates, cut = TorchGates(circuit.graph), TorchGates(circuit.graph)
    cut.block_words = 2
    words = torch.randint(-(2**63), 2**63 - 1, (circuit.input_count - 1, width))
    assert torch.equal(gates.run(words), cut.run(words))
