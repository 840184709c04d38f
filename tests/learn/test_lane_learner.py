"""The lane learner: reproducible, resumed exactly, on any number of cores, in all games."""

from __future__ import annotations

import multiprocessing
import os
import signal
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from torch import Tensor

from neurogame.errors import GameError
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
from neurogame.workers.settings import WorkerSettings
from neurogame.workers.workplace import Workplace, open_workplace
from tests.evaluators.rules_networks import SMALL, network_of
from tests.search.chance_games import SMALL_PIG, WAGER
from tests.search.test_chance import GAMBLER, GOALS

CONFIG = LaneConfig(network=SMALL, lanes=64, plies=50, step_every=256)


def learner(game: Game, config: LaneConfig, place: Workplace | None = None) -> LaneLearner:
    """Return a learner that has not learned."""
    return LaneLearner(game, config, network_of(game, config.network, random=False), place)


def same(first: LaneLearner, second: LaneLearner) -> bool:
    """Return whether two learners have the same weights."""
    pairs = [(first.evaluator, second.evaluator), (first.averaged, second.averaged)]
    return all(
        torch.equal(one, two)
        for a, b in pairs
        for one, two in zip(a.learned_weights(), b.learned_weights(), strict=True)
    )


@pytest.mark.parametrize("cores", [1, 3])
def test_a_run_that_is_resumed_is_the_one_that_was_not_interrupted(cores: int) -> None:
    game, config = Game.load("connectfour5"), replace(CONFIG, cores=cores)
    whole, resumed = learner(game, config), learner(game, config)
    for _ in range(4):
        whole.round()
    state = whole.state()
    averaged = {name: part.clone() for name, part in whole.averaged.state_dict().items()}
    counters = replace(whole.counters)
    for _ in range(4):
        whole.round()
    resumed.restore(state, averaged, counters)
    for _ in range(4):
        resumed.round()
    assert same(whole, resumed)
    assert whole.counters.matches == resumed.counters.matches > 100
    assert whole.evaluator.tables.detach().abs().sum() > 0
    assert whole.evaluator.readout.detach().abs().sum() > 0


def test_whoever_plays_the_lanes_the_weights_are_the_same() -> None:
    """A thread for each group, this thread, two threads, and two processes of which some die."""
    game, config = Game.load("connectfour5"), replace(CONFIG, cores=3, round_plies=20)
    threads = learner(game, config)
    for _ in range(3):
        threads.round()
    assert threads.counters.matches > 100
    loss = threads.take_loss()
    alone, two = WorkerSettings(), WorkerSettings(workers=2)
    for settings, has_threads in ((alone, True), (two, True), (alone, False), (two, False)):
        with open_workplace(settings) as opened:
            place = opened if has_threads else replace(opened, threads=None)
            run = learner(game, config, place)
            for number in range(3):
                run.round()
                children = multiprocessing.active_children()
                if number % 2 and children:
                    os.kill(children[number % len(children)].pid or 0, signal.SIGKILL)
            assert same(threads, run)
            assert run.counters.matches == threads.counters.matches
            assert run.take_loss() == pytest.approx(loss, rel=1e-12)
            if settings is two and not has_threads:
                # The next one finds workers that have played for another.
                again = learner(game, config, place)
                for _ in range(3):
                    again.round()
                assert same(threads, again)


def test_the_seed_decides() -> None:
    game = Game.load("connectfour5")
    runs = [learner(game, replace(CONFIG, seed=seed)) for seed in (1, 1, 2)]
    for run in runs:
        for _ in range(3):
            run.round()
    assert same(runs[0], runs[1])
    assert not same(runs[0], runs[2])


@pytest.mark.parametrize("hidden", [SMALL.hidden, 0])
def test_workers_agree(hidden: int) -> None:
    """After every round all have the same weights, and no table has lost what one learned."""
    config = replace(CONFIG, cores=2, network=replace(SMALL, hidden=hidden))
    run = learner(Game.load("connectfour5"), config)
    for _ in range(3):
        run.round()
    first, second = run._workers
    ours, theirs = first.added() + first.averaged(), second.added() + second.averaged()
    for one, two in zip(ours, theirs, strict=True):
        assert (one == two).all()
    positions = sum(worker.learning.positions for worker in run._workers)
    assert 0 < positions < run.counters.plies


@pytest.mark.parametrize(
    ("name", "rounds"),
    [
        ("tictactoe3p", 40),
        ("pursuit", 40),
        ("connectfour_simultaneous", 140),
        ("eightpuzzle", 40),
        ("prisoners", 40),
    ],
)
def test_it_learns_in_every_kind_of_game(name: str, rounds: int) -> None:
    """Three roles, teams, simultaneous moves, one role, no constant sum."""
    run = learner(Game.load(name), replace(CONFIG, plies=200))
    while run.counters.rounds < 20 or run.counters.matches < 200:
        run.round()
    early = run.take_loss()
    for _ in range(rounds):
        run.round()
    run.take_loss()
    for _ in range(20):
        run.round()
    assert run.take_loss() < early


def test_a_role_without_a_move_is_reported() -> None:
    rules = """
    (role a) (init (s 0)) (succ 0 1) (succ 1 2) (legal a go) (base (s 0)) (base (s 1)) (base (s 2))
    (<= (next (s ?y)) (true (s ?x)) (succ ?x ?y)) (input a go)
    (<= terminal (true (s 9))) (goal a 100)
    """
    stuck = rules.replace("(legal a go)", "(<= (legal a go) (true (s 0)))")
    run = learner(Game.from_text(stuck), replace(CONFIG, network=replace(SMALL, lookups=0)))
    with pytest.raises(GameError, match="no legal move"):
        run.round()


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
