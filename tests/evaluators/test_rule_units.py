"""Hidden units that begin as conditions of the rules: which, with which weights, and read back."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from neurogame.evaluators.rules_network.build import make_rules_network
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.rule_units import find_rule_units, rule_weights, units_read
from neurogame.gdl.scramble import scramble
from neurogame.simulate.game import Game


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
    units = find_rule_units(game, 24, seed=3)
    first = evaluator.first_embedding.numpy(), evaluator.first_bias.numpy()
    assert units_read(game.structure, *first) == (*units, *[None] * (48 - len(units)))
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
