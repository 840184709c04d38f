"""An evaluator as a judge of moves: compiled code, its definition, and what searches do."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from neurogame.errors import ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.next_values import NextValues
from neurogame.graph.lanes import pack_lanes
from neurogame.judges.moves import score_moves
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states
from tests.library import load as game


class Sums(Evaluator):
    """A value by the numbers of the fluents that hold, in Python alone."""

    def __init__(self, game: Game) -> None:
        super().__init__(len(game.fluents), len(game.roles), {})
        numbers = torch.arange(len(game.fluents) * len(game.roles)).view(-1, len(game.roles))
        self.register_buffer("part", ((numbers * 37) % 101).double())

    def forward(self, fluents: Tensor) -> Tensor:
        total = self._checked(fluents).double() @ self.get_buffer("part")
        return (total % 64 / 64).float()


class Broken(Sums):
    """It raises an error."""

    def forward(self, fluents: Tensor) -> Tensor:
        raise ArithmeticError("no idea")


def evaluator(name: str, kind: str) -> Evaluator:
    own = game(name)
    return Sums(own) if kind == "python" else make_evaluator(own, EvaluatorConfig(kind=kind))


@pytest.mark.parametrize("kind", ["cilp", "python"])
@pytest.mark.parametrize(
    "name", ["tictactoe", "connectfour5", "tictactoe3p", "bidding_tictactoe", "eightpuzzle"]
)
def test_compiled_scores_are_those_of_the_definition(name: str, kind: str) -> None:
    own, simulator = game(name), game(name).simulator()
    judge = NextValues(own, evaluator(name, kind))
    compiled = SearchJudge(judge, own.circuit)
    assert compiled.is_compiled
    states = sample_states(simulator, 60, 5)
    legal, fluents = simulator.status(states)[0].numpy(), states.to_bool().numpy()
    packed, packed_legal = np.array(pack_lanes(fluents)), np.array(pack_lanes(legal))
    seen = set()
    for role, (begin, end) in enumerate(zip(own.move_offsets, own.move_offsets[1:], strict=False)):
        rows = np.flatnonzero(legal[:, begin:end].any(axis=1))[::-1].copy()
        wanted = judge.move_scores(fluents[rows], legal[rows, begin:end], role)
        found = np.full((len(rows), end - begin), np.nan, np.float32)
        score_moves(compiled.scores, packed, packed_legal, rows, len(rows), role, 0, found)
        compiled.check()
        for number, row in enumerate(rows):
            mine = wanted[number, legal[row, begin:end]]
            np.testing.assert_allclose(found[number, : len(mine)], mine, atol=1e-5)
            assert ((mine >= 0) & (mine <= 1)).all()
            seen |= set(np.round(mine, 5).tolist())
    assert len(seen) > 3


def test_a_won_state_is_worth_its_goal() -> None:
    own = game("tictactoe")
    state = own.initial_state()
    for joint in (("(mark 1 1)", "noop"), ("noop", "(mark 2 2)"), ("(mark 1 2)", "noop")):
        state = state.next(joint)
    state = state.next(("noop", "(mark 3 3)"))
    legal = np.zeros((1, len(own.moves[0])), bool)
    legal[0, list(state.legal_moves[0])] = True
    judge = NextValues(own, evaluator("tictactoe", "cilp"))
    scores = judge.move_scores(state.fluents.numpy()[None], legal, 0)[0]
    won = own.moves[0].index("(mark 1 3)")
    assert scores[won] == 1
    assert (np.delete(scores, won) < 1).all()


def test_a_search_tries_the_best_looking_move_first() -> None:
    own = game("connectfour5")
    judged = evaluator("connectfour5", "python")
    state = own.initial_state()
    legal = np.zeros((1, len(own.moves[0])), bool)
    legal[0, list(state.legal_moves[0])] = True
    scores = NextValues(own, judged).move_scores(state.fluents.numpy()[None], legal, 0)[0]
    settings = MctsSettings(tree="values", cutoff=0, ripe=1)
    search = Mcts(own, settings=settings, evaluator=judged)
    found = search.search(state, 0, Limit(simulations=1))
    best = int(np.where(legal[0], scores, -1).argmax())
    assert found.tries[best] == 1
    assert sum(found.tries.values()) == 1


def test_what_the_evaluator_raises_is_raised_by_the_search() -> None:
    own = game("tictactoe")
    search = Mcts(own, settings=MctsSettings(tree="values"), evaluator=Broken(own))
    with pytest.raises(ArithmeticError, match="no idea"):
        search.search(own.initial_state(), 0, Limit(simulations=50))


def test_without_an_evaluator_it_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="tree=values need an evaluator"):
        Mcts(game("tictactoe"), settings=MctsSettings(tree="values"))
