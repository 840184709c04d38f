"""Fluxplayer's evaluation: its definition, its threshold, and how goals become values."""

from __future__ import annotations

import copy
import json
import math
import random

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError, GameError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.fluxplayer import FluxplayerGoals
from neurogame.evaluators.proof import ProofGraph
from neurogame.evaluators.proof_build import build_proof_graph
from neurogame.evaluators.rebuild import rebuild_evaluator
from neurogame.graph.evaluate import holds
from neurogame.graph.graph import AND, OR
from neurogame.kernels.neural.backend import VARIABLE
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states
from tests.circuit.by_hand import with_outputs
from tests.conftest import shared
from tests.evaluators.hand_made import CircuitDraft, random_circuit, random_states
from tests.evaluators.rules_networks import states_in_play

Norm = tuple[float, float, float]
NORMS = [(0.75, 0.6, 25.0), (0.9, 0.9, 2.0), (0.6, 0.55, 6.0), (0.8, 0.7, 1.0)]


def fluxplayer(circuit: Circuit | Game, norm: Norm = NORMS[0], **settings: int) -> FluxplayerGoals:
    p, t, q = norm
    numbers = {"flux_p": p, "flux_t": t, "flux_q": q}
    config = EvaluatorConfig(kind="fluxplayer", **numbers, **settings)  # type: ignore[arg-type]
    evaluator = make_evaluator(circuit, config)
    assert isinstance(evaluator, FluxplayerGoals)
    return evaluator


def ending(circuit: Circuit, seed: int) -> Circuit:
    """Return a circuit with some literal as the end of the game."""
    choose = random.Random(seed)
    literal = choose.choice([0, 1, choose.randrange(2, 2 * circuit.graph.node_count)])
    return with_outputs(circuit, terminal=literal)


def threshold_norm(truths: list[float], norm: Norm) -> float:
    """The t-norm T' as it is defined."""
    _, t, q = norm
    yager = 1 - min(1.0, math.pow(sum(math.pow(1 - a, q) for a in truths), 1 / q))
    return max(yager, t) if min(truths) > 0.5 else yager


def by_the_book(proof: ProofGraph, literal: int, state: list[bool], norm: Norm) -> float:
    """Truth of a formula as it is defined."""
    graph, node = proof.graph, literal >> 1
    gate = node - graph.input_count
    if node == 0:
        return float(literal & 1)
    if gate < 0:
        truth = norm[0] if state[node - 1] else 1 - norm[0]
    else:
        children = graph.inputs[graph.start[gate] : graph.start[gate + 1]].tolist()
        values = [by_the_book(proof, child, state, norm) for child in children]
        if graph.kind[gate] == AND:
            truth = threshold_norm(values, norm)
        else:
            truth = 1 - threshold_norm([1 - value for value in values], norm)
    return 1 - truth if literal & 1 else truth


def value_by_the_book(truths: list[float], proof: ProofGraph, role: int, norm: Norm) -> float:
    """The value of a role from the truth of the goals and, last, of the end."""
    rest, end = 1.0, truths[-1]
    for goal, truth in zip(proof.goals[:-1], truths, strict=False):
        if goal.role == role:
            if truth > 0.5:
                degree = 1 - threshold_norm([1 - truth, 1 - end], norm)
            else:
                degree = threshold_norm([truth, 1 - end], norm)
            rest *= 1 - degree * goal.value / 100
    return 0.01 + 0.98 * (1 - rest)


def truth_of(evaluator: FluxplayerGoals, states: np.ndarray) -> Tensor:
    """Return the fuzzy truth of every goal, and last of the end of the game; ``[B, V]``."""
    leaves = evaluator.reasoner(torch.from_numpy(states))
    everything = torch.arange(len(evaluator.network_keys))
    both = evaluator._channels(leaves, everything, evaluator.wiring.unit_count)
    signs = evaluator.output_sign.to(both.dtype)
    truth = torch.where(signs > 0, both[:, 0].t(), both[:, 1].t())
    return torch.where(evaluator.output_row == 0, (signs + 1) / 2, truth)


@given(seed=st.integers(0, 10**6), norm=st.sampled_from(NORMS))
def test_truth_and_values_are_those_of_the_definition(seed: int, norm: Norm) -> None:
    evaluator = fluxplayer(ending(random_circuit(seed), seed), norm)
    proof = evaluator.wiring.proof
    states = random_states(3, 8, seed)
    truths, values = truth_of(evaluator, states), evaluator(torch.from_numpy(states))
    for state, found, value in zip(states.tolist(), truths.tolist(), values.tolist(), strict=True):
        expected = [by_the_book(proof, x, state, norm) for x in proof.graph.outputs.tolist()]
        assert found == pytest.approx(expected, abs=1e-5)
        wanted = [value_by_the_book(expected, proof, role, norm) for role in range(2)]
        assert value == pytest.approx(wanted, abs=1e-5)


def check_threshold(evaluator: FluxplayerGoals, states: np.ndarray, holds: np.ndarray) -> None:
    """The truth is at least t where a formula holds and at most 1 - t elsewhere, exactly."""
    for own, dtype in ((evaluator, np.float32), (copy.deepcopy(evaluator).double(), np.float64)):
        truth = truth_of(own, states).numpy()
        t = dtype(own.norm.t)
        constant = own.output_row.numpy() == 0
        assert truth.dtype == dtype
        assert ((truth >= t) == holds).all()
        assert ((truth <= 1 - t) == ~holds).all()
        assert (truth[:, constant] == holds[:, constant]).all()
        assert ((truth >= 0) & (truth <= 1)).all()


@given(
    seed=st.integers(0, 10**6),
    fluents=st.integers(4, 60),
    gates=st.integers(4, 80),
    fan_in=st.integers(2, 60),
    p=st.floats(0.5, 1.0, exclude_min=True, exclude_max=True, width=32),
    share=st.floats(0.0, 1.0),
    q=st.floats(1.0, 100.0),
)
def test_the_truth_says_whether_the_formula_holds(
    seed: int, fluents: int, gates: int, fan_in: int, p: float, share: float, q: float
) -> None:
    p = max(p, 0.5001)
    norm = (p, min(0.50005 + share * (p - 0.50005), p), q)
    circuit = ending(random_circuit(seed, fluents, gates, fan_in), seed)
    evaluator = fluxplayer(circuit, norm)
    states = random_states(20, fluents, seed)
    check_threshold(evaluator, states, holds(evaluator.wiring.proof.graph, states))


def test_it_does_so_at_any_fan_in_and_depth() -> None:
    draft = CircuitDraft([f"f{i}" for i in range(2000)])
    wide = [draft.gate(kind, [draft.fluent(i) for i in range(2000)]) for kind in (AND, OR)]
    layer = [draft.fluent(i) for i in range(4)]
    for depth in range(300):
        kind = OR if depth % 2 else AND
        layer = [draft.gate(kind, [layer[i], layer[(i + 1) % 4] ^ (i == 0)]) for i in range(4)]
    goals = ((100, wide[0]), (60, wide[1]), (40, layer[0]), (20, layer[1] ^ 1))
    circuit = with_outputs(draft.circuit(("x",), (goals,)), terminal=layer[2])
    states = np.zeros((6, 2000), np.bool_)
    states[1], states[2, 7], states[3], states[4], states[5, :2] = True, True, True, True, True
    states[3, 7] = states[4, 1:3] = False
    for norm in (*NORMS, (0.99, 0.51, 100.0), (0.51, 0.51, 100.0)):
        evaluator = fluxplayer(circuit, norm)
        check_threshold(evaluator, states, holds(evaluator.wiring.proof.graph, states))


def test_more_satisfied_literals_are_worth_more() -> None:
    """At the default numbers, in conjunctions of up to 1000 literals."""
    draft = CircuitDraft([f"f{i}" for i in range(1000)])
    circuit = draft.circuit(("x",), (((100, draft.gate(AND, [2 + 2 * i for i in range(1000)])),),))
    states = torch.tril(torch.ones(1001, 1000), -1).bool()[::10]
    values = fluxplayer(circuit)(states)[:, 0]
    assert bool((values.diff() > 0).all())


def test_the_end_is_wanted_where_the_goal_holds_only() -> None:
    draft = CircuitDraft(["won", "over"])
    won, over = draft.fluent(0), draft.fluent(1)
    circuit = draft.circuit(("x", "o", "z"), (((100, won), (0, won ^ 1)), ((50, won ^ 1),), ()))
    circuit = with_outputs(circuit, terminal=over)
    states = torch.tensor([[True, True], [True, False], [False, False], [False, True]])
    values = fluxplayer(circuit, (0.75, 0.6, 2.0))(states)
    assert values[:, 0].tolist() == sorted(values[:, 0].tolist(), reverse=True)
    assert values[:2, 0].min() > 0.01 + 0.98 * 0.59
    assert values[2:, 0].max() < 0.01 + 0.98 * 0.41
    assert values[3, 1] > values[2, 1] > values[1, 1] > values[0, 1]
    assert values[:, 1].max() <= 0.5001
    assert values[:, 2].tolist() == pytest.approx([0.01] * 4)


GAMES = ["connectFour", "breakthrough", "ticTacToe", "pentago", "chineseCheckers3", "eightPuzzle"]


@pytest.mark.parametrize("name", [*GAMES, "biddingTicTacToe"])
def test_goals_and_end_of_shared_games(name: str) -> None:
    game = Game.load(shared("games", f"{name}.kif"))
    states = sample_states(game.simulator(), 100, seed=2)
    flags, look = states.to_bool().numpy(), game.simulator().look(states)
    evaluator = fluxplayer(game, neurons=2000)
    leaves = evaluator.reasoner(torch.from_numpy(flags)).numpy()
    truth = holds(evaluator.wiring.proof.graph, leaves)
    check_threshold(evaluator, flags, truth)
    assert (truth[:, -1] == look.terminal.numpy()).all()
    assert (truth[:, :-1] == game.simulator().derive(states).goal_flags.numpy()).all()
    values = evaluator(torch.from_numpy(flags))
    assert values.shape == (100, len(game.roles))
    assert bool(((values >= 0.0099) & (values <= 0.9901)).all())


def test_the_compiled_networks_keep_the_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    for seed, norm in enumerate(NORMS * 5):
        evaluator = fluxplayer(ending(random_circuit(seed, 12, 30, 9), seed), norm)
        states = torch.from_numpy(random_states(100, 12, seed))
        truth = holds(evaluator.wiring.proof.graph, states.numpy())
        monkeypatch.setenv(VARIABLE, "torch")
        wanted = evaluator.networks(states)
        monkeypatch.setenv(VARIABLE, "kernel")
        found = evaluator.networks(states)
        assert (found - wanted).abs().max() <= 1e-5
        least = 2 * np.float32(norm[1]) - 1
        assert ((found.numpy() >= least) == truth).all()
        assert ((found.numpy() <= -least) == ~truth).all()


def test_the_end_of_the_game_is_a_part_of_the_proof_graph_if_wanted() -> None:
    circuit = Game.load("tictactoe").circuit
    without, both = build_proof_graph(circuit), build_proof_graph(circuit, end=True)
    assert [goal.role for goal in both.goals] == [*(goal.role for goal in without.goals), -1]
    assert both.goal_label(len(both.goals) - 1) == "terminal"
    assert not any(goal.role < 0 for goal in without.goals)
    draft = CircuitDraft(["a"], moves=1)
    moving = draft.circuit(("x",), (((100, draft.fluent(0)),),))
    with pytest.raises(GameError, match="depends on a move"):
        build_proof_graph(with_outputs(moving, terminal=4), end=True)


@pytest.mark.parametrize("norm", [(0.99, 0.51, 25.0), (0.99, 0.51, 100.0), (0.99, 0.6, 100.0)])
def test_compiled_values_are_the_same_where_truths_reach_0(norm: Norm) -> None:
    game = Game.load("connectfour5")
    evaluator = fluxplayer(game, norm)
    states = states_in_play(game, 40).to_bool()
    torch.testing.assert_close(evaluator(states), evaluator(states.float()), atol=1e-5, rtol=0)


def test_it_is_rebuilt_from_its_description_and_has_nothing_to_learn() -> None:
    circuit = random_circuit(3)
    evaluator = fluxplayer(circuit, (0.8, 0.7, 9.0))
    described = json.loads(json.dumps(evaluator.describe()))
    twin = rebuild_evaluator(circuit, described)
    twin.load_state_dict(evaluator.state_dict())
    states = torch.from_numpy(random_states(20, 8, 1))
    assert torch.equal(twin(states), evaluator(states))
    assert list(evaluator.parameters()) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"flux_p": 0.5}, "flux_p=0.5; allowed: a finite number"),
        ({"flux_p": 1.0}, "flux_p=1.0; allowed: a finite number"),
        ({"flux_t": 0.5}, "flux_t=0.5; allowed: a finite number"),
        ({"flux_t": 0.8}, "at most flux_p, 0.75"),
        ({"flux_q": 0.9}, "flux_q=0.9; allowed: a finite number"),
        ({"flux_q": 101.0}, "flux_q=101.0; allowed: a finite number .1..100."),
    ],
)
def test_numbers_out_of_range_are_refused(changes: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        EvaluatorConfig(kind="fluxplayer", **changes)  # type: ignore[arg-type]
