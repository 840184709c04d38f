"""Weights of features, and the evaluator that they make."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from neurogame.arena.yardstick import Yardstick
from neurogame.errors import GameError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.rules_network.of_features import feature_evaluator, make_feature_evaluator
from neurogame.features.evidence import FeatureEvidence, find_evidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.values import FeatureValues
from neurogame.features.weights import weigh
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import play_out
from neurogame.simulate.states import StateBatch
from tests.features.twin import value, walked

FEW = EvidenceConfig(games=4096, seconds=60)


@cache
def evidence(name: str) -> FeatureEvidence:
    return find_evidence(Game.load(name), FEW)


def test_the_weights_are_those_of_the_logistic_that_drew_the_goals() -> None:
    random = np.random.default_rng(1)
    found = evidence("breakthrough6")
    plain = [f for f in found.features if not (f.moves.any() or f.goals.any())][:5]
    rows = random.normal(size=(200_000, 5))
    odds = 0.4 * rows[:, 0] - 0.3 * rows[:, 1] + 0.2
    goal = (random.random(len(rows)) < 1 / (1 + np.exp(-odds))).astype(float)
    both = np.concatenate([rows, goal[:, None], 1 - goal[:, None]], axis=1)
    covariance = np.cov(both, rowvar=False, bias=True)
    made = replace(
        found, features=tuple(plain), mean=both.mean(axis=0), covariance=covariance, games=len(rows)
    )
    weighted = weigh(made)
    assert weighted.opposed
    assert weighted.features == tuple(plain[:2])
    assert weighted.weights[0] == pytest.approx([0.4, -0.3], abs=0.03)
    assert weighted.constants[0] == pytest.approx(0.2, abs=0.03)


@pytest.mark.parametrize("name", ["breakthrough6", "reversi6", "bidding_tictactoe", "tictactoe3p"])
def test_the_evaluator_adds_what_features_are_worth(name: str) -> None:
    game = Game.load(name)
    weighted = weigh(evidence(game.name))
    assert weighted.opposed == (name not in ("tictactoe3p",))
    evaluator = feature_evaluator(game, weighted)
    for state in [state for own in walked(game, 2, 2) for state in own][::4]:
        values = np.array([value(feature, game, state) for feature in weighted.features])
        odds = weighted.weights @ values + weighted.constants
        if weighted.opposed:
            odds = np.array([odds[0], -odds[0]])
        found = evaluator(state.fluents[None])[0].detach().numpy()
        assert found == pytest.approx(1 / (1 + np.exp(-odds)), abs=2e-4)


def test_expected_goals_come_true() -> None:
    game = Game.load("breakthrough6")
    evaluator = make_feature_evaluator(game, seed=1)
    simulator = game.simulator()
    # Fresh games, some plies on, with either role to move.
    kernel = simulator.playout_kernel()
    values, goals = [], []
    for steps in (14, 15):
        start = simulator.initial(4096)
        words = kernel.finish(start.words, torch.arange(64), 77, step=0, steps=steps).words
        states = StateBatch(words, 4096)
        playing = ~simulator.look(states).terminal
        values.append(evaluator.values(states)[:, 0].detach()[playing])
        goals.append(play_out(simulator, states, 78).goals[:, 0][playing])
    expected, results = torch.cat(values), torch.cat(goals)
    high, low = expected > expected.quantile(0.75), expected < expected.quantile(0.25)
    assert results[high].mean() > results[low].mean() + 0.1
    for part in (high, low):
        assert float(results[part].mean()) == pytest.approx(float(expected[part].mean()), abs=0.08)


@pytest.mark.parametrize("name", ["breakthrough6", "connectfour"])
def test_features_beat_what_goals_say(name: str) -> None:
    game = Game.load(name)
    yardstick = Yardstick(game=game, matches=30, seed=5)
    found = yardstick.measure(make_feature_evaluator(game), make_evaluator(game))
    assert found.score > 0.6


def test_no_feature_is_worth_anything() -> None:
    game = Game.load("tictactoe")
    found = evidence(game.name)
    none = replace(found, covariance=np.diag(np.diagonal(found.covariance)))
    with pytest.raises(GameError, match="tells who wins; take another"):
        weigh(none)


def test_values_in_batches_are_those_of_the_features() -> None:
    game = Game.load("reversi6")
    weighted = weigh(evidence(game.name))
    evaluator = feature_evaluator(game, weighted)
    simulator = game.simulator()
    words = (
        simulator.playout_kernel()
        .finish(simulator.initial(64).words, torch.arange(1), 3, step=0, steps=12)
        .words
    )
    states = StateBatch(words, 64)
    features = FeatureValues(weighted.features).of(states, simulator.look(states))
    odds = features @ weighted.weights[0] + weighted.constants[0]
    found = evaluator.values(states)[:, 0].detach().numpy()
    assert found == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-3)
