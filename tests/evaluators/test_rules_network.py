"""The rules network: plain torch against compiled code, symmetries, rebuilding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from neurogame.evaluators.rebuild import rebuild_evaluator
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.judges.states import PROGRAM, evaluate
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from tests.evaluators.rules_networks import SMALL, network_of, packed, states_in_play

GAMES = ("tictactoe", "pentago", "breakthrough6", "tictactoe3p", "bidding_tictactoe", "eightpuzzle")


@pytest.mark.parametrize("name", GAMES)
def test_untrained_all_values_are_one_half_to_the_bit(name: str) -> None:
    """Units and tables say nothing at first, in torch and in compiled code."""
    game = Game.load(name)
    network, states = network_of(game, random=False), states_in_play(game, 100)
    wanted = torch.full((100, len(game.roles)), 0.5)
    assert torch.equal(network(states.to_bool()), wanted)
    assert torch.equal(_compiled(game, network, states), wanted)


def _compiled(game: Game, evaluator: torch.nn.Module, states: StateBatch) -> torch.Tensor:
    """Return what compiled searches make of states."""
    values = SearchEvaluator(evaluator, game.circuit)  # type: ignore[arg-type]
    assert values.kind == PROGRAM
    rows = packed(states)
    out = np.zeros((len(rows), len(game.roles)), np.float32)
    evaluate(values.values, rows, np.zeros((len(game.fluents), 0), np.int64), len(rows), out)
    return torch.from_numpy(out)


@pytest.mark.parametrize("name", GAMES)
def test_compiled_code_equals_plain_torch(name: str) -> None:
    """States that follow each other are valued by their differences, strangers anew."""
    game = Game.load(name)
    network = network_of(game)
    states = states_in_play(game, 150)
    mixed = states.select(torch.from_numpy(np.random.default_rng(0).permutation(150)))
    for batch in (states, mixed):
        wanted = network(batch.to_bool()).detach()
        assert wanted.std(dim=0).max() > 0.02
        torch.testing.assert_close(_compiled(game, network, batch), wanted, rtol=0, atol=3e-6)


@pytest.mark.parametrize(
    "config",
    [
        replace(SMALL, hidden=0),
        replace(SMALL, lookups=0),
        replace(SMALL, mode=False),
        replace(SMALL, symmetries=False, hidden=0),
    ],
)
def test_units_tables_modes_and_symmetries_are_optional(config: RulesNetworkConfig) -> None:
    game = Game.load("connectfour5")
    network = network_of(game, config)
    states = states_in_play(game, 60)
    wanted = network(states.to_bool()).detach()
    assert wanted.std() > 0.02
    torch.testing.assert_close(_compiled(game, network, states), wanted, rtol=0, atol=3e-6)


@pytest.mark.parametrize("name", ["tictactoe", "breakthrough6", "pentago"])
def test_states_that_the_rules_treat_alike_have_the_same_values(name: str) -> None:
    """Tables are shared by all symmetries: the roles' values go with the roles."""
    game = Game.load(name)
    network = network_of(game, replace(SMALL, hidden=0, lookups=64))
    held = states_in_play(game, 40).to_bool()
    wanted = network(held).detach()
    assert len(game.structure.symmetries) > 1
    for symmetry in game.structure.symmetries:
        image = torch.zeros_like(held)
        image[:, torch.from_numpy(symmetry.fluents)] = held
        found = network(image).detach()[:, torch.from_numpy(symmetry.roles)]
        torch.testing.assert_close(found, wanted, rtol=0, atol=2e-6)


@pytest.mark.parametrize("older", [{}, {"layout_mode": torch.arange(2, dtype=torch.int32)}])
def test_it_is_rebuilt_from_its_description_and_weights(older: dict[str, torch.Tensor]) -> None:
    game = Game.load("tictactoe")
    network = network_of(game, seed=3)
    again = rebuild_evaluator(game, network.describe())
    # Older files also said of each fluent of the mode which mode it stands for.
    again.load_state_dict(network.state_dict() | older)
    states = states_in_play(game, 50)
    assert torch.equal(again(states.to_bool()), network(states.to_bool()))
    assert torch.equal(_compiled(game, again, states), _compiled(game, network, states))


def test_older_files_share_readouts_like_tables() -> None:
    """In them, modes that a symmetry exchanges had one bias and one readout."""
    game = Game.load("tictactoe")
    network = network_of(game, SMALL, seed=3)
    assert len(network.layout.weights) == 2 > network.layout.sizes.sets
    with torch.no_grad():
        network.bias[1], network.readout[1] = network.bias[0].clone(), network.readout[0].clone()
    older = network.state_dict()
    older |= {name: older[name][:1] for name in ("bias", "readout")}
    again = rebuild_evaluator(game, network.describe())
    again.load_state_dict(older)
    held = states_in_play(game, 50).to_bool()
    assert torch.equal(again(held), network(held))


def test_values_have_gradients_for_every_weight() -> None:
    game = Game.load("tictactoe")
    network = network_of(game)
    network(states_in_play(game, 30).to_bool()).square().sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name
