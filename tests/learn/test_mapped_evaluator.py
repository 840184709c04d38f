"""Evaluators that follow a renaming to a scrambled game."""

from __future__ import annotations

import itertools
import random

import pytest
import torch

from neurogame.errors import CheckpointError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.gdl.scramble import scramble
from neurogame.gdl.write import rules_text
from neurogame.learn.mapped_evaluator import MappedEvaluator, map_evaluator
from neurogame.simulate.game import Game, State
from tests.gdl.slow_renaming import shuffled


@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe"])
@pytest.mark.parametrize("kind", ["cilp", "mlp"])
def test_a_mapped_evaluator_gives_the_same_values(name: str, kind: str) -> None:
    own = Game.load(name)
    scrambled = scramble(own.rules, 11, numbers=True)
    other = Game.from_rules(shuffled(scrambled.rules, 12), "scrambled", cache=False)
    evaluator = make_evaluator(own, EvaluatorConfig(kind=kind), 3).eval()
    mapped = map_evaluator(evaluator, own, other)
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
        map_evaluator(evaluator, own, other)


def test_a_game_of_the_same_fluents_and_other_rules_is_refused() -> None:
    own = Game.load("tictactoe")
    text = rules_text(own.rules)
    other = Game.from_text(text.replace("(goal ?p 50)", "(goal ?p 51)"), "other")
    assert (other.fluents, other.roles) == (own.fluents, own.roles)
    evaluator = make_evaluator(own, EvaluatorConfig(kind="mlp"), 3)
    with pytest.raises(CheckpointError, match=r"other .* has other rules"):
        map_evaluator(evaluator, own, other)
