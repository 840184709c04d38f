"""Partial evaluation with three truth values, and what becomes of unknowns."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.graph.evaluate import holds
from neurogame.graph.graph import AND, FALSE, OR, TRUE, Graph
from neurogame.graph.prune import needed
from neurogame.graph.rewrite import rewrite
from neurogame.graph.store import GateStore
from neurogame.regress.unknowns import without_unknowns
from tests.circuit.by_hand import graph_of
from tests.evaluators.hand_made import random_circuit, random_states
from tests.graph.test_graph import FLUENTS, goals_of

INPUTS = 3


def all_small_formulas() -> Graph:
    """Return every formula of two levels of binary gates over three inputs and their negations."""
    literals = range(2, 2 + 2 * INPUTS)
    low = [(k, pair) for k in (AND, OR) for pair in combinations(literals, 2)]
    first = 1 + INPUTS
    inner = [2 * (first + g) + sign for g in range(len(low)) for sign in (0, 1)]
    high = [(k, pair) for k in (AND, OR) for pair in combinations([*literals, *inner], 2)]
    gates = low + high
    kinds, rows = [kind for kind, _ in gates], [pair for _, pair in gates]
    return graph_of(first, kinds, rows, 2 * (first + np.arange(len(gates))))


def kleene(formulas: Graph, known: np.ndarray) -> np.ndarray:
    """Return the truth of each formula, 0, 1/2 or 1, by the strong three-valued logic."""
    values = np.zeros(formulas.node_count)
    values[1 : formulas.input_count] = known
    for gate in range(formulas.gate_count):
        read = formulas.inputs[formulas.start[gate] : formulas.start[gate + 1]]
        below = np.where(read & 1, 1 - values[read >> 1], values[read >> 1])
        combine = np.min if formulas.kind[gate] == AND else np.max
        values[formulas.input_count + gate] = combine(below)
    found: np.ndarray = values[formulas.outputs >> 1]
    return found


def test_partial_evaluation_is_exact_on_all_small_formulas() -> None:
    formulas = all_small_formulas()
    everything = np.array(list(product([False, True], repeat=INPUTS)))
    for known in product([0.0, 0.5, 1.0], repeat=INPUTS):
        leaves = 2 * np.arange(formulas.input_count)
        for place, value in enumerate(known, 1):
            leaves[place] = {0.0: FALSE, 0.5: leaves[place], 1.0: TRUE}[value]
        store = GateStore(formulas.input_count)
        literals = rewrite(formulas, leaves, store)
        partly = store.graph(literals)
        unknown = np.array(known) == 0.5
        assert not needed(partly)[1 : formulas.input_count][~unknown].any()
        completed = np.where(unknown, everything, np.array(known) == 1)
        assert (holds(partly, everything) == holds(formulas, completed)).all()
        # What three-valued logic decides has become a constant.
        decided = kleene(formulas, np.array(known))
        assert (literals[decided == 0] == FALSE).all()
        assert (literals[decided == 1] == TRUE).all()


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_gates_leave_unknown_inputs_out(seed: int) -> None:
    formulas = goals_of(random_circuit(seed, FLUENTS))
    unknown = np.zeros(formulas.input_count, np.bool_)
    unknown[1:] = np.random.default_rng(seed).random(formulas.input_count - 1) < 0.4
    known, nothing = without_unknowns(formulas, unknown)
    assert not needed(known)[: formulas.input_count][unknown].any()
    states = random_states(20, FLUENTS, seed)
    for state, row in zip(states, holds(known, states), strict=True):
        expected = [_slow(formulas, unknown, state, int(x)) for x in formulas.outputs]
        assert nothing.tolist() == [value is None for value in expected]
        assert row.tolist() == [bool(value) for value in expected]


def _slow(formulas: Graph, unknown: np.ndarray, state: np.ndarray, literal: int) -> bool | None:
    """Return the truth of a literal where gates leave unknowns out; None if nothing is left."""
    node = literal >> 1
    if node < formulas.input_count:
        value = None if unknown[node] else bool(node and state[node - 1])
    else:
        gate = node - formulas.input_count
        read = formulas.inputs[formulas.start[gate] : formulas.start[gate + 1]].tolist()
        below = [v for x in read if (v := _slow(formulas, unknown, state, x)) is not None]
        combine = all if formulas.kind[gate] == AND else any
        value = combine(below) if below else None
    return value if value is None else value != bool(literal & 1)
