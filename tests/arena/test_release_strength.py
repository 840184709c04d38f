"""The strength of releases: measured in a time, or by a number of matches; never for longer."""

from __future__ import annotations

import json
import threading
from functools import cache, partial

from torch import Tensor

from neurogame.arena.release_strength import StrengthMeter, counted_matches
from neurogame.arena.strength_curve import strength_svg, strength_table
from neurogame.arena.yardstick import Yardstick
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game
from tests.processes import wait_until


@cache
def game() -> Game:
    return Game.load("tictactoe")


@cache
def rules() -> Evaluator:
    return make_evaluator(game())


def is_idle(meter: StrengthMeter) -> bool:
    return meter.waiting == 0


class Left:
    """Seconds that are left: none from the given look on."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def __call__(self) -> float:
        self.looks -= 1
        return 1000.0 if self.looks >= 0 else 0.0


def test_a_measurement_that_is_cut_holds_the_matches_that_ended() -> None:
    """Every move looks twice at the time; a match under way when there is none does not count."""
    yardstick = Yardstick(game=game(), matches=6, seed=2, opening_plies=2, limit=Limit(depth=1))
    whole = yardstick.measure(rules(), rules())
    assert whole.matches == 6
    counts = [yardstick.measure(rules(), rules(), left=Left(looks)) for looks in range(0, 120, 7)]
    assert [found.matches for found in counts] == sorted(found.matches for found in counts)
    assert counts[0].matches == 0
    assert {0, 1, 2, 3, 4} <= {found.matches for found in counts}
    for found in counts:
        assert found.wins + found.draws + found.losses == found.matches
        # Nothing was cut within a match that counts.
        assert found.matches == 0 or found == yardstick_of(found.matches)


@cache
def yardstick_of(matches: int) -> object:
    """Return what the first matches of the same measurement come to."""
    yardstick = Yardstick(
        game=game(), matches=matches, seed=2, opening_plies=2, limit=Limit(depth=1)
    )
    return yardstick.measure(rules(), rules())


def test_no_time_is_no_match_and_says_so() -> None:
    meter = StrengthMeter(game(), rules(), seed=1, seconds=0.0)
    meter.measure(rules(), 0.0)
    wait_until(partial(is_idle, meter))
    (found,) = meter.close()
    assert found.mcts.matches == 0
    assert found.text() == ""
    assert "no match was finished" in strength_table([found])
    assert "nan" not in strength_svg("strength", [found])
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["mcts"]["score"] is None


def test_the_time_of_all_measurements_ends_each() -> None:
    """The clock of the whole run is over, whatever one measurement may take."""
    clock = iter([0.0, *[50.0] * 1000])
    meter = StrengthMeter(
        game(), rules(), seed=1, seconds=1000.0, until=10.0, clock=lambda: next(clock)
    )
    meter.measure(rules(), 0.0)
    wait_until(partial(is_idle, meter))
    assert meter.is_over
    assert meter.close()[0].mcts.matches == 0


def test_measuring_stops_between_two_plies() -> None:
    """One that would never end is asked to stop while it thinks, and ends with that move."""
    thinking, stopped = threading.Event(), threading.Event()

    class Slow(Evaluator):
        """Thinks until the measurement is told to stop, about one state."""

        def forward(self, fluents: Tensor) -> Tensor:
            thinking.set()
            stopped.wait()
            found: Tensor = rules()(fluents)
            return found

    slow = Slow(len(game().fluents), 2, {"kind": "slow"})
    meter = StrengthMeter(game(), rules(), seed=1, matches=60)
    meter.measure(slow, 0.0)
    assert thinking.wait(60.0)
    meter._stopped = True
    stopped.set()
    wait_until(partial(is_idle, meter))
    (found,) = meter.close()
    assert found.untrained is not None
    assert found.untrained.matches == found.mcts.matches == 0


def test_counted_measurements_are_the_same_whatever_the_time() -> None:
    found = []
    for _ in range(2):
        meter = StrengthMeter(game(), rules(), seed=3, matches=4)
        meter.measure(rules(), 0.0)
        wait_until(partial(is_idle, meter))
        found += meter.close()
    assert found[0].mcts.matches == 4
    assert found[0].mcts == found[1].mcts


def test_long_matches_are_counted_fewer() -> None:
    counts = [counted_matches(plies) for plies in (9, 100, 200, 400, 1000)]
    assert counts == [20, 20, 8, 2, 0]
