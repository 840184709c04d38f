"""First weights of hidden units: features that the rules suggest."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from neurogame.array_types import Float32s
from neurogame.evaluators.rebuild import rebuild_evaluator
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.feature_units import feature_units, unit_features
from neurogame.evaluators.rules_network.perspective import find_perspectives
from neurogame.features.candidates import find_candidates
from neurogame.gdl.scramble import scramble
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.recipe import fitted
from neurogame.simulate.game import Game
from neurogame.simulate.game_mapping import map_game
from tests.evaluators.rules_networks import SMALL, network_of, states_in_play
from tests.library import load as loaded

UNITS = 12
WITH = replace(SMALL, hidden=24, features=UNITS / 24)


@cache
def made(name: str) -> RulesNetwork:
    return network_of(loaded(name), WITH, random=False)


def features(game: Game) -> Float32s:
    kept = find_perspectives(game.structure, mode=True, symmetries=True).kept
    return unit_features(find_candidates(game), kept)


@pytest.mark.parametrize("name", ["breakthrough6", "checkers6"])
def test_a_unit_is_a_feature_with_a_threshold_that_play_passes(name: str) -> None:
    game, evaluator = loaded(name), made(name)
    weights = features(game)
    assert weights.shape[1] > 1
    layout = evaluator.layout
    held = states_in_play(game, 120, seed=3).to_bool().float()
    modes = layout.mode_of(held)
    seen = torch.stack(
        [layout.seen(one[None], int(m))[0] for one, m in zip(held, modes, strict=True)]
    ).numpy()
    embedding = evaluator.embedding[0].detach().numpy()
    inputs = seen @ embedding + evaluator.bias[0].detach().numpy()
    used = set()
    for unit in range(24 - UNITS, 24):
        own = embedding[:, unit]
        scale = own @ weights / (weights**2).sum(axis=0)
        left = (own[:, None] - scale * weights).std(axis=0)
        best = int(left.argmin())
        assert left[best] < 0.05 < np.abs(own).max()
        used.add(best)
        # As large as other inputs of hidden units, and told apart by them.
        assert 0.3 < inputs[:, unit].std() < 3
    assert len(used) == min(UNITS, weights.shape[1])
    answers = (inputs[:, -UNITS:] > 0).mean(axis=0)
    assert ((answers > 0.02) & (answers < 0.98)).mean() > 0.7


def test_what_roles_have_is_compared() -> None:
    """In breakthrough numbers and ways of one's own, less the other's."""
    game = loaded("breakthrough6")
    weights = features(game)
    white = [i for i, text in enumerate(game.fluents) if text.endswith("white)") and "cell" in text]
    black = [i for i, text in enumerate(game.fluents) if text.endswith("black)") and "cell" in text]
    number = np.zeros(len(game.fluents))
    number[white], number[black] = 1, -1
    assert any(np.allclose(own, number) or np.allclose(own, -number) for own in weights.T)
    for own in weights.T:
        assert own[white].any()
        assert own[black].any()
        assert own.sum() == pytest.approx(0, abs=1e-4)


def test_few_features_take_few_units() -> None:
    """In reversi there is one, the difference of the numbers of discs: eight thresholds do."""
    game = loaded("reversi6")
    config = replace(WITH, hidden=40, features=0.5)
    layout = made("reversi6").layout
    assert features(game).shape[1] == 1
    assert feature_units(game, layout, config, 1)[0].shape == (len(game.fluents), 8)


@pytest.mark.parametrize("name", ["hex5", "connectfour5"])
def test_what_stays_for_good_is_no_unit(name: str) -> None:
    """Where everybody places one stone in turn, all units begin as without features."""
    game = loaded(name)
    other = network_of(game, replace(WITH, features=0.0), random=False)
    for one, two in zip(made(name).learned_weights(), other.learned_weights(), strict=True):
        assert torch.equal(one, two)


@pytest.mark.parametrize("name", ["breakthrough6", "connectfour5"])
def test_before_learning_every_value_is_a_half(name: str) -> None:
    states = states_in_play(loaded(name), 20)
    assert (made(name)(states.to_bool()) == 0.5).all()


@pytest.mark.parametrize("name", ["breakthrough6", "checkers6"])
def test_names_have_no_part_in_features(name: str) -> None:
    game = loaded(name)
    other = Game.from_rules(scramble(game.rules, 5).rules, "scrambled", cache=False)
    fluents = list(map_game(game, other).fluents)

    def unsigned(columns: Float32s) -> set[bytes]:
        rounded = (np.round(1000 * columns.T) + 0.0).astype(np.int64)
        return {min(one.tobytes(), (-one).tobytes()) for one in rounded}

    assert unsigned(features(other)[fluents]) == unsigned(features(game))


def test_it_is_made_again_from_its_description() -> None:
    game, evaluator = loaded("breakthrough6"), made("breakthrough6")
    description = evaluator.describe()
    assert description["config"]["features"] == 0.5
    # Files from before features do not name them.
    older = {name: part for name, part in description["config"].items() if name != "features"}
    for config in (description["config"], older):
        again = rebuild_evaluator(game, {**description, "config": config})
        again.load_state_dict(evaluator.state_dict())
        assert isinstance(again, RulesNetwork)
        for one, two in zip(evaluator.learned_weights(), again.learned_weights(), strict=True):
            assert torch.equal(one, two)


def test_learning_goes_on_exactly() -> None:
    game = loaded("breakthrough6")
    config = LaneConfig(network=WITH, lanes=64, plies=60, step_every=256)
    whole, resumed = (
        LaneLearner(game, config, network_of(game, WITH, random=False)) for _ in (0, 1)
    )
    for _ in range(6):
        whole.round()
    state, averaged = whole.state(), whole.averaged.state_dict()
    resumed.restore(state, {n: part.clone() for n, part in averaged.items()}, whole.counters)
    for run in (whole, resumed):
        run.round()
    for one, two in zip(
        whole.evaluator.learned_weights(), resumed.evaluator.learned_weights(), strict=True
    ):
        assert torch.equal(one, two)
    # The readout of the units of features learns as that of all others.
    assert (whole.evaluator.readout[:, :, -UNITS:] != 0).all()


def test_the_recipe_begins_with_features() -> None:
    game = loaded("tictactoe")
    assert fitted(game).network.features == 0.3
    assert fitted(game, {"network": {"features": 0.0}}).network.features == 0
