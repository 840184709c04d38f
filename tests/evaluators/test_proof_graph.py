"""Proof graphs say what the circuit says, within their budget."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError, LimitError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.cilp_sound import SoundNetworks
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.evaluators.proof import ProofGraph
from neurogame.evaluators.proof_build import build_proof_graph
from neurogame.evaluators.rebuild import rebuild_evaluator
from neurogame.evaluators.wiring import wire
from neurogame.graph.evaluate import holds
from neurogame.graph.graph import AND, FALSE, OR, TRUE
from neurogame.inspect.weights import weight_table
from neurogame.simulate.game import Game
from tests.circuit.by_hand import inputs_of
from tests.circuit.random_steps import random_steps
from tests.evaluators.hand_made import CircuitDraft, pentago_circuit, random_circuit, random_states


def truth_by_circuit(circuit: Circuit, state: list[bool]) -> list[bool]:
    """Evaluate the goals gate by gate."""
    truth = [False, *state, *[False] * circuit.move_count]
    for gate in range(circuit.gate_count):
        inputs = inputs_of(circuit, circuit.input_count + gate).tolist()
        values = [truth[x >> 1] != bool(x & 1) for x in inputs]
        truth.append(all(values) if circuit.graph.kind[gate] == AND else any(values))
    return [truth[x >> 1] != bool(x & 1) for pairs in circuit.goals for _, x in pairs]


def tree_size(proof: ProofGraph, node: int) -> int:
    graph, gate = proof.graph, node - proof.graph.input_count
    if gate < 0:
        return 1
    below = graph.inputs[graph.start[gate] : graph.start[gate + 1]] >> 1
    return 1 + sum(tree_size(proof, int(child)) for child in below)


@given(seed=st.integers(0, 10**6))
def test_goals_hold_where_the_circuit_says_so(seed: int) -> None:
    circuit = random_circuit(seed)
    proof = build_proof_graph(circuit)
    states = random_states(64, 8, seed)
    expected = [truth_by_circuit(circuit, state.tolist()) for state in states]
    assert holds(proof.graph, states).tolist() == expected


@given(seed=st.integers(0, 10**6))
def test_shape(seed: int) -> None:
    proof = build_proof_graph(random_circuit(seed))
    graph, first = proof.graph, proof.graph.input_count
    assert first == 1 + len(proof.fluents)
    for gate in range(graph.gate_count):
        children = graph.inputs[graph.start[gate] : graph.start[gate + 1]]
        assert len(set((children >> 1).tolist())) == len(children)
        assert (children > 1).all()
        assert (children >> 1).max() < first + gate
        below = [int(graph.level[(c >> 1) - first]) for c in children if c >> 1 >= first]
        assert graph.level[gate] == 1 + max(below, default=0)
        only_goal = bool((graph.outputs >> 1 == first + gate).any())
        assert len(children) >= 2 or (only_goal and children[0] >> 1 < first)
    kept = set(proof.cone(range(len(proof.goals))).tolist())
    assert kept == set(range(graph.gate_count))


def test_pentago_has_32_lines_three_kinds_and_one_disjunction() -> None:
    proof = build_proof_graph(pentago_circuit())
    red = proof.cone([0])
    kinds, fan_in = proof.graph.kind[red], proof.graph.fan_in[red]
    assert (kinds == AND).sum() == 32
    assert sorted(fan_in[kinds == OR].tolist()) == [3, 8, 12, 12]
    assert proof.graph.level[red].max() == 3
    assert [proof.goal_label(i) for i in (0, 5)] == ["(goal red 100)", "(goal black 0)"]
    labels = {proof.label(proof.graph.input_count + int(i)) for i in red}
    assert {"line-red", "row-red", "rule 0", "rule 2"} <= labels
    assert proof.label(4) == "(true (cell 0 3))"


def test_sub_formulas_are_shared_and_never_expanded() -> None:
    draft = CircuitDraft(["a", "b"])
    left, right = draft.fluent(0), draft.fluent(1)
    for _ in range(40):
        left, right = draft.gate(AND, [left, right]), draft.gate(OR, [left, right ^ 1])
    proof = build_proof_graph(draft.circuit(("x",), (((100, left),),)))
    # As a tree it would have about 2^40 nodes; simplification makes it smaller still.
    assert proof.graph.gate_count <= 80
    small = build_proof_graph(pentago_circuit())
    draw = int(small.graph.outputs[1] >> 1)
    assert len(small.cone([1])) < tree_size(small, draw)


def test_auxiliary_conjunctions_are_inlined() -> None:
    draft = CircuitDraft(["a", "b", "c", "d"])
    a, b, c, d = (draft.fluent(i) for i in range(4))
    part = draft.gate(AND, [a, b], "*part")
    whole = draft.gate(AND, [part, c, d ^ 1], "whole")
    other = draft.gate(OR, [part, d], "other")
    circuit = draft.circuit(("x",), (((100, whole), (50, other)),))
    proof = build_proof_graph(circuit)
    labels = {proof.label(5 + i): i for i in range(proof.graph.gate_count)}
    children, _ = proof.graph.inputs_of(np.array([labels["whole"]]))
    assert children.tolist() == [2, 4, 6, 9]
    # The disjunction cannot take the conjunction in, so the part is still there for it.
    assert proof.graph.level[labels["other"]] == 2
    assert "*part" in labels
    states = random_states(50, 4, 1)
    assert holds(proof.graph, states).tolist() == [
        truth_by_circuit(circuit, s.tolist()) for s in states
    ]


def test_contradictions_and_constants() -> None:
    draft = CircuitDraft(["a", "b", "c"])
    a, b, c = (draft.fluent(i) for i in range(3))
    part = draft.gate(AND, [a, b], "*part")
    never = draft.gate(AND, [part, a ^ 1, c], "never")
    maybe = draft.gate(OR, [never, c], "maybe")
    goals = ((100, 1), (70, never), (50, maybe), (30, c ^ 1), (0, 0))
    circuit = draft.circuit(("x",), (goals,))
    proof = build_proof_graph(circuit)
    literals = proof.graph.outputs
    assert literals[0] == TRUE
    assert literals[1] == literals[4] == FALSE
    states = random_states(30, 3, 2)
    assert holds(proof.graph, states).tolist() == [
        truth_by_circuit(circuit, s.tolist()) for s in states
    ]
    # Goals that are a single fluent have one neuron each.
    assert proof.graph.gate_count == 2
    wiring = wire(proof)
    assert wiring.output_row.tolist()[0] == 0
    assert wiring.output_sign.tolist() == [1, -1, 1, 1, -1]


def test_goals_on_moves_are_refused() -> None:
    draft = CircuitDraft(["a"], moves=2)
    goal = draft.gate(AND, [draft.fluent(0), 2 * 2])
    with pytest.raises(GameError, match="does"):
        build_proof_graph(draft.circuit(("x",), (((100, goal),),)))


def test_states_of_another_game_are_refused() -> None:
    proof = build_proof_graph(random_circuit(1))
    with pytest.raises(GameError, match=r"\[B, 8\]"):
        holds(proof.graph, np.zeros((2, 9), dtype=bool))


@pytest.mark.parametrize("share", ["network", "game"])
def test_wiring_keeps_order_and_children(share: str) -> None:
    proof = build_proof_graph(pentago_circuit())
    wiring = wire(proof, share)
    sizes = [len(proof.cone([goal])) for goal in range(len(proof.goals))]
    assert wiring.unit_count == (sum(sizes) if share == "network" else proof.graph.gate_count)
    owner = np.repeat(np.arange(wiring.unit_count), wiring.fan_in)
    assert (wiring.row < wiring.first_unit_row + owner).all()
    reads_unit = wiring.row >= wiring.first_unit_row
    read = wiring.row[reads_unit] - wiring.first_unit_row
    assert (wiring.network[read] == wiring.network[owner[reads_unit]]).all()
    literal = 2 * (proof.graph.input_count + wiring.node[read]) + wiring.negated[reads_unit]
    assert (literal == proof.graph.inputs_of(wiring.node)[0][reads_unit]).all()
    valued = [i for i, goal in enumerate(proof.goals) if goal.value > 0]
    last = wiring.output_row[valued].max() - wiring.first_unit_row
    assert last + 1 == wiring.valued_units
    if share == "network":
        zero = [i for i, goal in enumerate(proof.goals) if goal.value == 0]
        assert not np.isin(wiring.network[: wiring.valued_units], zero).any()


# (game of the library, neurons allowed): far fewer than its goals need.
LARGE = [("amazons5", 200), ("atarigo5", 300), ("hex5", 200), ("loa5", 500), ("reversi6", 400)]


def networks(circuit: Circuit, neurons: int, kind: str = "cilp") -> GoalNetworks:
    evaluator = make_evaluator(circuit, EvaluatorConfig(kind=kind, neurons=neurons))
    assert isinstance(evaluator, GoalNetworks)
    return evaluator


def truth(circuit: Circuit, states: np.ndarray) -> np.ndarray:
    """Return which goals hold, by the proof graph of the whole goals."""
    return holds(build_proof_graph(circuit).graph, states)


@given(seed=st.integers(0, 10**6), neurons=st.integers(4, 30))
def test_any_budget_keeps_the_truth(seed: int, neurons: int) -> None:
    circuit = random_circuit(seed, 8, 40)
    whole = build_proof_graph(circuit)
    cut = build_proof_graph(circuit, neurons)
    assert cut.graph.gate_count <= neurons
    assert (len(cut.redirected) > 0) == (whole.graph.gate_count > neurons)
    states = random_states(70, 8, seed)
    expected = holds(whole.graph, states)
    evaluator = networks(circuit, neurons)
    assert evaluator.wiring.unit_count <= neurons
    leaves = evaluator.reasoner(torch.from_numpy(states)).numpy()
    assert (holds(evaluator.wiring.proof.graph, leaves) == expected).all()
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
