"""Networks as the paper evaluates them, its claims, and the sound ones in log space."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.cilp_plain import PlainNetworks, truth_thresholds
from neurogame.evaluators.cilp_sound import SoundNetworks
from neurogame.evaluators.cilp_weights import a_min, sound_weight
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.proof_build import build_proof_graph
from neurogame.graph.evaluate import holds
from neurogame.graph.graph import AND, OR, TRUE
from tests.evaluators.hand_made import (
    Boards,
    CircuitDraft,
    SlowNetwork,
    five_stones,
    full_without_a_line,
    minimal_lines,
    pentago_circuit,
    random_circuit,
    random_states,
    red_line_circuit,
)


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
    truth = holds(wiring.proof.graph, states)
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
    assert not holds(evaluator.wiring.proof.graph, boards[:2])[:, 0].any()
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


def sound(circuit: Circuit, **settings: float | str) -> SoundNetworks:
    config = EvaluatorConfig(kind="cilp", **settings)  # type: ignore[arg-type]
    evaluator = make_evaluator(circuit, config)
    assert isinstance(evaluator, SoundNetworks)
    return evaluator


def conjunction(n: int) -> Circuit:
    """Return a goal that is the conjunction of n fluents."""
    draft = CircuitDraft([f"f{i}" for i in range(n)])
    goal = draft.gate(AND, [draft.fluent(i) for i in range(n)])
    return draft.circuit(("x",), (((100, goal),),))


def monotone_circuit(seed: int) -> Circuit:
    """Return a random formula in which every fluent has one polarity: the even ones negated."""
    generator = np.random.default_rng(seed)
    draft = CircuitDraft([f"f{i}" for i in range(8)])
    nodes = [draft.fluent(i) ^ (i % 2 == 0) for i in range(8)]
    for _ in range(7):
        picked = generator.choice(len(nodes), int(generator.integers(2, 6)), replace=False)
        nodes.append(draft.gate(int(generator.integers(2)), [nodes[i] for i in picked]))
    top = draft.gate(OR, nodes[-3:])
    return draft.circuit(("x",), (((100, top), (0, top ^ 1)),))


def log_odds(evaluator: SoundNetworks, fluents: Tensor) -> Tensor:
    """Return z of each network's own neuron, before the sign of the goal and the readout."""
    everything = torch.arange(len(evaluator.network_keys))
    leaves = evaluator.reasoner(fluents)
    deviations = evaluator._deviations(leaves, everything, evaluator.wiring.unit_count)
    return (deviations[:, 0] - deviations[:, 1]).t()


def interval(evaluator: SoundNetworks) -> tuple[Tensor, Tensor]:
    """Return what ends falsity and begins truth: the readout's images of -A_min and A_min."""
    index = torch.arange(len(evaluator.network_keys))
    ends = evaluator.landmarks[1:] - torch.stack([evaluator.room, -evaluator.room])
    outputs = evaluator._squashed(ends.to(evaluator.log_tau.dtype), index)
    sign = evaluator.output_sign.to(outputs.dtype)
    # A negated goal is false where its neuron is true.
    images = torch.sort(sign * outputs, dim=0).values
    images = torch.where(evaluator.output_row == 0, sign, images)
    return images[0], images[1]


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), beta=st.sampled_from([0.7, 1.0, 2.0]))
def test_log_odds_are_those_of_the_slow_twin(seed: int, beta: float) -> None:
    evaluator = sound(random_circuit(seed), beta=beta).double()
    proof = evaluator.wiring.proof
    states = random_states(3, 8, seed)
    found = log_odds(evaluator, torch.from_numpy(states)).detach()
    for goal, root in enumerate(proof.graph.outputs.tolist()):
        if root > TRUE:
            twin = SlowNetwork(proof, goal, None, beta=beta)
            expected = [float(twin.log_odds(s.tolist(), evaluator.reserve)) for s in states]
            # Bias weights are kept in float32.
            assert found[:, goal].tolist() == pytest.approx(expected, rel=1e-5, abs=1e-4)


def test_ten_thousand_pairs_without_a_violation() -> None:
    pairs = 0
    for seed in range(25):
        evaluator = sound(random_circuit(seed, fluents=16, gates=14, fan_in=10))
        proof = evaluator.wiring.proof
        states = random_states(110, 16, seed)
        with torch.no_grad():
            outputs = evaluator.networks(torch.from_numpy(states))
        false, true = (end.detach() for end in interval(evaluator))
        truth = torch.from_numpy(holds(proof.graph, states))
        constant = torch.from_numpy(proof.graph.outputs <= TRUE)
        assert bool(torch.where(truth, outputs > true, outputs < false)[:, ~constant].all())
        assert bool(((outputs > 0) == truth).all())
        assert bool(((false < 0) & (true > 0))[~constant].all())
        pairs += outputs.numel()
    assert pairs >= 10_000


def test_every_state_of_a_formula() -> None:
    for seed in range(3):
        evaluator = sound(random_circuit(seed, fluents=12, gates=20, fan_in=12))
        states = (np.arange(2**12)[:, None] >> np.arange(12) & 1).astype(bool)
        outputs = evaluator.networks(torch.from_numpy(states)).detach().numpy()
        assert ((outputs > 0) == holds(evaluator.wiring.proof.graph, states)).all()


@pytest.mark.parametrize("detail", [0.0, 0.5])
def test_pentago_keeps_won_above_all_others(detail: float) -> None:
    evaluator = sound(pentago_circuit(), detail=detail)
    others = np.concatenate(
        [np.zeros((1, 72), bool), full_without_a_line(), five_stones(2000, won=False)]
    )
    won = evaluator.networks(torch.from_numpy(minimal_lines()))[:, 0].detach()
    lost = evaluator.networks(torch.from_numpy(others))[:, 0].detach()
    false, true = (end.detach()[0] for end in interval(evaluator))
    assert float(won.min()) > float(true) > 0 > float(false) > float(lost.max())
    # The empty board is the worst of all.
    assert float(lost.min()) == float(lost[0]) > -1.0


def test_float32_tells_five_stone_boards_apart() -> None:
    """Where plain float32 has five different outputs."""
    boards = torch.from_numpy(five_stones(20_000))
    with torch.no_grad():
        evaluator = sound(red_line_circuit())
        assert len(torch.unique(evaluator.networks(boards))) >= 2000
        assert len(torch.unique(evaluator(boards))) >= 2000
        logic_alone = sound(red_line_circuit(), detail=0.0)
        assert len(torch.unique(log_odds(logic_alone, boards))) >= 500
        blind = make_evaluator(red_line_circuit(), EvaluatorConfig(kind="cilp-paper", weight="eq4"))
        assert isinstance(blind, PlainNetworks)
        assert len(torch.unique(blind.networks(boards))) < 10


@pytest.mark.parametrize("trained", [False, True])
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_more_satisfied_literals_never_lower_the_output(trained: bool, seed: int) -> None:
    evaluator = sound(monotone_circuit(seed))
    generator = torch.Generator().manual_seed(seed)
    if trained:
        with torch.no_grad():
            for parameter in (evaluator.rho, evaluator.bias, evaluator.log_tau, evaluator.shift):
                parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=0.3)
    order = np.random.default_rng(seed).permutation(8)
    state = np.arange(8) % 2 == 0
    chain = [state.copy()]
    for fluent in order:
        state[fluent] = ~state[fluent]
        chain.append(state.copy())
    outputs = evaluator.networks(torch.from_numpy(np.stack(chain))).detach()
    assert bool((outputs[1:, 0] >= outputs[:-1, 0] - 1e-6).all())
    assert bool((outputs[1:, 1] <= outputs[:-1, 1] + 1e-6).all())


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_in_real_arithmetic_every_literal_counts_strictly(seed: int) -> None:
    proof = build_proof_graph(monotone_circuit(seed))
    twin = SlowNetwork(proof, 0, None)
    read = {(int(c) >> 1) - 1 for c in proof.graph.inputs} & set(range(8))
    state = [i % 2 == 0 for i in range(8)]
    values = [twin.output(state)]
    for fluent in sorted(read):
        state[fluent] = not state[fluent]
        values.append(twin.output(state))
    assert all(lower < upper for lower, upper in pairwise(values))


def test_wide_conjunctions_keep_their_resolution() -> None:
    """A hundred literals: each one more shows in float32, from the first to the last."""
    states = torch.tril(torch.ones(101, 100), diagonal=-1).bool()
    outputs = sound(conjunction(100)).networks(states)[:, 0].detach()
    values = sound(conjunction(100))(states)[:, 0].detach()
    for column in (outputs, values):
        assert bool((column[1:] > column[:-1]).all())
    assert float(outputs[-1]) > 0 > float(outputs[-2])


@pytest.mark.parametrize("seed", [1, 2])
def test_gradients_of_sound_networks(seed: int) -> None:
    evaluator = sound(random_circuit(seed, gates=6, fan_in=4)).double()
    states = torch.from_numpy(random_states(2, 8, seed))
    with torch.no_grad():
        evaluator.rho.add_(torch.randn(evaluator.rho.shape, dtype=torch.float64), alpha=0.1)
    parameters = (evaluator.rho, evaluator.bias, evaluator.log_tau, evaluator.shift)
    assert torch.autograd.gradcheck(lambda *_: evaluator.networks(states), parameters)


def test_graded_fluents_get_gradients_in_sound_networks() -> None:
    evaluator = sound(random_circuit(4)).double()
    degrees = torch.rand(2, 8, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(evaluator.networks, (degrees,))


@pytest.mark.parametrize("fill", [False, True])
def test_extreme_states_have_finite_values_and_gradients(fill: bool) -> None:
    for circuit in (pentago_circuit(), conjunction(400), random_circuit(9, 10, 60, 10)):
        evaluator = sound(circuit)
        states = torch.full((3, len(circuit.fluents)), fill)
        outputs = evaluator.networks(states)
        assert bool((outputs.abs() <= 1).all())
        torch.autograd.backward(outputs.sum())
        gradients = [p.grad for p in evaluator.parameters() if p.grad is not None]
        assert len(gradients) == 4
        assert all(bool(torch.isfinite(g).all()) for g in gradients)
        assert float(gradients[0].abs().max()) > 0.0


def test_training_one_network_leaves_the_others_alone() -> None:
    states = torch.from_numpy(five_stones(50))
    for share, untouched in (("network", True), ("game", False)):
        evaluator = sound(pentago_circuit(), share=share)
        before = evaluator.networks(states).detach()
        optimiser = torch.optim.SGD([evaluator.rho, evaluator.bias], lr=0.5)
        torch.autograd.backward(evaluator.networks(states)[:, 0].sum())
        optimiser.step()
        after = evaluator.networks(states).detach()
        assert not torch.equal(before[:, 0], after[:, 0])
        assert torch.equal(before[:, 1:], after[:, 1:]) == untouched


def test_kept_ends_follow_the_parameters() -> None:
    evaluator = sound(pentago_circuit())
    states = torch.from_numpy(five_stones(20))
    with torch.no_grad():
        before = evaluator(states)
        evaluator.bias.add_(0.5)
        after = evaluator(states)
        fresh = sound(pentago_circuit())
        fresh.load_state_dict(evaluator.state_dict())
        assert not torch.equal(before, after)
        assert torch.equal(fresh(states), after)
    # With gradients the last bits may differ: the readout is torch's then, not the kernel's.
    assert torch.allclose(evaluator(states).detach(), after, atol=1e-6)
