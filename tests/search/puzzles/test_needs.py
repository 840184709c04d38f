"""What the goal needs: moves into the cell for which the fewest digits are left."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from neurogame.search.puzzles.needs import Needs
from neurogame.simulate.game import Game, State
from tests.conftest import shared


def _narrowed(needs: Needs, game: Game, state: State) -> list[int]:
    legal = game.simulator().status(state.batch)[0].numpy()
    narrow = needs.narrowed(state.fluents[None].numpy(), legal)
    assert not (narrow & ~legal).any()
    return np.flatnonzero(narrow[0]).tolist()


def test_the_cell_with_the_fewest_digits_comes_first() -> None:
    game = Game.load(shared("games", "futoshiki6.kif"))
    needs = Needs(game.circuit)
    state = game.initial_state()
    for _ in range(20):
        texts = [game.moves[0][move] for move in state.legal_moves[0]]
        cells = Counter(t.rpartition(" ")[0] for t in texts if t.startswith("(place"))
        moves = _narrowed(needs, game, state)
        (cell,) = {game.moves[0][move].rpartition(" ")[0] for move in moves}
        assert len(moves) == cells[cell] == min(cells.values())
        state = state.next([moves[0]])


@pytest.mark.parametrize("name", ["pegs", "lightsout", "eightpuzzle"])
def test_some_move_is_always_left(name: str) -> None:
    game = Game.load(name)
    needs = Needs(game.circuit)
    random = np.random.default_rng(3)
    state = game.initial_state()
    while not state.is_terminal and state.legal_moves[0]:
        assert _narrowed(needs, game, state)
        state = state.next([int(random.choice(state.legal_moves[0]))])


def test_a_goal_that_is_no_conjunction_needs_nothing() -> None:
    game = Game.from_text(
        "(role robot) (init (on 0)) (legal robot a) (legal robot b)"
        "(<= (next (on 1)) (does robot a)) (<= (next (on 2)) (does robot b))"
        "(<= terminal (not (true (on 0))))"
        "(<= (goal robot 100) (true (on 1))) (<= (goal robot 0) (not (true (on 1))))"
    )
    needs = Needs(game.circuit)
    assert needs.count == 0
    legal = np.ones((1, 2), np.bool_)
    assert needs.narrowed(np.zeros((1, 3), np.bool_), legal).all()
