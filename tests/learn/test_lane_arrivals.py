"""Learning without waiting: no group waits for another, nothing is lost, and it learns as well."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import TypeVar

import numpy as np

from neurogame.learn.counters import Counters
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.lanes.piece import LaneGroup
from neurogame.simulate.game import Game
from neurogame.workers.workplace import Workplace
from tests.evaluators.parts_of_games import SMALL, parts_of

_T = TypeVar("_T")

CONFIG = LaneConfig(
    parts=SMALL, lanes=96, plies=50, step_every=256, cores=3, round_plies=20, asynchronous=True
)


class Uneven(ThreadPoolExecutor):
    """Threads of which the one with group 0 waits until it is let go."""

    def __init__(self) -> None:
        super().__init__(3)
        self.may_go = Event()
        self.sent: list[int] = []

    def submit(self, fn: Callable[..., _T], /, *args: object, **kwargs: object) -> Future[_T]:
        group = args[0]
        assert isinstance(group, LaneGroup)
        self.sent.append(group.number)

        def call() -> _T:
            if group.number == 0:
                self.may_go.wait()
            return fn(*args, **kwargs)

        return super().submit(call)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        # So that no failed test hangs.
        self.may_go.set()
        super().shutdown(wait, cancel_futures=cancel_futures)


def _learner(place: Workplace | None, config: LaneConfig = CONFIG) -> LaneLearner:
    game = Game.load("connectfour5")
    return LaneLearner(game, config, parts_of(game, config.parts, random=False), place)


def test_no_group_waits_for_another() -> None:
    with Uneven() as threads:
        run = _learner(Workplace(threads, threads=threads, workers=3))
        for _ in range(4):
            run.round()
        first, *others = run._workers
        assert first.games.own.plies == 0
        assert all(worker.games.own.plies > 0 for worker in others)
        assert threads.sent.count(0) == 1
        # What it has learned meanwhile counts once it comes.
        threads.may_go.set()
        while not first.games.own.plies:
            run.round()
        assert run.counters.plies == sum(worker.games.own.plies for worker in run._workers)
        for worker in others:
            pairs = zip(
                first.added() + first.averaged(), worker.added() + worker.averaged(), strict=True
            )
            assert all(np.array_equal(one, two) for one, two in pairs)


def test_a_single_group_changes_the_weights_as_it_would_alone() -> None:
    """The other has not come back: all that is learned is its own. Adam, which averages, rests."""
    pair = replace(CONFIG, cores=2, step_size=0.0)
    with Uneven() as threads:
        run = _learner(Workplace(threads, threads=threads, workers=2), pair)
        run.round(plies=100)
        changed = run._workers[0].added()[0].copy()
        alone = _learner(None, replace(pair, asynchronous=False))
        alone._workers[1].play(100)
        alone._workers[1].play(100)
        expected = alone._workers[1].added()[0]
        assert np.abs(expected).sum() > 0
        np.testing.assert_allclose(changed, expected, rtol=1e-4, atol=1e-6)
        threads.may_go.set()


def test_groups_learn_as_well_as_one() -> None:
    """With pieces as short as these, changes that count too much would build up."""
    losses = []
    for cores, asynchronous in ((1, False), (2, False), (4, False), (4, True)):
        config = replace(CONFIG, cores=cores, lanes=64 * cores, asynchronous=asynchronous)
        run = _learner(None, config)
        while run.counters.matches < 15_000:
            run.round()
        run.take_loss()
        while run.counters.matches < 20_000:
            run.round()
        losses.append(run.take_loss())
    assert max(losses) < 1.1 * losses[0]


def test_a_run_that_was_stopped_goes_on() -> None:
    run = _learner(None)
    for _ in range(3):
        run.round()
    state, counters = run.state(), Counters.from_json(run.counters.to_json())
    averaged = {name: part.clone() for name, part in run.averaged.state_dict().items()}
    again = _learner(None)
    again.restore(state, averaged, counters)
    assert np.array_equal(again._workers[0].added()[0], run._workers[0].added()[0])
    for _ in range(3):
        again.round()
    assert again.counters.matches > run.counters.matches > 0
    assert again.counters.plies > run.counters.plies
