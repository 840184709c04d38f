"""Renamings between rulesheets, and evaluators that follow them to a scrambled game."""

from __future__ import annotations

import itertools
import random

import pytest
import torch

from neurogame.errors import CheckpointError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.scramble import scramble
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.terms import Rules
from neurogame.learn.mapped_evaluator import MappedEvaluator, map_evaluator
from neurogame.learn.renaming import find_renaming
from neurogame.simulate.game import Game
from neurogame.simulate.states import State


def shuffled(rules: Rules, seed: int) -> Rules:
    """Return the same rules in another order."""
    order = list(rules.rules)
    random.Random(seed).shuffle(order)
    return Rules(tuple(order))


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "nim", "pentago", "lightsout"])
@pytest.mark.parametrize("numbers", [False, True])
def test_a_scrambled_and_shuffled_rulesheet_is_matched(name: str, numbers: bool) -> None:
    rules = load_rules(name)
    scrambled = scramble(rules, 5, numbers=numbers)
    target = shuffled(scrambled.rules, 6)
    renaming = find_renaming(rules, target)
    assert renaming is not None
    # Names may be interchangeable; what must agree is the rulesheet that results.
    back = find_renaming(target, rules)
    assert back is not None
    assert set(renaming.values()) == set(back)
    for relation in ("true", "next", "goal"):
        assert renaming[relation] == relation


def test_rulesheets_that_differ_in_more_than_names_are_not_matched() -> None:
    base = "(role a) (role b) (<= (legal ?r go) (role ?r)) (<= terminal (true (p {0} {1})))"
    same, other = (parse_rules(base.format(*pair)) for pair in ("xx", "xy"))
    assert find_renaming(same, other) is None
    assert find_renaming(other, parse_rules(base.format("y", "z"))) is not None
    assert find_renaming(same, Rules(same.rules[:-1])) is None


@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe"])
@pytest.mark.parametrize("kind", ["sound", "mlp"])
def test_a_mapped_evaluator_gives_the_same_values(name: str, kind: str) -> None:
    own = Game.load(name)
    scrambled = scramble(own.rules, 11, numbers=True)
    other = Game.from_rules(shuffled(scrambled.rules, 12), "scrambled", cache=False)
    evaluator = make_evaluator(own, EvaluatorConfig(kind=kind), 3).eval()
    mapped = map_evaluator(evaluator, own, other, structural_signature(own.rules))
    assert isinstance(mapped, MappedEvaluator)
    state, twin = own.initial_state(), other.initial_state()
    choose = random.Random(1)
    while not state.is_terminal:
        with torch.no_grad():
            values, found = evaluator(state.fluents[None]), mapped(twin.fluents[None])
        order = mapped.get_buffer("role_index")
        torch.testing.assert_close(found, values[:, order])
        joint = [choose.choice(legal) for legal in state.legal_moves]
        state = state.next(joint)
        # Follow by the fluents: the twin state is the one that the mapping reads as this one.
        index = mapped.get_buffer("fluent_index")
        twin_fluents = torch.zeros(len(other.fluents), dtype=torch.bool)
        twin_fluents[index] = state.fluents
        successors = [s for s in _successors(twin) if torch.equal(s.fluents, twin_fluents)]
        assert successors, f"no move of the scrambled game answers to {joint}"
        twin = successors[0]
    assert twin.is_terminal
    goals = [state.goals[int(i)] for i in mapped.get_buffer("role_index")]
    assert list(twin.goals) == goals


def _successors(state: State) -> list[State]:

    return [state.next(joint) for joint in itertools.product(*state.legal_moves)]


def test_another_game_is_refused_by_name_and_structure() -> None:
    own, other = Game.load("tictactoe"), Game.load("nim")
    evaluator = make_evaluator(own, EvaluatorConfig(kind="mlp"), 3)
    with pytest.raises(CheckpointError, match=r"trained on tictactoe .* nim .* other rules"):
        map_evaluator(evaluator, own, other, structural_signature(own.rules))
