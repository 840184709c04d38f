"""The lane learner: reproducible, resumed exactly, on any number of cores, in all games."""

from __future__ import annotations

import multiprocessing
import os
import signal
from dataclasses import replace

import pytest
import torch

from neurogame.errors import GameError
from neurogame.learn.counters import Counters
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.simulate.game import Game
from neurogame.workers.settings import WorkerSettings
from neurogame.workers.workplace import Workplace, open_workplace
from tests.evaluators.rules_networks import SMALL, network_of

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
    counters = Counters.from_json(whole.counters.to_json())
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


def test_workers_agree() -> None:
    """After every round all have the same weights, and no table has lost what one learned."""
    run = learner(Game.load("connectfour5"), replace(CONFIG, cores=2))
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
