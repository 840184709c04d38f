"""Foreseen rules: a state is an end where its winner cannot be kept from it, and else as it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch

from neurogame.evaluators.build import make_evaluator
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch
from tests.circuit.random_steps import random_steps
from tests.library import load as library_game
from tests.regress.look_ahead import goals_of, sure_winner

FORESEEN = ("tictactoe", "connectfour", "breakthrough6", "pentago", "qubic", "minichess5")
LEFT_ALONE = ("reversi6", "tictactoe3p", "eightpuzzle", "atarigo5", "bidding_tictactoe")


@pytest.mark.parametrize("name", FORESEEN)
def test_states_that_are_surely_won_are_ends(name: str) -> None:
    """Ends and goals are those of a search of one ply; moves and next states stay the same."""
    game = library_game(name)
    assert game.foreseen is not game.circuit
    states = StateBatch.from_bool(torch.from_numpy(random_steps(game, 32, 40, seed=1).states))
    before = game.simulator().derive(states)
    now = Simulator(game.foreseen).derive(states)
    over, winner = before.terminal.numpy(), sure_winner(game, states)
    assert not over.any()
    assert (winner >= 0).sum() >= 10
    assert (now.terminal.numpy() == (winner >= 0)).all()
    ended = now.terminal.numpy()
    for role in range(2):
        told = goals_of(game.foreseen, now.goal_flags)[ended, role]
        assert (told == np.where(winner[ended] == role, 100, 0)).all()
    assert (now.legal == before.legal).all()


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_other_rules_are_left_as_they_are(name: str) -> None:
    """Rules are kept where it takes too many gates, or there are not two opposed roles."""
    game = library_game(name)
    assert game.foreseen is game.circuit


def test_rules_of_one_player_against_chance_are_left_as_they_are() -> None:
    """Chance wants nothing, so no move of its wins, even where it has the opposite goals."""
    game = Game.from_text(
        "(role random) (role r) (init (turn random))"
        "(<= (next (turn r)) (true (turn random))) (<= (next (turn random)) (true (turn r)))"
        "(<= (legal ?r a) (true (turn ?r))) (<= (legal ?r b) (true (turn ?r)))"
        "(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))"
        "(<= (next won) (does r a)) (<= (next lost) (does random b))"
        "(<= terminal (true won)) (<= terminal (true lost))"
        "(<= (goal r 100) (true won)) (<= (goal r 0) (not (true won)))"
        "(<= (goal random 0) (true won)) (<= (goal random 100) (not (true won)))",
        cache=False,
    )
    assert game.foreseen is game.circuit


def test_a_move_wins_only_where_the_others_wait() -> None:
    """In the third phase both roles have one move each, and what follows depends on both."""
    game = Game.from_text(
        "(role r) (role s) (init (phase 1)) (succ 1 2) (succ 2 3) (succ 3 4)"
        "(<= (next (phase ?y)) (true (phase ?x)) (succ ?x ?y))"
        "(<= (legal r a) (true (phase 1))) (<= (legal r b) (true (phase 1)))"
        "(<= (legal s noop) (true (phase 1))) (<= (legal r noop) (true (phase 2)))"
        "(<= (legal s a) (true (phase 2))) (<= (legal s b) (true (phase 2)))"
        "(<= (legal r deal) (true (phase 3))) (<= (legal s reveal) (true (phase 3)))"
        "(<= (next won) (does r deal) (not (does s reveal)))"
        "(<= terminal (true (phase 4)))"
        "(<= (goal r 100) (true won)) (<= (goal s 0) (true won))"
        "(<= (goal r 0) (not (true won))) (<= (goal s 100) (not (true won)))",
        cache=False,
    )
    state = game.initial_state().next(["a", "noop"]).next(["noop", "a"])
    assert state.next(["deal", "reveal"]).goals == (0.0, 100.0)
    assert not Simulator(game.foreseen).derive(state.batch).terminal[0]


@pytest.mark.parametrize("kind", [AlphaBeta, partial(Mcts, settings=MctsSettings(cutoff=0))])
def test_where_a_role_can_win_at_once_a_search_knows_and_has_nothing_to_rehearse(
    kind: Callable[..., AlphaBeta | Mcts],
) -> None:
    game = library_game("tictactoe")
    state = game.initial_state()
    for x, o in (("(mark 1 1)", "(mark 2 1)"), ("(mark 1 2)", "(mark 2 2)")):
        state = state.next([x, "noop"]).next(["noop", o])
    search = kind(game, evaluator=make_evaluator(game))
    search.rehearse(state, 0, 0.0)
    search.ponder(state, 0, lambda: False)
    found = search.search(state, 0, Limit(depth=1, simulations=1))
    assert (game.moves[0][found.move], found.value, found.proved) == (
        "(mark 1 3)",
        (1.0, 0.0),
        True,
    )
    assert search.search(state, 1, Limit(depth=1, simulations=1)).value == (1.0, 0.0)
