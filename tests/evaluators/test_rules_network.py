"""The rules network: plain torch and compiled code, symmetries, units that rules suggest."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from neurogame.array_types import Float32s, UInt64s
from neurogame.evaluators.rebuild import rebuild_evaluator
from neurogame.evaluators.rules_network.build import make_rules_network
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.feature_units import feature_units, unit_features
from neurogame.evaluators.rules_network.perspective import find_perspectives
from neurogame.evaluators.rules_network.rule_units import find_rule_units, rule_weights, units_read
from neurogame.features.candidates import find_candidates
from neurogame.gdl.scramble import scramble
from neurogame.judges.states import PROGRAM, evaluate
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.recipe import fitted
from neurogame.simulate.game import Game
from neurogame.simulate.game_mapping import map_game
from neurogame.simulate.states import StateBatch
from tests.evaluators.rules_networks import SMALL, network_of, packed, states_in_play
from tests.library import load as loaded

GAMES = ("tictactoe", "pentago", "breakthrough6", "tictactoe3p", "bidding_tictactoe", "eightpuzzle")


@pytest.mark.parametrize("name", GAMES)
def test_untrained_all_values_are_one_half_to_the_bit(name: str) -> None:
    """Units and tables say nothing at first, in torch and in compiled code."""
    game = Game.load(name)
    network, states = network_of(game, random=False), states_in_play(game, 100)
    wanted = torch.full((100, len(game.roles)), 0.5)
    assert torch.equal(network(states.to_bool()), wanted)
    assert torch.equal(_compiled(game, network, states), wanted)


def _values(game: Game, evaluator: torch.nn.Module) -> Callable[[UInt64s], Float32s]:
    """Return what gives the values that compiled searches see; it remembers states."""
    values = SearchEvaluator(evaluator, game.circuit)  # type: ignore[arg-type]
    assert values.kind == PROGRAM

    def value(rows: UInt64s) -> Float32s:
        out = np.zeros((len(rows), len(game.roles)), np.float32)
        evaluate(values.values, rows, np.zeros((len(game.fluents), 0), np.int64), len(rows), out)
        return out

    return value


def _compiled(game: Game, evaluator: torch.nn.Module, states: StateBatch) -> torch.Tensor:
    """Return what compiled searches make of states."""
    return torch.from_numpy(_values(game, evaluator)(packed(states)))


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


@pytest.mark.parametrize("name", GAMES)
def test_a_state_has_one_value_whichever_states_came_before(name: str) -> None:
    """Sums go on from state to state and are exact: not a bit depends on order and batches."""
    game = Game.load(name)
    network = network_of(game, replace(SMALL, hidden=40))
    rows = packed(states_in_play(game, 200))
    wanted = _values(game, network)
    expected = np.concatenate([wanted(rows[at : at + 1]) for at in range(200)])
    for size in (1, 2, 7, 200):
        order, values = np.random.default_rng(size).permutation(200), _values(game, network)
        for batch in np.split(order, range(size, 200, size)):
            assert np.array_equal(values(rows[batch]), expected[batch])


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


def test_conditions_are_the_lines_of_either_mark() -> None:
    game = Game.load("tictactoe")
    units = find_rule_units(game, 1000, seed=0)
    names = {frozenset(game.fluents[fluent] for fluent in unit.held) for unit in units}
    assert len(names) == 16
    assert frozenset({"(cell 1 1 o)", "(cell 2 2 o)", "(cell 3 3 o)"}) in names
    # Each line begins twice: one of three is missing, or two are.
    assert sorted(unit.least for unit in units) == [1] * 16 + [2] * 16


def test_a_unit_answers_from_its_threshold_on_and_is_silenced() -> None:
    """The slow twin: it counts what holds, and nothing may be in the way."""
    game = Game.load("tictactoe")
    units = find_rule_units(game, 1000, seed=0)
    embedding, bias = rule_weights(game, units)
    variables = game.structure.variables
    for number, unit in enumerate(units):
        cells = [variables[int(game.structure.variable_of[fluent])].fluents for fluent in unit.held]
        for marks in itertools.product(*(cell.tolist() for cell in cells)):
            state = np.zeros(len(game.fluents))
            state[list(marks)] = 1
            held = sum(mark in unit.held for mark in marks)
            empty = sum(game.fluents[mark].endswith("b)") for mark in marks)
            answers = float(state @ embedding[:, number] + bias[number]) > 0
            assert answers == (held - 2 * (len(marks) - held - empty) >= unit.least)


def test_without_conditions_of_goals_those_of_moves_serve() -> None:
    game = Game.load("breakthrough6")
    assert not game.structure.conditions
    units = find_rule_units(game, 1000, seed=0)
    fluents = {frozenset(game.fluents[fluent] for fluent in unit.held) for unit in units}
    assert frozenset({"(cell 2 2 white)"}) in fluents
    banned = {game.fluents[one >> 1] for unit in units for one in unit.literals if one % 2}
    assert "(cell 2 3 white)" in banned


@pytest.mark.parametrize("name", ["tictactoe", "breakthrough6", "connectfour5"])
def test_units_are_read_off_the_first_weights(name: str) -> None:
    game = Game.load(name)
    evaluator = make_rules_network(
        game, RulesNetworkConfig(hidden=48, rules=0.5), opposed=True, seed=3
    )
    first = evaluator.first_embedding.numpy(), evaluator.first_bias.numpy()
    units = units_read(game.structure, *first)
    began = [unit for unit in units if unit is not None]
    assert units == (*began, *[None] * (48 - len(began)))
    assert 20 <= len(set(began)) == len(began) <= 24
    # Of these, and of their images.
    assert find_rule_units(game, 24, seed=3)[0] in began
    every = find_rule_units(game, 10_000, seed=3)
    assert {unit.literals for unit in began} <= {unit.literals for unit in every}
    assert np.array_equal(evaluator.embedding[0].detach().numpy(), first[0])


def test_where_there_are_more_than_fit_one_threshold_comes_first() -> None:
    units = find_rule_units(Game.load("tictactoe"), 20, seed=0)
    assert [unit.least for unit in units] == [2] * 16 + [1] * 4
    assert units != find_rule_units(Game.load("tictactoe"), 20, seed=1)


def test_names_have_no_part_in_conditions() -> None:
    game = Game.load("connectfour5")
    other = Game.from_rules(scramble(game.rules, seed=3).rules, "scrambled")
    sizes = [
        sorted((len(unit.literals), unit.least) for unit in find_rule_units(one, 1000, seed=0))
        for one in (game, other)
    ]
    assert sizes[0] == sizes[1] != []


def test_a_count_written_out_takes_few_units() -> None:
    """Five of nine boxes are enough: 252 conditions of nine variables."""
    game = Game.load("dotsandboxes")
    assert len(game.structure.conditions) == 252
    assert len(find_rule_units(game, 1000, seed=0)) == 6 * 9


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
