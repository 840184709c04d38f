"""Hidden units and their images under symmetries, against plain loops and torch's own Adam."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from neurogame.evaluators.rules_network import unit_images
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.rule_units import units_read
from neurogame.evaluators.rules_network.unit_images import (
    symmetric,
    unit_orbits,
    unit_symmetries,
    with_images,
)
from neurogame.evaluators.rules_network.widen import widened
from neurogame.kernels.rules_network.learning import Learning
from neurogame.kernels.self_play.games import Games, GameSettings
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.learning_state import learning_of
from neurogame.native.struct import array_of
from neurogame.simulate.game import Game
from tests.evaluators.rules_networks import network_of, states_in_play

CONFIG = RulesNetworkConfig(hidden=32, lookups=8)
GAMES = ["connectfour5", "breakthrough6", "reversi6", "pentago", "qubic", "tictactoe3p"]


def orbits_of(evaluator: RulesNetwork) -> unit_images.UnitOrbits:
    """Return which weights of an evaluator learn as one; there are such."""
    found = unit_orbits(
        evaluator.layout, evaluator.first_embedding.numpy(), evaluator.first_bias.numpy()
    )
    assert found is not None
    return found


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("most", [2, 8])
def test_the_image_of_every_unit_of_the_rules_is_a_unit(
    name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_images, "MOST", most)
    game = Game.load(name)
    small, twice = (network_of(game, replace(CONFIG, hidden=h), random=False) for h in (32, 64))
    symmetries = unit_symmetries(small.layout)
    assert 2 <= len(symmetries) <= most
    assert symmetries[0].tolist() == list(range(symmetries.shape[1]))
    for evaluator in (small, twice, widened(small, twice)):
        embedding, bias = evaluator.first_embedding.numpy(), evaluator.first_bias.numpy()
        of_rules = [one is not None for one in units_read(game.structure, embedding, bias)]
        columns = np.concatenate([embedding, bias[None]])[:, of_rules]
        units = {column.tobytes() for column in columns.T}
        assert len(units) == sum(of_rules) > len(bias) / 4
        for symmetry in symmetries:
            images = np.concatenate([columns[:-1][symmetry], columns[-1:]])
            assert {column.tobytes() for column in images.T} == units
        orbits = orbits_of(evaluator)
        assert orbits.units.max() < len(bias) - sum(of_rules) / 3


@pytest.mark.parametrize("name", ["connectfour5", "reversi6"])
def test_weights_learn_as_one_that_a_symmetry_exchanges(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Classes by following each weight's images until there are no others."""
    monkeypatch.setattr(unit_images, "MOST", 4)
    evaluator = network_of(Game.load(name), replace(CONFIG, hidden=8), random=False)
    first = evaluator.first_embedding.numpy()
    columns = np.concatenate([first, evaluator.first_bias.numpy()[None]]).T
    fluents, hidden = first.shape
    place = {column.tobytes(): unit for unit, column in enumerate(columns)}
    expected = np.full((fluents, hidden), -1)
    for fluent in range(fluents):
        for unit in range(hidden):
            waiting = [(fluent, unit)] if expected[fluent, unit] < 0 else []
            number = expected.max() + 1
            while waiting:
                one, other = waiting.pop()
                expected[one, other] = number
                symmetries = unit_symmetries(evaluator.layout)
                images = [
                    place.get(np.append(first[symmetry, other], columns[other, -1]).tobytes())
                    for symmetry in symmetries
                ]
                for symmetry, image in zip(symmetries, images, strict=True):
                    before = int(np.flatnonzero(symmetry == one)[0])
                    if image is not None and None not in images and expected[before, image] < 0:
                        waiting.append((before, image))
    found = orbits_of(evaluator).weights.reshape(fluents, hidden)
    pairs = set(zip(expected.ravel().tolist(), found.ravel().tolist(), strict=True))
    assert len(pairs) == expected.max() + 1 == found.max() + 1


@pytest.mark.parametrize("name", ["connectfour5", "breakthrough6", "pentago"])
def test_what_units_have_learned_is_the_same_of_images(name: str) -> None:
    game = Game.load(name)
    config = LaneConfig(network=CONFIG, lanes=64, plies=50, step_every=64)
    learner = LaneLearner(game, config, network_of(game, CONFIG, random=False))
    for _ in range(4):
        learner.round()
    evaluator, states = learner.evaluator, states_in_play(game, 60).to_bool().float()
    assert evaluator.readout.abs().max() > 0.01
    with torch.no_grad():
        first = evaluator.first_embedding.numpy(), evaluator.first_bias.numpy()
        of_rules = [one is not None for one in units_read(game.structure, *first)]
        evaluator.readout[..., [not one for one in of_rules]] = 0
        for symmetry in unit_symmetries(evaluator.layout):
            for mode in range(evaluator.layout.sizes.modes):
                weights = int(evaluator.layout.weights[mode])
                seen = evaluator.layout.seen(states, mode)
                units, images = (
                    torch.relu(evaluator.bias[mode] + one @ evaluator.embedding[weights])
                    for one in (seen, seen[:, torch.from_numpy(symmetry)])
                )
                readout = evaluator.readout[mode].t()
                assert (units @ readout).std() > 1e-4
                torch.testing.assert_close(images @ readout, units @ readout, rtol=1e-4, atol=1e-5)


def test_a_step_goes_along_the_mean_gradient_of_a_class() -> None:
    """The first step, against torch's Adam; the same games without steps give the gradients."""
    game = Game.load("connectfour5")
    settings = GameSettings(lanes=1, plies=50, seed=5, epsilon=0.3, lambda_=0.6, openings=2)
    learned: list[tuple[RulesNetwork, Learning]] = []
    for every in (1 << 30, 1):
        evaluator = network_of(game, CONFIG, random=False)
        with torch.no_grad():
            evaluator.readout.fill_(0.1)
        config = LaneConfig(network=CONFIG, step_every=every, step_size=0.001, table_rate=0.0)
        learned.append((evaluator, learning_of(evaluator, config)))
        games = Games(game.circuit, learned[-1][1], settings)
        while games.own.games == 0:
            games.play(1)
    (before, still), (after, stepped) = learned
    assert (still.steps, stepped.steps) == (0, 1)
    orbits = orbits_of(before)
    for name, classes in (
        ("embedding", orbits.weights),
        ("bias", orbits.units),
        ("readout", orbits.units),
    ):
        parameter = torch.nn.Parameter(getattr(before, name).detach().clone())
        gradient = array_of(still, f"{name}_gradient").reshape(-1, len(classes))
        counts = np.bincount(classes)
        means = [np.bincount(classes, row)[classes] / counts[classes] for row in gradient]
        assert np.abs(np.array(means) - gradient).max() > 1e-3
        step = -np.array(means, np.float32) / still.positions
        parameter.grad = torch.from_numpy(step.reshape(parameter.shape))
        torch.optim.Adam([parameter], lr=0.001).step()
        torch.testing.assert_close(getattr(after, name).detach(), parameter.data, atol=1e-4, rtol=0)


def test_units_are_left_out_with_all_their_images() -> None:
    symmetries = np.array([[0, 1, 2], [2, 1, 0]])
    embedding = np.array([[1, 0, 2, 1], [0, 1, 0, 0], [3, 0, 5, 3]], np.float32)
    bias = np.array([0.5, 0.25, 0.0, 0.125], np.float32)
    units, biases = with_images(embedding, bias, symmetries, 4)
    assert units.T.tolist() == [[1, 0, 3], [3, 0, 1], [0, 1, 0]]
    assert biases.tolist() == [0.5, 0.5, 0.25]
    assert symmetric(embedding, symmetries)[:, 0].tolist() == [2, 0, 2]
    none, _ = with_images(embedding[:, :0], bias[:0], symmetries, 4)
    assert none.shape == (3, 0)


def test_without_symmetries_or_images_each_weight_learns_by_itself() -> None:
    game = Game.load("connectfour5")
    plain = network_of(game, replace(CONFIG, symmetries=False), random=False)
    first = plain.first_embedding.numpy(), plain.first_bias.numpy()
    assert unit_orbits(plain.layout, *first) is None
    whole = network_of(game, CONFIG, random=False)
    embedding = whole.first_embedding.numpy().copy()
    embedding[:, orbits_of(whole).units == 0] += 1
    embedding[3, 0] += 1
    found = unit_orbits(whole.layout, embedding, whole.first_bias.numpy())
    assert found is not None
    assert (found.units == 0).sum() == 1 < (orbits_of(whole).units == 0).sum()
