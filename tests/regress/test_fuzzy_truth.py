"""Fuzzy truth in numpy, against the formulas read one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from fuzzy_truth import FuzzyTruth
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.graph.extend import with_more_inputs
from neurogame.graph.graph import AND, Graph
from neurogame.graph.positive import positive
from tests.evaluators.hand_made import random_circuit, random_states

FLUENTS = 8


def example(seed: int) -> tuple[Graph, np.ndarray, np.ndarray, np.ndarray]:
    """Return formulas, their leaves, the truth of these, and states."""
    circuit = random_circuit(seed, FLUENTS)
    graph, leaves = positive(circuit.graph.with_outputs(circuit.goal_literals))
    truth = np.random.default_rng(seed).random((len(leaves), 2))
    return graph, leaves, truth, random_states(9, FLUENTS, seed)


def slow_truth(
    graph: Graph,
    leaves: np.ndarray,
    truth: np.ndarray,
    state: np.ndarray,
    left_out: int | None = None,
) -> list[float]:
    """Return the truth of each formula in one state, without one of the edges."""
    nodes = [0.0]
    for leaf, (no, yes) in zip(leaves.tolist(), truth.tolist(), strict=True):
        nodes.append(yes if leaf > 1 and state[(leaf >> 1) - 1] else no)
    for gate in range(graph.gate_count):
        product = 1.0
        for edge in range(graph.start[gate], graph.start[gate + 1]):
            below = nodes[graph.inputs[edge] >> 1]
            if edge != left_out:
                product *= below if graph.kind[gate] == AND else 1 - below
        nodes.append(product if graph.kind[gate] == AND else 1 - product)
    return [nodes[literal >> 1] for literal in graph.outputs.tolist()]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_truth_is_what_the_definition_says(seed: int) -> None:
    graph, leaves, truth, states = example(seed)
    found = FuzzyTruth(graph, leaves, truth, states).outputs()
    expected = np.array([slow_truth(graph, leaves, truth, state) for state in states]).T
    np.testing.assert_allclose(found, expected.reshape(found.shape), rtol=1e-12, atol=1e-15)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_changes_are_exact_for_small_truths_of_one_edge(seed: int) -> None:
    """First order is exact along a path; where paths meet again it is nearly so for small edges.

    So the change is compared with a small step towards leaving the edge out.
    """
    graph, leaves, truth, states = example(seed)
    weights = np.random.default_rng(seed + 1).normal(size=(len(graph.outputs), len(states)))
    valued = FuzzyTruth(graph, leaves, truth, states)
    seen = np.zeros(graph.edge_count, np.int64)
    for edges, change in valued.changes(weights):
        seen[edges] += 1
        for edge, own in zip(edges.tolist()[:3], change, strict=False):
            expected = [_slope(graph, leaves, truth, state, edge) for state in states]
            total = (np.array(expected).T * weights).sum(axis=0)
            np.testing.assert_allclose(own, total, rtol=1e-4, atol=1e-6)
    assert (seen == 1).all()


def _slope(
    graph: Graph, leaves: np.ndarray, truth: np.ndarray, state: np.ndarray, edge: int
) -> np.ndarray:
    """Return the change of each formula per share of an edge that is left out, at share 0."""
    step = 1e-6
    gate = int(np.searchsorted(graph.start, edge, side="right")) - 1
    nodes = FuzzyTruth(graph, leaves, truth, state[None]).nodes[:, 0]
    below = nodes[graph.inputs[edge] >> 1]
    neutral = 1.0 if graph.kind[gate] == AND else 0.0
    # A copy of the input, moved by a small step, is read by this gate only.
    copies = np.append(truth, [[below + step * (neutral - below)] * 2], axis=0)
    copied = with_more_inputs(graph, 1)
    inputs = copied.inputs.copy()
    inputs[edge] = 2 * graph.input_count
    changed = replace(copied, inputs=inputs)
    after = FuzzyTruth(changed, np.append(leaves, 0), copies, state[None]).outputs()[:, 0]
    slope: np.ndarray = (after - nodes[graph.outputs >> 1]) / step
    return slope
