"""Learning and its matches leave the moves of chance to chance, and value what it may do."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch
from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.fresh import make_fresh
from neurogame.evaluators.next_values import NextValues
from neurogame.kernels.knowledge.recorded_games import GameRecorder
from neurogame.learn.comparison import compare
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.match import play_training_match
from neurogame.search.lockstep.lockstep import MatchPlan, play_lockstep
from neurogame.simulate.game import Game
from tests.evaluators.rules_networks import SMALL, network_of
from tests.search.chance_games import SMALL_PIG, WAGER
from tests.search.test_chance import GAMBLER, GOALS


@cache
def _gambler() -> Game:
    # Whoever took chance for a player would have it win, and the gamble would be worth all.
    return Game.from_text(GAMBLER + GOALS["friend"])


class _Hopeful(Evaluator):
    """Values every state at 0.55 for the gambler, and likes heads for chance."""

    def __init__(self, game: Game) -> None:
        super().__init__(len(game.fluents), 2, {"kind": "hopeful"})

    def forward(self, fluents: Tensor) -> Tensor:
        return torch.tensor([[0.5, 0.55]]).expand(len(fluents), 2)


@pytest.mark.parametrize("depth", [1, 2])
def test_look_ahead_averages_and_chance_moves_at_random(depth: int) -> None:
    game, count = _gambler(), 400
    plan = MatchPlan(
        evaluators=[_Hopeful(game)],
        seats=np.zeros((count, 2), np.int64),
        seeds=np.arange(count),
        depth=depth,
    )
    played = play_lockstep(game, plan)
    assert {game.moves[1][int(match.moves[0, 1])] for match in played} == {"safe"}
    gamble = [[game.move_index("random", "noop"), game.move_index("gambler", "gamble")]]
    forced = MatchPlan(
        evaluators=plan.evaluators,
        seats=plan.seats,
        seeds=plan.seeds,
        openings=np.array([gamble] * count),
        depth=depth,
    )
    wins = sum(match.goals[1] == 1 for match in play_lockstep(game, forced))
    assert abs(wins - count / 2) < 4 * np.sqrt(count / 4)


def test_a_player_is_compared_with_another_at_the_same_luck() -> None:
    game = _gambler()
    found = compare(game, _Hopeful(game), None, matches=60, seed=1)
    assert found.mean_goal == 60
    assert found.matches == 30
    assert found.wins + found.draws + found.losses == 30
    pig = Game.from_text(SMALL_PIG)
    net = make_fresh("cilp", pig)
    both = compare(pig, net, net, matches=40, seed=1, opening_plies=2)
    assert both.matches == 40
    assert both.draws < 40


def test_recorded_games_of_a_judge_have_random_outcomes() -> None:
    game = _gambler()
    recorder = GameRecorder(game.circuit)
    games = recorder.play(256, 1, judge=NextValues(game, _Hopeful(game)), epsilon=0.0)
    assert set(games.results[:, 1].tolist()) == {0.6}
    heads = game.move_index("random", "heads")
    wager = Game.from_text(WAGER)
    recorder = GameRecorder(wager.circuit)
    judge = NextValues(wager, make_fresh("cilp", wager))
    games = recorder.play(256, 1, judge=judge, epsilon=0.0)
    made = games.moves[games.moves[:, 0] >= 0, 0]
    share = float((made == made.min()).mean())
    assert heads >= 0
    assert abs(share - 0.5) < 4 * 0.5 / np.sqrt(len(made))


@pytest.mark.parametrize("text", [GAMBLER + GOALS["friend"], WAGER])
def test_self_play_learns_what_chances_are_worth(text: str) -> None:
    game = Game.from_text(text)
    config = LaneConfig(network=SMALL, lanes=64, plies=8, epsilon=0.3, openings=2, step_every=64)
    learner = LaneLearner(game, config, network_of(game, config.network, random=False))
    for _ in range(60):
        learner.round()
    start = game.initial_state()
    asked = [start] if text == WAGER else [start, game.state(["flip"])]
    with torch.no_grad():
        values = learner.averaged(torch.stack([state.fluents for state in asked]))[:, 1]
    expected = [0.4698] if text == WAGER else [0.6, 0.5]
    assert values.tolist() == pytest.approx(expected, abs=0.06)


def test_matches_of_the_papers_recipe_have_no_player_for_chance() -> None:
    game = _gambler()
    config = PaperConfig(opening_plies=0)
    learner = make_fresh("cilp-paper", game)
    for number in range(6):
        match = play_training_match(game, config, learner, None, number, seed=number)
        assert match.finished
        # A mean of goals is the value of no goal network.
        assert bool(torch.isnan(match.proved[:-1]).all())
