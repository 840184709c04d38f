"""The yardstick: the same conditions for every evaluator, and results that can be checked."""

from __future__ import annotations

from functools import cache

import pytest
import torch
from torch import Tensor

from neurogame.arena.yardstick import Yardstick
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.exact import Prover
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game, State
from tests.conftest import REPOSITORY

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(REPOSITORY / "experiments"))
    from kept_values import move_values, one_ply, sample_positions, value_kept_by


@cache
def game() -> Game:
    return Game.load("tictactoe")


class Known(Evaluator):
    """Knows some positions' exact values, or the reverse of them."""

    def __init__(self, states: list[State], reverse: bool) -> None:
        super().__init__(len(game().fluents), 2, {"kind": "known"})
        prover = Prover(game())
        self._values = {}
        for state in states:
            (role,) = (r for r, moves in enumerate(state.legal_moves) if len(moves) > 1)
            joint = [moves[0] for moves in state.legal_moves]
            for move, value in (move_values(prover, state) or {}).items():
                joint[role] = move
                child = state.next(joint)
                own = 1 - value if reverse else value
                values = [own, 1 - own] if role == 0 else [1 - own, own]
                self._values[child.fluents.numpy().tobytes()] = values

    def forward(self, fluents: Tensor) -> Tensor:
        keys = [row.numpy().tobytes() for row in fluents]
        return torch.tensor([self._values.get(key, [0.5, 0.5]) for key in keys])


def test_one_ply_sees_what_the_evaluator_says() -> None:
    # Up to three plies from the start nobody has won yet: the evaluator decides.
    states = sample_positions(game(), 20, 1, range(3))
    assert len(states) == 1 + 9 + 20
    assert value_kept_by(game(), Known(states, reverse=False), states).share == 1
    wrong = value_kept_by(game(), Known(states, reverse=True), states)
    assert wrong.telling > 5
    assert wrong.telling_share == 0


def test_choices_at_one_ply_do_not_depend_on_what_was_asked_before() -> None:
    states = sample_positions(game(), 6, 2, range(6))
    evaluator = make_evaluator(game(), EvaluatorConfig(kind="mlp"), 3)
    choose = one_ply(AlphaBeta(game(), evaluator))
    forward = [choose(state) for state in states]
    backward = [choose(state) for state in reversed(states)]
    assert forward == backward[::-1]


def test_matches_against_evaluators_and_player_strings() -> None:
    rules = make_evaluator(game(), EvaluatorConfig(kind="cilp"))
    blank = make_evaluator(game(), EvaluatorConfig(kind="mlp"), 1)
    yardstick = Yardstick(game=game(), matches=24, seed=3, opening_plies=2, limit=Limit(depth=2))
    found = yardstick.measure(rules, blank)
    assert found.wins + found.draws + found.losses == found.matches == 24
    assert (found.openings, found.opening_plies) == (12, 2)
    assert found.low < found.score < found.high
    assert found == yardstick.measure(rules, blank)
    # The same matches, seen from the other side.
    turned = yardstick.measure(blank, rules)
    assert turned.openings == 12
    assert (turned.wins, turned.losses) == (found.losses, found.wins)
    assert turned.score == pytest.approx(1 - found.score)
    assert yardstick.measure(rules, "random").score > 0.6
    assert yardstick.measure(rules, "mcts:sims=50").matches == 24


def test_positions_are_different_and_have_one_chooser() -> None:
    states = sample_positions(game(), 10, 1, range(9))
    assert len(set(states)) == len(states) > 50
    for state in states:
        assert sum(len(moves) > 1 for moves in state.legal_moves) == 1
    # Two who bid at the same time are no choosers in turn.
    assert sample_positions(Game.load("bidding_tictactoe"), 5, 1, [0]) == []


def test_mistakes_are_refused() -> None:
    evaluator = make_evaluator(game(), EvaluatorConfig(kind="cilp"))
    with pytest.raises(ValueError, match="player 'nobody'"):
        Yardstick(game=game(), matches=2).measure(evaluator, "nobody")
