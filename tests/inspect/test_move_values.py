"""What moves are worth at one ply: the values of what they lead to, and goals where a game ends."""

from __future__ import annotations

import pytest
import torch

from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.true_goal import state_values
from neurogame.inspect.move_values import move_values
from neurogame.inspect.named_state import named_state
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch


@pytest.mark.parametrize("text", ["initial", "random:5:1", "random:7:3"])
def test_values_are_those_of_the_states_that_follow(text: str) -> None:
    game = Game.load("tictactoe")
    evaluator, state = make_evaluator(game, seed=1), named_state(game, text)
    found = move_values(evaluator, state)
    mover = next(r for r, own in enumerate(state.legal_moves) if len(own) > 1)
    for own in found[mover]:
        joint = [moves[0] for moves in state.legal_moves]
        joint[mover] = own.move
        after = state.next(joint)
        batch = StateBatch.from_bool(after.fluents[None])
        value = state_values(game.simulator(), evaluator, batch)[0, mover].item()
        assert own.value == pytest.approx(value, abs=1e-6)
        assert game.moves[mover][own.move] == own.text
    values = [own.value for own in found[mover]]
    assert values == sorted(values, reverse=True)
    assert sorted(own.move for own in found[mover]) == list(state.legal_moves[mover])


def test_others_at_the_same_time_answer_to_ones_harm() -> None:
    game = Game.load("rockpaperscissors")
    evaluator, state = make_evaluator(game, seed=1), game.initial_state()
    mine, _ = move_values(evaluator, state)
    for own in mine:
        after = [state.next([own.move, other]) for other in state.legal_moves[1]]
        batch = StateBatch.from_bool(torch.stack([other.fluents for other in after]))
        values = state_values(game.simulator(), evaluator, batch)[:, 0]
        assert own.value == pytest.approx(values.min().item(), abs=1e-6)


def test_nobody_moves_when_the_game_is_over() -> None:
    game = Game.load("tictactoe")
    lines = "(cell 1 1 x) (cell 1 2 x) (cell 1 3 x) (cell 2 2 o) (cell 3 3 o) (control oplayer)"
    state = named_state(game, lines)
    assert state.is_terminal
    assert move_values(make_evaluator(game, seed=1), state) == ((), ())
