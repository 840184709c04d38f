"""Compiled reading of a tree says what reading it in plain Python says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neurogame.search.limit import Limit
from neurogame.search.mcts.final import RootResult, answer
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from tests.library import load
from tests.search import twin_answer

GAMES = ("tictactoe", "tictactoe3p", "connectfour", "connectfour_simultaneous", "lightsout")


def assert_alike(found: RootResult, expected: RootResult) -> None:
    assert found._replace(value=(), scores={}) == expected._replace(value=(), scores={})
    assert found.value == pytest.approx(expected.value, abs=1e-12)
    assert found.scores == pytest.approx(expected.scores, abs=1e-12)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    "options", [{}, {"final": "max"}, {"final": "secure"}, {"threads": 2}, {"tree": "grave"}]
)
def test_answers_are_those_of_the_twin(name: str, options: dict[str, Any]) -> None:
    game, random = load(name), np.random.default_rng(1)
    settings = MctsSettings(capacity=10_000, **options)
    search = Mcts(game, settings=settings, seed=2)
    state = game.initial_state()
    while not state.is_terminal and all(state.legal_moves):
        for simulations in (1, 10, 1000):
            for role in range(len(game.roles)):
                search.search(state, role, Limit(simulations=simulations))
                found = answer(search._trees, role)
                assert_alike(found, twin_answer.answer(search._trees, role, settings))
        state = state.next([int(random.choice(moves)) for moves in state.legal_moves])


def test_several_trees_value_all_roles_by_the_same_simulations() -> None:
    search = Mcts(load("connectfour"), settings=MctsSettings(threads=3), seed=1)
    for simulations in (10, 3000):
        state = search.game.initial_state()
        own, other = search.search(state, 0, Limit(simulations=simulations)).value
        assert own + other == pytest.approx(1)
