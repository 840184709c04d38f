"""Exact values: the package's own search agrees with a solver that is independent of it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from neurogame.errors import GameError
from neurogame.search.exact import Prover
from neurogame.simulate.game import Game, State
from tests.conftest import REPOSITORY
from tests.library import experiment

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(REPOSITORY / "experiments"))
    from kept_values import ValueKeeping, move_values, sample_positions, value_keeping_share


@cache
def known(number: int) -> tuple[Game, Any, list[State], Prover]:
    """Return a solved game, its independent solver, positions, and the package's prover."""
    module = experiment("solved_games")  # It has solvers on bit boards.
    board = module.BOARDS[number]
    game = Game.load(board.game)
    plies = range(9) if number == 0 else range(8, 20, 3)
    return game, module.Solver(board), sample_positions(game, 12, 4, plies), Prover(game)


def solved(number: int, state: State) -> dict[int, float]:
    """Return the value of each move to whoever moves, 0..1, by the independent solver."""
    game, solver, _, _ = known(number)
    mover, own, other = solver.position(state)
    return {
        move: (1 + solver.after(own, other, solver.cell(game.moves[mover][move], own | other))) / 2
        for move in state.legal_moves[mover]
    }


@pytest.mark.parametrize("number", [0, 1])
def test_values_are_those_of_an_independent_solver(number: int) -> None:
    _, _, states, prover = known(number)
    assert len(states) > 40
    values = [move_values(prover, state) for state in states]
    assert values == [solved(number, state) for state in states]
    assert {value for found in values if found for value in found.values()} == {0.0, 0.5, 1.0}


@pytest.mark.parametrize("number", [0, 1])
def test_the_share_is_counted_by_definition(number: int) -> None:
    game, _, states, prover = known(number)
    exact = [solved(number, state) for state in states]
    draw = np.random.default_rng(1)
    played = {state: int(draw.choice(list(v))) for state, v in zip(states, exact, strict=True)}

    def share(choice: dict[State, int]) -> ValueKeeping:
        return value_keeping_share(game, choice.__getitem__, states, prover=prover)

    perfect = share({s: max(v, key=v.__getitem__) for s, v in zip(states, exact, strict=True)})
    assert perfect.share == perfect.telling_share == 1
    worst = share({s: min(v, key=v.__getitem__) for s, v in zip(states, exact, strict=True)})
    assert worst.telling_share == 0
    assert worst.kept == worst.states - worst.telling
    random = share(played)
    kept = [v[played[s]] == max(v.values()) for s, v in zip(states, exact, strict=True)]
    telling = [len(set(v.values())) > 1 for v in exact]
    assert (random.states, random.kept) == (len(states), sum(kept))
    assert random.telling == sum(telling)
    assert random.telling_kept == sum(k and t for k, t in zip(kept, telling, strict=True))
    assert f"{100 * random.share:.1f} %" in random.text()


def test_what_is_not_proved_is_left_out_and_counted() -> None:
    game = Game.load("connectfour")
    short = Prover(game, 5)
    states = [game.initial_state()]
    assert short.value(states[0], 0) is None
    assert not short.is_decided(states[0])
    found = value_keeping_share(game, lambda _: 0, states, prover=short)
    assert (found.states, found.unproved) == (0, 1)


def test_states_without_one_chooser_are_refused() -> None:
    game = Game.load("bidding_tictactoe")
    with pytest.raises(GameError, match="exactly one"):
        move_values(Prover(game), game.initial_state())
