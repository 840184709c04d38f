"""Games in operation notation play as the same games of the library in prefix notation."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from neurogame.gdl.check import check_rules
from neurogame.gdl.library import load_rules
from neurogame.gdl.terms import Rules
from tests.reference.interpreter import ReferenceGame

FOLDER = Path(__file__).parent / "operation_games"


def compared_plies(left: Rules, right: Rules, games: int, seed: int = 1) -> int:
    """Play games at random by two rulesheets; return the number of states that were compared."""
    one, other = ReferenceGame(left), ReferenceGame(right)
    assert one.roles == other.roles
    draw, plies = random.Random(seed), 0
    for _ in range(games):
        state, twin = one.initial(), other.initial()
        while True:
            assert state == twin
            plies += 1
            moves = []
            for role in range(len(one.roles)):
                assert one.goals(state, role) == other.goals(twin, role)
                legal = one.legal(state, role)
                if not one.terminal(state):
                    assert legal == other.legal(twin, role)
                    moves.append(draw.choice(sorted(legal, key=one.text)))
            assert one.terminal(state) == other.terminal(twin)
            if one.terminal(state):
                break
            state, twin = one.next(state, moves), other.next(twin, moves)
    return plies


@pytest.mark.parametrize(
    ("name", "games", "least"),
    [("tictactoe", 20, 100), ("nim", 20, 100), ("dotsandboxes", 4, 100), ("eightpuzzle", 4, 100)],
)
def test_random_games_are_the_same_state_by_state(name: str, games: int, least: int) -> None:
    rules = load_rules(FOLDER / f"{name}.hrf")
    assert compared_plies(load_rules(name), rules, games) >= least
    assert check_rules(rules) == []
