"""Formulas evaluated in words, pruned, rewritten and narrowed, against gate by gate logic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.circuit.circuit import FALSE, TRUE, Circuit
from neurogame.errors import GameError
from neurogame.graph.formulas import Formulas
from neurogame.graph.gates import GateStore
from neurogame.graph.rewrite import rewrite
from tests.circuit.evaluate import evaluate_circuit
from tests.evaluators.hand_made import random_circuit, random_states

FLUENTS = 8


def goals_of(circuit: Circuit) -> Formulas:
    literals = [literal for pairs in circuit.goals for _, literal in pairs]
    return Formulas.of_circuit(circuit, np.array([*literals, TRUE, FALSE], np.int64))


def slow_truth(circuit: Circuit, states: np.ndarray) -> np.ndarray:
    found = evaluate_circuit(circuit, states, np.zeros((len(states), 0), np.bool_)).goals
    keys = [(r, v) for r, p in zip(circuit.roles, circuit.goals, strict=True) for v, _ in p]
    rows = [[*(key in own for key in keys), True, False] for own in found]
    return np.array(rows, np.bool_).reshape(len(states), len(keys) + 2)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), width=st.sampled_from([None, 2, 3]), batch=st.integers(0, 130))
def test_formulas_mean_what_the_gates_say(seed: int, width: int | None, batch: int) -> None:
    circuit = random_circuit(seed, FLUENTS)
    states = random_states(batch, FLUENTS, seed)
    expected = slow_truth(circuit, states)
    formulas = goals_of(circuit)
    assert (formulas.holds(states) == expected).all()
    pruned = formulas.pruned()
    assert (pruned.holds(states) == expected).all()
    assert pruned.gate_count == formulas.needed()[circuit.first_gate :].sum()
    store = GateStore(circuit.first_gate)
    signal = rewrite(formulas, 2 * np.arange(circuit.first_gate), store, width)
    literals = signal[formulas.literals >> 1] ^ (formulas.literals & 1)
    again = Formulas.of_store(store, literals)
    assert (again.holds(states) == expected).all()
    if width is not None:
        assert np.diff(again.start).max(initial=0) <= width
    levels = np.concatenate([again.level[gates] for gates in again.levels()] or [again.level])
    assert (np.diff(levels) >= 0).all()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_rewriting_substitutes(seed: int) -> None:
    """A constant, another fluent and a negation in place of fluents."""
    circuit = random_circuit(seed, FLUENTS)
    formulas = goals_of(circuit)
    leaves = 2 * np.arange(circuit.first_gate)
    leaves[1:5] = [TRUE, FALSE, leaves[6], leaves[7] ^ 1]
    store = GateStore(circuit.first_gate)
    signal = rewrite(formulas, leaves, store)
    literals = signal[formulas.literals >> 1] ^ (formulas.literals & 1)
    states = random_states(70, FLUENTS, seed)
    changed = states.copy()
    changed[:, 0], changed[:, 1] = True, False
    changed[:, 2], changed[:, 3] = states[:, 5], ~states[:, 6]
    expected = slow_truth(circuit, changed)
    assert (Formulas.of_store(store, literals).holds(states) == expected).all()


def test_assignments_of_another_size_are_refused() -> None:
    with pytest.raises(GameError, match=r"\[B, 8\]"):
        goals_of(random_circuit(1, FLUENTS)).holds(np.zeros((2, 9), np.bool_))
