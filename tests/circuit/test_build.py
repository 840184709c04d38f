"""The circuit's shape, positive cycles, and refusals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from neurogame.circuit.build import build_circuit
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.cycles import find_cycles
from neurogame.errors import GroundingError
from neurogame.gdl.library import library_names, load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.ground.ground import ground
from tests.circuit.by_hand import inputs_of
from tests.circuit.evaluate import evaluate_circuit

FRAME = "(role r) (<= (legal r (set ?x ?y)) (node ?x) (node ?y)) (goal r 0)"
NODES = " ".join(f"(node n{i})" for i in range(4))
EDGES = "(<= (next (edge ?x ?y)) (true (edge ?x ?y))) (<= (next (edge ?x ?y)) (does r (set ?x ?y)))"
REACH = """
(<= (reach ?x ?y) (true (edge ?x ?y)))
(<= (reach ?x ?z) (true (edge ?x ?y)) (reach ?y ?z))
(<= terminal (reach n0 n3))
"""


def circuit_of(text: str) -> Circuit:
    return build_circuit(ground(parse_rules(text)))


@pytest.mark.parametrize("name", library_names())
def test_invariants(name: str) -> None:
    circuit = build_circuit(ground(load_rules(name)))
    first = circuit.input_count
    nodes = first + np.repeat(np.arange(circuit.gate_count), np.diff(circuit.graph.start))
    inputs = circuit.graph.inputs
    assert (np.diff(circuit.graph.start) >= 2).all()
    assert (inputs >> 1 < nodes).all()
    assert (inputs >> 1 > 0).all(), "a constant survived"
    same_gate = nodes[1:] == nodes[:-1]
    assert (inputs[1:] >> 1 > inputs[:-1] >> 1)[same_gate].all(), "unsorted, repeated or opposed"
    levels = np.concatenate([np.zeros(first, np.int64), circuit.graph.level])
    expected = 1 + np.maximum.reduceat(levels[inputs >> 1], circuit.graph.start[:-1])
    assert (expected == circuit.graph.level).all()
    used = set((inputs >> 1).tolist()) | set((circuit.graph.outputs >> 1).tolist())
    assert set(range(first, circuit.graph.node_count)) <= used, "a dead gate survived"
    groups = [tuple(inputs_of(circuit, first + g)) for g in range(circuit.gate_count)]
    keys = list(zip(circuit.graph.kind.tolist(), groups, strict=True))
    assert len(set(keys)) == len(keys), "a gate exists twice"


def test_transitive_closure_is_the_least_fixpoint() -> None:
    circuit = circuit_of(FRAME + NODES + EDGES + REACH)
    names = [tuple(f.strip("()").split()[1:]) for f in circuit.fluents]
    rng = np.random.default_rng(5)
    states = rng.random((500, len(names))) < rng.random((500, 1)) * 0.6
    found = evaluate_circuit(circuit, states, np.zeros((500, circuit.move_count), np.bool_))
    for state, terminal in zip(states, found.terminal, strict=True):
        reached = {"n0"}
        edges = list(itertools.compress(names, state))
        for _ in names:
            reached |= {y for x, y in edges if x in reached}
        closed = any(x in reached and y == "n3" for x, y in edges)
        assert terminal == closed


def test_cycles_are_found_and_named() -> None:
    program = ground(parse_rules(FRAME + NODES + EDGES + REACH))
    (cycle,) = [c for c in find_cycles(program) if len(c) > 1][:1] or [[]]
    assert any(program.atoms.text(a).startswith("(reach") for a in cycle)
    assert find_cycles(ground(load_rules("tictactoe"))) == []


def test_negation_through_itself_is_refused_with_its_atoms() -> None:
    text = FRAME + "(node a) terminal (init (p a)) (<= (next (p ?x)) (odd ?x))"
    text += (
        "(<= (odd ?x) (true (p ?x)) (not (even ?x))) (<= (even ?x) (true (p ?x)) (not (odd ?x)))"
    )
    with pytest.raises(GroundingError, match=r"\((odd|even) a\) depends on its own negation"):
        circuit_of(text)


def test_negation_stratified_on_atoms_only_is_accepted() -> None:
    """``goal <- not goal`` with other constants occurs in 14 public games."""
    circuit = circuit_of(
        "(role r) (init p) (legal r go) (<= (next p) (does r go)) (<= terminal (true p))"
        "(<= (goal r 100) (true p)) (<= (goal r 0) (role r) (not (goal r 100)))"
    )
    found = evaluate_circuit(circuit, np.array([[True], [False]]), np.ones((2, 1), np.bool_))
    assert found.goals == [{("r", 100)}, {("r", 0)}]
