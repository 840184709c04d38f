"""The networks as the paper evaluates them, and its claims about them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.cilp_plain import PlainNetworks, truth_thresholds
from neurogame.evaluators.cilp_weights import a_min, sound_weight
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.graph.graph import AND, OR, TRUE
from tests.evaluators.hand_made import (
    Boards,
    CircuitDraft,
    five_stones,
    full_without_a_line,
    minimal_lines,
    pentago_circuit,
    random_circuit,
    random_states,
)
from tests.evaluators.slow_twin import SlowNetwork


def plain(circuit_seed: int, **settings: float | str) -> PlainNetworks:
    config = EvaluatorConfig(kind="cilp-paper", **settings)  # type: ignore[arg-type]
    evaluator = make_evaluator(random_circuit(circuit_seed), config)
    assert isinstance(evaluator, PlainNetworks)
    return evaluator.double()


def pentago(weight: float | str) -> PlainNetworks:
    config = EvaluatorConfig(kind="cilp-paper", weight=weight)
    evaluator = make_evaluator(pentago_circuit(), config)
    assert isinstance(evaluator, PlainNetworks)
    return evaluator


def test_weights_of_a_formula_of_three_nodes() -> None:
    draft = CircuitDraft(["a", "b", "c"])
    both = draft.gate(AND, [draft.fluent(0), draft.fluent(1) ^ 1])
    top = draft.gate(OR, [both ^ 1, draft.fluent(2), draft.fluent(0)])
    config = EvaluatorConfig(kind="cilp-paper", weight=2.0)
    evaluator = make_evaluator(draft.circuit(("x",), (((100, top),),)), config)
    assert isinstance(evaluator, PlainNetworks)
    assert evaluator.weight.tolist() == [2.0, -2.0, 2.0, 2.0, -2.0]
    threshold = 1 - 0.4 / 4
    expected = [-(1 + threshold) / 2 * 2.0, (1 + threshold) * 2 / 2 * 2.0]
    assert evaluator.bias.tolist() == pytest.approx(expected, abs=1e-6)


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), weight=st.sampled_from([0.5, 1.0, "eq4"]))
def test_outputs_are_those_of_the_slow_twin(seed: int, weight: float | str) -> None:
    # Weights are kept in float32, so this is as exact as they are.
    evaluator = plain(seed, weight=weight)
    proof = evaluator.wiring.proof
    states = random_states(6, 8, seed)
    found = evaluator.networks(torch.from_numpy(states)).detach()
    for goal, root in enumerate(proof.graph.outputs.tolist()):
        if root <= TRUE:
            assert found[:, goal].tolist() == [1.0 if root == TRUE else -1.0] * 6
            continue
        twin = SlowNetwork(proof, goal, None if weight == "eq4" else float(weight))
        expected = [float(twin.output(state.tolist())) for state in states]
        assert found[:, goal].tolist() == pytest.approx(expected, abs=3e-6)


@pytest.mark.parametrize("kind", [AND, OR])
@pytest.mark.parametrize("n", range(2, 13))
def test_truth_tables(kind: int, n: int) -> None:
    draft = CircuitDraft([f"f{i}" for i in range(n)])
    top = draft.gate(kind, [draft.fluent(i) for i in range(n)])
    config = EvaluatorConfig(kind="cilp-paper", weight="eq4")
    evaluator = make_evaluator(draft.circuit(("x",), (((100, top),),)), config)
    assert isinstance(evaluator, PlainNetworks)
    states = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)
    truth = states.all(1) if kind == AND else states.any(1)
    output = evaluator.networks(torch.from_numpy(states))[:, 0].detach().numpy()
    assert (output[truth] > a_min(n)).all()
    assert (output[~truth] < -a_min(n)).all()


def undecided(evaluator: PlainNetworks, states: Boards) -> int:
    """Return how many formula and state pairs are on the wrong side of +-A_min."""
    wiring = evaluator.wiring
    outputs = evaluator.networks(torch.from_numpy(states)).detach().numpy()
    truth = wiring.proof.holds(states)
    thresholds = truth_thresholds(wiring, 0.2).numpy()
    wrong = 0
    for goal, row in enumerate(wiring.output_row):
        if row > 0:
            a = thresholds[row - wiring.first_unit_row]
            right = np.where(truth[:, goal], outputs[:, goal] > a, outputs[:, goal] < -a)
            wrong += int((~right).sum())
    return wrong


def test_sound_weights_decide_everything() -> None:
    config = EvaluatorConfig(kind="cilp-paper", weight="eq4")
    for seed in range(30):
        evaluator = make_evaluator(random_circuit(seed, 20, 16, 14), config)
        assert isinstance(evaluator, PlainNetworks)
        assert undecided(evaluator.double(), random_states(100, 20, seed)) == 0


@pytest.mark.parametrize("kind", [AND, OR])
def test_slightly_smaller_weights_fail_in_the_tightest_case(kind: int) -> None:
    """Of 40 literals all but one are false (true): the worst case of equation (4)."""
    signs = np.arange(40) % 3 == 0
    draft = CircuitDraft([f"f{i}" for i in range(40)])
    top = draft.gate(kind, [draft.fluent(i) ^ int(signs[i]) for i in range(40)])
    circuit = draft.circuit(("x",), (((100, top),),))
    literals = np.eye(40, dtype=bool)
    states = np.concatenate([literals ^ signs, ~literals ^ signs])
    for factor, expected in ((1.0, 0), (0.98, 40)):
        weight = factor * sound_weight(40, a_min(40))
        evaluator = make_evaluator(circuit, EvaluatorConfig(kind="cilp-paper", weight=weight))
        assert isinstance(evaluator, PlainNetworks)
        assert undecided(evaluator.double(), states) == expected


def test_pentago_at_the_published_weight_breaks_its_own_condition() -> None:
    """W = 1: the best board without a line is rated above the worst board with one."""
    evaluator = pentago(1.0)
    boards = np.concatenate([np.zeros((1, 72), bool), full_without_a_line(), minimal_lines()])
    outputs = evaluator.networks(torch.from_numpy(boards))[:, 0].tolist()
    assert not evaluator.wiring.proof.holds(boards[:2])[:, 0].any()
    assert outputs[0] == pytest.approx(0.205, abs=5e-4)
    assert outputs[1] == pytest.approx(0.984, abs=2e-3)
    assert min(outputs[2:]) == pytest.approx(0.508, abs=5e-4)


def test_pentago_at_the_sound_weight_is_logical_but_blind() -> None:
    evaluator = pentago("eq4")
    assert float(evaluator.weight.detach().abs().max()) == pytest.approx(5.1986, abs=5e-5)
    assert sound_weight(12, a_min(12)) == pytest.approx(5.1986, abs=5e-5)
    won = evaluator.networks(torch.from_numpy(minimal_lines()))[:, 0]
    others = np.concatenate([full_without_a_line(), five_stones(2000, won=False)])
    lost = evaluator.networks(torch.from_numpy(others))[:, 0]
    assert float(won.detach().min()) == pytest.approx(0.986, abs=5e-4)
    assert float(lost.detach().max()) == pytest.approx(-0.989, abs=5e-4)
    assert len(torch.unique(lost)) < 10


def test_noise_only_ever_increases_absolute_weights() -> None:
    quiet, noisy = plain(3), plain(3, noise=0.05)
    growth = (noisy.weight.abs() - quiet.weight.abs()).detach()
    assert float(growth.min()) >= 0.0
    assert 0.01 < float(growth.max()) <= 0.05
    assert torch.equal(noisy.weight, plain(3, noise=0.05).weight)
    assert torch.equal(noisy.weight.sign(), quiet.weight.sign())


def test_gradients() -> None:
    evaluator = plain(11)
    states = torch.from_numpy(random_states(3, 8, 5))
    parameters = (evaluator.weight, evaluator.bias)
    assert torch.autograd.gradcheck(lambda *_: evaluator.networks(states), parameters)


def test_graded_fluents_get_gradients() -> None:
    evaluator = plain(12)
    degrees = torch.rand(2, 8, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(evaluator.networks, (degrees,))
