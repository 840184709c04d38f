"""Goals over the budget: the network keeps it, says the same, and learns in what is left of it."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.circuit import Circuit
from neurogame.errors import LimitError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.cilp_sound import SoundNetworks
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.evaluators.proof_build import build_proof_graph
from neurogame.evaluators.rebuild import rebuild_evaluator
from neurogame.graph.graph import AND, OR
from neurogame.inspect.weights import weight_table
from neurogame.simulate.game import Game
from tests.circuit.random_steps import random_steps
from tests.evaluators.hand_made import CircuitDraft, random_circuit, random_states

# (game of the library, neurons allowed): far fewer than its goals need.
LARGE = [("amazons5", 200), ("atarigo5", 300), ("hex5", 200), ("loa5", 500), ("reversi6", 400)]


def networks(circuit: Circuit, neurons: int, kind: str = "cilp") -> GoalNetworks:
    evaluator = make_evaluator(circuit, EvaluatorConfig(kind=kind, neurons=neurons))
    assert isinstance(evaluator, GoalNetworks)
    return evaluator


def truth(circuit: Circuit, states: np.ndarray) -> np.ndarray:
    """Return which goals hold, by the proof graph of the whole goals."""
    return build_proof_graph(circuit).holds(states)


@given(seed=st.integers(0, 10**6), neurons=st.integers(4, 30))
def test_any_budget_keeps_the_truth(seed: int, neurons: int) -> None:
    circuit = random_circuit(seed, 8, 40)
    whole = build_proof_graph(circuit)
    cut = build_proof_graph(circuit, neurons)
    assert cut.graph.gate_count <= neurons
    assert (len(cut.redirected) > 0) == (whole.graph.gate_count > neurons)
    states = random_states(70, 8, seed)
    expected = whole.holds(states)
    evaluator = networks(circuit, neurons)
    assert evaluator.wiring.unit_count <= neurons
    leaves = evaluator.reasoner(torch.from_numpy(states)).numpy()
    assert (evaluator.wiring.proof.holds(leaves) == expected).all()
    outputs = evaluator.networks(torch.from_numpy(states)).detach().numpy()
    assert ((outputs > 0) == expected).all()
    graph = cut.graph
    levels = np.concatenate([np.zeros(graph.input_count, np.int64), graph.level])
    if graph.gate_count:
        below = np.maximum.reduceat(levels[graph.inputs >> 1], graph.start[:-1])
        assert (graph.level == 1 + below).all()


@pytest.mark.parametrize(("name", "neurons"), LARGE)
def test_large_goals_of_real_games(name: str, neurons: int) -> None:
    game = Game.load(name)
    assert build_proof_graph(game.circuit).graph.gate_count > 2 * neurons
    states = random_steps(game, 12, 15, seed=1).following
    expected = truth(game.circuit, states)
    evaluator = networks(game.circuit, neurons)
    assert evaluator.wiring.unit_count <= neurons
    assert len(evaluator.wiring.proof.redirected) > 0
    outputs = evaluator.networks(torch.from_numpy(states))
    assert ((outputs.detach().numpy() > 0) == expected).all()
    torch.autograd.backward(outputs.sum())
    assert isinstance(evaluator, SoundNetworks)
    assert evaluator.rho.grad is not None
    assert float((evaluator.rho.grad != 0).double().mean()) > 0.5


@pytest.mark.parametrize("kind", ["cilp", "fuzzy", "fluxplayer"])
def test_gradients_pass_the_rest_of_the_network(kind: str) -> None:
    """A goal with a part that fits and one that does not: only the former has a gradient."""
    draft = CircuitDraft([f"f{i}" for i in range(8)])
    part = [draft.gate(AND, [draft.fluent(i), draft.fluent(i + 1)], f"low{i}") for i in (4, 6)]
    deep = draft.gate(OR, part, "deep")
    near = draft.gate(AND, [draft.fluent(0), draft.fluent(1)], "near")
    goal = draft.gate(OR, [near, deep], "goal")
    evaluator = networks(draft.circuit(("x",), (((100, goal),),)), 2, kind).double()
    assert [evaluator.wiring.proof.label(9)] == ["deep"]
    degrees = torch.full((3, 8), 0.3, dtype=torch.float64)
    degrees[1, 4:6] = 1.0
    degrees.requires_grad_()
    outputs = evaluator.networks(degrees)
    assert bool(outputs[1, 0] > outputs[0, 0])
    torch.autograd.backward(outputs.sum())
    assert degrees.grad is not None
    assert bool((degrees.grad[:, :2] > 0).all())
    assert bool((degrees.grad[:, 2:] == 0).all())
    assert torch.autograd.gradcheck(evaluator.networks, (degrees[:1].detach().requires_grad_(),))


def test_whole_atoms_nearest_to_the_goal_are_kept() -> None:
    draft = CircuitDraft([f"f{i}" for i in range(6)])
    bodies = [draft.gate(AND, [draft.fluent(i), draft.fluent(5)]) for i in range(3)]
    low = draft.gate(OR, bodies, "low")
    high = draft.gate(AND, [low, draft.fluent(3)], "high")
    goal = draft.gate(OR, [high, draft.fluent(4)], "goal")
    circuit = draft.circuit(("x",), (((100, goal),),))
    # Four would hold one body of "low"; it is left out whole.
    for neurons, kept, leaf in ((4, 2, "low"), (2, 2, "low"), (1, 1, "high")):
        proof = build_proof_graph(circuit, neurons)
        assert proof.graph.gate_count == kept
        assert [proof.label(7 + i) for i in range(len(proof.redirected))] == [leaf]
    assert len(build_proof_graph(circuit, 6).redirected) == 0


def test_a_goal_that_is_too_wide_is_cut_inside() -> None:
    draft = CircuitDraft([f"f{i}" for i in range(12)])
    bodies = [
        draft.gate(AND, [draft.fluent(i), draft.fluent(i + 1)], None, rule=i) for i in range(11)
    ]
    circuit = draft.circuit(("x",), (((100, draft.gate(OR, bodies, "goal")),),))
    proof = build_proof_graph(circuit, 5)
    assert proof.graph.gate_count == 5
    assert {proof.label(13 + i) for i in range(7)} <= {f"rule {i}" for i in range(11)}
    states = random_states(50, 12, 1)
    outputs = networks(circuit, 5).networks(torch.from_numpy(states)).detach().numpy()
    assert ((outputs > 0) == truth(circuit, states)).all()


def test_listed_as_redirected_inputs() -> None:
    game = Game.load("connectfour")
    evaluator = networks(game.circuit, 120)
    proof = evaluator.wiring.proof
    rows = weight_table(evaluator, evaluator)
    names = {proof.label(1 + len(proof.fluents) + i) for i in range(len(proof.redirected))}
    assert names
    listed = {row.child for row in rows if row.redirected}
    assert listed <= names | {f"(not {name})" for name in names}
    assert {name for name in names if name in listed or f"(not {name})" in listed} == names
    # Ground atoms of the rules, not fluents.
    assert not any(name.startswith("(true ") for name in names)
    assert any(row.child.startswith("(true ") for row in rows if not row.redirected)


def test_copies_and_rebuilt_evaluators_are_the_same() -> None:
    circuit = random_circuit(5, 8, 40)
    evaluator = networks(circuit, 6)
    states = torch.from_numpy(random_states(100, 8, 3))
    values = evaluator(states)
    again = rebuild_evaluator(circuit, evaluator.describe())
    for other in (copy.deepcopy(evaluator), pickle.loads(pickle.dumps(evaluator)), again):
        assert torch.equal(other(states), values)
        assert torch.equal(other(~states), evaluator(~states))


def test_what_does_not_fit_even_so_is_refused() -> None:
    circuit = random_circuit(3, 8, 40)
    with pytest.raises(LimitError, match=r"need \d neurons at least.*only 1 "):
        make_evaluator(circuit, EvaluatorConfig(neurons=1))
    with pytest.raises(LimitError, match="let networks share them"):
        make_evaluator(circuit, EvaluatorConfig(neurons=12, share="network"))
    assert networks(circuit, 12).wiring.share == "game"
