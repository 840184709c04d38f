"""Weights of features, their evaluator, and what ``neurogame features`` shows."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st

from neurogame.arena.yardstick import Yardstick
from neurogame.cli.main import main
from neurogame.errors import GameError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.rules_network.of_features import feature_evaluator, make_feature_evaluator
from neurogame.features.correlation import Correlations, fisher_interval
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


@example(seed=7135347, rows=2, blocks=1)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 5))
def test_blocks_add_up_to_numpys_correlation(seed: int, rows: int, blocks: int) -> None:
    random = np.random.default_rng(seed)
    mixed = random.normal(size=(5, 5)) + 3 * np.eye(5)
    data = (random.normal(size=(rows, 5)) @ mixed + 1000 * random.normal(size=5)).astype(np.float32)
    # What hardly varies beside its size is taken for rounding.
    assume((data.std(axis=0) > 0.02).all())
    found = Correlations(3, 2)
    for block in np.array_split(data, blocks):
        found.add(block[:, :3], block[:, 3:])
    whole = np.atleast_2d(np.corrcoef(data.astype(np.float64), rowvar=False))
    assert found.with_results() == pytest.approx(whole[:3, 3:], abs=1e-6)
    assert found.correlations()[:3, :3] == pytest.approx(whole[:3, :3], abs=1e-6)
    assert found.mean() == pytest.approx(data.mean(axis=0, dtype=np.float64), rel=1e-6)
    covariance = np.cov(data.astype(np.float64), rowvar=False, bias=True)
    assert found.covariance() == pytest.approx(covariance, rel=1e-6, abs=1e-6)


def test_what_never_changes_has_no_correlation() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(100, 2)).astype(np.float32)
    rows[:, 0] = 0.1
    found = Correlations(1, 1)
    found.add(rows[:, :1], rows[:, 1:])
    assert found.with_results() == 0


def test_nothing_was_seen() -> None:
    found = Correlations(2, 1)
    found.add(np.zeros((0, 2), np.float32), np.zeros((0, 1), np.float32))
    assert found.count == 0
    assert (found.with_results() == 0).all()


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    random, held, turns = np.random.default_rng(2), 0, 400
    for _ in range(turns):
        x = random.normal(size=80)
        y = 0.6 * x + 0.8 * random.normal(size=80)
        low, high = fisher_interval(np.array([np.corrcoef(x, y)[0, 1]]), 80, 1.645)
        held += int(low[0] <= 0.6 <= high[0])
    # 90 % of 400, give or take four standard deviations.
    assert 336 <= held <= 384
    low, high = fisher_interval(np.array([0.9]), 3, 1.645)
    assert (low[0], high[0]) == (-1, 1)


LINE = ["features", "breakthrough6", "--games", "4096"]


def test_people_see_the_chosen_ones_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LINE, "--all"]) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert "20 features" in lines[0]
    assert "4,096 random games" in lines[0]
    rows = lines[3:]
    assert len(rows) == 20
    stars = [row.startswith("* ") for row in rows]
    assert stars == sorted(stars, reverse=True)
    assert any(stars)
    assert all(row.endswith("]") != star for row, star in zip(rows, stars, strict=True))


def test_machines_get_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LINE, "--json", "--quiet", "--seed", "3"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    record = json.loads(shown.out)
    assert record["games"] == 4096
    assert len(record["features"]) == 20
    for feature in record["features"]:
        assert feature["chosen"] == (feature["reason"] == "") == (feature["adds"] is not None)
        for role in ("white", "black"):
            own = feature["roles"][role]
            assert own["interval"][0] <= own["strength"] <= own["interval"][1]
            assert len(own["by quarter"]) == 4


def test_impossible_numbers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["features", "tictactoe", "--games", "1"]) == 1
    assert "games=1; allowed: a whole number (at least 64)" in capsys.readouterr().err
