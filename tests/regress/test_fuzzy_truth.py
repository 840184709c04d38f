"""Fuzzy truth in numpy, against the formulas read one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.circuit.circuit import AND
from neurogame.graph.formulas import Formulas
from neurogame.graph.positive import PositiveFormulas, positive
from neurogame.regress.fuzzy_truth import FuzzyTruth
from tests.evaluators.hand_made import random_circuit, random_states

FLUENTS = 8


def example(seed: int) -> tuple[PositiveFormulas, np.ndarray, np.ndarray]:
    """Return formulas, the truth of their leaves, and states."""
    circuit = random_circuit(seed, FLUENTS)
    literals = [literal for pairs in circuit.goals for _, literal in pairs]
    formulas = positive(Formulas.of_circuit(circuit, np.array(literals, np.int64)))
    truth = np.random.default_rng(seed).random((formulas.leaf_count, 2))
    return formulas, truth, random_states(9, FLUENTS, seed)


def slow_truth(
    formulas: PositiveFormulas, truth: np.ndarray, state: np.ndarray, left_out: int | None = None
) -> list[float]:
    """Return the truth of each formula in one state, without one of the edges."""
    nodes = []
    for leaf, (no, yes) in zip(formulas.leaves.tolist(), truth.tolist(), strict=True):
        nodes.append(yes if leaf > 1 and state[(leaf >> 1) - 1] else no)
    for gate in range(formulas.gate_count):
        product = 1.0
        for edge in range(formulas.start[gate], formulas.start[gate + 1]):
            below = nodes[formulas.inputs[edge]]
            if edge != left_out:
                product *= below if formulas.kind[gate] == AND else 1 - below
        nodes.append(product if formulas.kind[gate] == AND else 1 - product)
    return [nodes[node] for node in formulas.outputs.tolist()]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_truth_is_what_the_definition_says(seed: int) -> None:
    formulas, truth, states = example(seed)
    found = FuzzyTruth(formulas, truth, states).outputs()
    expected = np.array([slow_truth(formulas, truth, state) for state in states]).T
    np.testing.assert_allclose(found, expected.reshape(found.shape), rtol=1e-12, atol=1e-15)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_changes_are_exact_for_small_truths_of_one_edge(seed: int) -> None:
    """First order is exact along a path; where paths meet again it is nearly so for small edges.

    So the change is compared with a small step towards leaving the edge out.
    """
    formulas, truth, states = example(seed)
    weights = np.random.default_rng(seed + 1).normal(size=(len(formulas.outputs), len(states)))
    valued = FuzzyTruth(formulas, truth, states)
    seen = np.zeros(len(formulas.inputs), np.int64)
    for edges, change in valued.changes(weights):
        seen[edges] += 1
        for edge, own in zip(edges.tolist()[:3], change, strict=False):
            expected = [_slope(formulas, truth, state, edge) for state in states]
            total = (np.array(expected).T * weights).sum(axis=0)
            np.testing.assert_allclose(own, total, rtol=1e-4, atol=1e-6)
    assert (seen == 1).all()


def _slope(
    formulas: PositiveFormulas, truth: np.ndarray, state: np.ndarray, edge: int
) -> np.ndarray:
    """Return the change of each formula per share of an edge that is left out, at share 0."""
    step = 1e-6
    gate = int(np.searchsorted(formulas.start, edge, side="right")) - 1
    nodes = FuzzyTruth(formulas, truth, state[None]).nodes[:, 0]
    below = nodes[formulas.inputs[edge]]
    neutral = 1.0 if formulas.kind[gate] == AND else 0.0
    # A copy of the input, moved by a small step, is read by this gate only.
    copies = np.append(truth, [[below + step * (neutral - below)] * 2], axis=0)
    inputs = np.where(formulas.inputs >= formulas.leaf_count, formulas.inputs + 1, formulas.inputs)
    inputs[edge] = formulas.leaf_count
    outputs = formulas.outputs + (formulas.outputs >= formulas.leaf_count)
    changed = PositiveFormulas(
        leaves=np.append(formulas.leaves, 0),
        kind=formulas.kind,
        start=formulas.start,
        inputs=inputs,
        level=formulas.level,
        outputs=outputs,
    )
    after = FuzzyTruth(changed, copies, state[None]).outputs()[:, 0]
    slope: np.ndarray = (after - nodes[formulas.outputs]) / step
    return slope
