"""All kinds of evaluators: made, described, rebuilt, and refused where they do not fit."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.errors import ConfigurationError, GameError
from neurogame.evaluators import plan
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.cilp_plain import PlainNetworks
from neurogame.evaluators.config import KINDS, EvaluatorConfig
from neurogame.evaluators.fuzzy import FuzzyGoals
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.evaluators.proof import ProofGraph
from neurogame.evaluators.proof_build import build_proof_graph
from neurogame.evaluators.rebuild import rebuild_evaluator
from neurogame.evaluators.true_goal import state_values
from neurogame.evaluators.wiring import wire
from neurogame.graph.graph import AND, OR, TRUE
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game
from tests.evaluators.hand_made import CircuitDraft, pentago_circuit, random_circuit, random_states
from tests.library import load

RACE = """
(role x) (role o)
(base (at 0)) (base (at 1)) (base (at 2))
(init (at 0))
(succ 0 1) (succ 1 2)
(<= (input ?r step) (role ?r))
(<= (input ?r wait) (role ?r))
(<= (legal ?r step) (role ?r))
(<= (legal ?r wait) (role ?r))
(<= (next (at ?b)) (true (at ?a)) (succ ?a ?b) (does x step))
(<= (next (at ?a)) (true (at ?a)) (does x wait))
(<= (next (at 2)) (true (at 2)))
(<= terminal (true (at 2)))
(<= (goal x 100) (true (at 2)))
(<= (goal x 0) (not (true (at 2))))
(<= (goal o 70) (not (true (at 2))))
(<= (goal o 20) (true (at 2)))
"""


def test_a_kind_alone_is_enough() -> None:
    assert isinstance(make_evaluator("tictactoe", "fuzzy"), FuzzyGoals)
    with pytest.raises(ConfigurationError, match=r"kind='fuzz'; allowed: one of cilp"):
        make_evaluator("tictactoe", "fuzz")


@pytest.mark.parametrize("kind", KINDS)
def test_description_and_state_rebuild_an_evaluator(kind: str) -> None:
    config = EvaluatorConfig(kind=kind, noise=0.1, hidden=(8, 4), exponent=3.0)
    evaluator = make_evaluator(pentago_circuit(), config, seed=5)
    with torch.no_grad():
        for parameter in evaluator.parameters():
            parameter.add_(torch.randn(parameter.shape), alpha=0.1)
    described = json.loads(json.dumps(evaluator.describe()))
    again = rebuild_evaluator(pentago_circuit(), described)
    again.load_state_dict(evaluator.state_dict())
    states = torch.from_numpy(random_states(40, 72, 1))
    values = evaluator(states).detach()
    assert torch.equal(again(states).detach(), values)
    assert again.describe() == evaluator.describe()
    assert described["kind"] == kind
    assert values.shape == (40, 2)
    assert values.dtype == torch.float32
    assert 0.0 <= float(values.min()) <= float(values.max()) <= 1.0
    assert float(values.std()) > 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_decide_everything(kind: str) -> None:
    config = EvaluatorConfig(kind=kind, noise=0.1)
    states = torch.from_numpy(random_states(10, 72, 2))
    one, same, other = (make_evaluator(pentago_circuit(), config, seed=s) for s in (1, 1, 2))
    assert torch.equal(one(states), same(states))
    assert torch.equal(one(states), other(states)) == (kind in ("fuzzy", "fluxplayer"))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("mlp", "fluxplayer")])
def test_values_come_from_the_networks(kind: str) -> None:
    evaluator = make_evaluator(random_circuit(8), EvaluatorConfig(kind=kind, exponent=1.0))
    assert isinstance(evaluator, GoalNetworks)
    assert evaluator.network_keys == ((0, 100), (0, 0), (1, 100), (1, 50))
    states = torch.from_numpy(random_states(30, 8, 3))
    outputs, values = evaluator.networks(states).detach(), evaluator(states).detach()
    degrees = (outputs + 1) / 2
    expected = torch.stack([degrees[:, 0], (2 * degrees[:, 2] + degrees[:, 3]) / 3], dim=1)
    assert torch.allclose(values, 0.98 * expected + 0.01, atol=1e-6)


@pytest.mark.parametrize("kind", ["cilp", "cilp-paper", "fuzzy", "fluxplayer"])
def test_large_batches_are_cut_without_a_difference(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluator = make_evaluator(pentago_circuit(), EvaluatorConfig(kind=kind))
    states = torch.from_numpy(random_states(101, 72, 4))
    whole = evaluator(states).detach()
    monkeypatch.setattr(plan, "GATHER_LIMIT", 1)
    assert torch.allclose(evaluator(states).detach(), whole, atol=1e-6)
    assert evaluator(states[:0]).shape == (0, 2)


@pytest.mark.parametrize("kind", ["cilp", "cilp-paper", "fuzzy"])
def test_shared_and_separate_networks_agree_before_training(kind: str) -> None:
    # With the same fan-ins everywhere A_min and W are the same, too.
    states = torch.from_numpy(random_states(50, 72, 5))
    found = []
    for share in ("network", "game"):
        evaluator = make_evaluator(pentago_circuit(), EvaluatorConfig(kind=kind, share=share))
        assert isinstance(evaluator, GoalNetworks)
        assert evaluator.wiring.share == share
        found.append(evaluator.networks(states).detach())
    assert torch.allclose(found[0], found[1], atol=1e-5)


def test_random_twin_has_the_same_neurons_and_other_weights() -> None:
    paper = make_evaluator(pentago_circuit(), EvaluatorConfig(kind="cilp-paper"))
    twin = make_evaluator(pentago_circuit(), EvaluatorConfig(kind="random"))
    assert isinstance(paper, PlainNetworks)
    assert isinstance(twin, PlainNetworks)
    assert paper.weight.shape == twin.weight.shape
    assert paper.bias.shape == twin.bias.shape
    assert 0.4 < float((twin.weight > 0).float().mean()) < 0.6


def fuzzy_by_the_book(proof: ProofGraph, literal: int, state: list[bool], p: float) -> float:
    graph, node = proof.graph, literal >> 1
    gate = node - graph.input_count
    if gate < 0:
        truth = p if state[node - 1] else 1 - p
    else:
        children = graph.inputs[graph.start[gate] : graph.start[gate + 1]].tolist()
        values = [fuzzy_by_the_book(proof, child, state, p) for child in children]
        if graph.kind[gate] == AND:
            truth = float(np.prod(values))
        else:
            truth = 1 - float(np.prod([1 - v for v in values]))
    return 1 - truth if literal & 1 else truth


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), p=st.sampled_from([0.6, 0.9, 0.99]))
def test_fuzzy_goals_are_those_of_the_definition(seed: int, p: float) -> None:
    config = EvaluatorConfig(kind="fuzzy", confidence=p)
    evaluator = make_evaluator(random_circuit(seed), config)
    assert isinstance(evaluator, FuzzyGoals)
    states = random_states(3, 8, seed)
    found = evaluator.networks(torch.from_numpy(states))
    proof = evaluator.wiring.proof
    for goal, root in enumerate(proof.graph.outputs.tolist()):
        if root > TRUE:
            expected = [2 * fuzzy_by_the_book(proof, root, s.tolist(), p) - 1 for s in states]
            assert found[:, goal].tolist() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("kind", ["cilp", "cilp-paper", "fuzzy"])
def test_constant_goals(kind: str) -> None:
    draft = CircuitDraft(["a"])
    goals = (((100, 1), (50, draft.fluent(0) ^ 1), (0, 0)), ((0, 1),), ())
    circuit = draft.circuit(("x", "o", "z"), goals)
    evaluator = make_evaluator(circuit, kind)
    assert isinstance(evaluator, GoalNetworks)
    states = torch.tensor([[True], [False]])
    outputs, values = evaluator.networks(states).detach(), evaluator(states).detach()
    assert outputs[:, 0].tolist() == [1.0, 1.0]
    assert outputs[:, 2].tolist() == [-1.0, -1.0]
    assert outputs[0, 1] < 0 < outputs[1, 1]
    assert values[:, 1:].flatten().tolist() == pytest.approx([0.01] * 4)
    only = draft.circuit(("x",), (((100, 1), (0, 0)),))
    alone = make_evaluator(only, kind)
    assert alone(states).flatten().tolist() == pytest.approx([0.99, 0.99])
    none = make_evaluator(draft.circuit(("x",), ((),)), EvaluatorConfig(kind=kind))
    assert none(states).flatten().tolist() == pytest.approx([0.01, 0.01])


def test_large_networks_share_their_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    proof = build_proof_graph(pentago_circuit())
    assert wire(proof, "auto").share == "network"
    monkeypatch.setattr("neurogame.evaluators.wiring.NETWORK_EDGE_LIMIT", 500)
    assert wire(proof, "auto").share == "game"


def test_deep_graphs_take_memory_linear_in_their_size() -> None:
    draft = CircuitDraft([f"f{i}" for i in range(4)])
    layer = [draft.fluent(i) for i in range(4)]
    for depth in range(60):
        kind = OR if depth % 2 else AND
        layer = [draft.gate(kind, [layer[i], layer[(i + 1) % 4] ^ (i == 0)]) for i in range(4)]
    circuit = draft.circuit(("x",), (((100, layer[0]),),))
    for kind_name in ("cilp", "cilp-paper", "fuzzy"):
        evaluator = make_evaluator(circuit, kind_name)
        assert isinstance(evaluator, GoalNetworks)
        assert evaluator.wiring.unit_count <= 4 * 60
        states = random_states(8, 4, 0)
        outputs = evaluator.networks(torch.from_numpy(states)).detach().numpy()
        assert np.isfinite(outputs).all()


def test_true_goals_of_terminal_states() -> None:
    game = Game.from_text(RACE, name="race", cache=False)
    simulator = game.simulator()
    evaluator = make_evaluator(game)
    states = simulator.initial(2)
    step, wait = game.move_index("x", "step"), game.move_index("o", "wait")
    moves = torch.tensor([[step, wait]] * 2)
    once = simulator.step(states, moves)
    twice = simulator.step(once, moves)
    with torch.no_grad():
        assert torch.equal(state_values(simulator, evaluator, once), evaluator(once.to_bool()))
        ended = state_values(simulator, evaluator, twice)
    assert torch.allclose(ended, torch.tensor([[1.0, 0.2]] * 2))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (torch.full((3,), 0.5), r"shape \[3\] for 3 states"),
        (torch.full((3, 1), 0.5), r"shape \[3, 1\] for 3 states"),
        (torch.ones(3, 2, dtype=torch.int64), r"torch\.int64"),
        (torch.full((3, 2), math.nan), "from nan to nan"),
        (torch.full((3, 2), 7.0), "from 7 to 7"),
        (None, "shape NoneType"),
    ],
)
def test_what_is_no_value_is_refused(values: Any, message: str) -> None:
    """A network that has diverged looks like no position."""
    game = load("connectfour")

    class Wrong(Evaluator):
        def forward(self, fluents: torch.Tensor) -> Any:
            return values if values is None else values[: len(fluents)]

    evaluator = Wrong(len(game.fluents), 2, {"kind": "wrong"})
    with pytest.raises(GameError, match=message):
        state_values(game.simulator(), evaluator, game.simulator().initial(3))
    with pytest.raises(GameError, match="the evaluator returned values"):
        AlphaBeta(game, evaluator).search(game.initial_state(), 0, Limit(depth=1))


def test_impossible_settings_are_refused() -> None:
    for name, value in (
        *[("kind", "magic"), ("share", "all"), ("weight", 0.0), ("weight", "eq5"), ("alpha", 1.0)],
        *[("beta", 0.0), ("noise", -0.1), ("exponent", 0.9), ("temperature", 0.0)],
        *[("detail", 1.0), ("hidden", ()), ("confidence", 0.5)],
    ):
        with pytest.raises(ConfigurationError, match=name):
            EvaluatorConfig.from_json({name: value})
    with pytest.raises(ConfigurationError, match="evaluator: unknown option wieght"):
        EvaluatorConfig.from_json({"wieght": 1.0})


@pytest.mark.parametrize("kind", ["cilp", "mlp"])
def test_states_of_another_game_are_refused(kind: str) -> None:
    evaluator = make_evaluator(pentago_circuit(), EvaluatorConfig(kind=kind))
    with pytest.raises(GameError, match=r"\[B, 72\]"):
        evaluator(torch.zeros(3, 71))
