"""Learning on: what has learned more takes over; what plays by something else must be beaten."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest

pytest.importorskip("numba")

from neurogame.learn.self_teaching import ENOUGH, SelfTeaching
from neurogame.players.auto.candidate import Candidate
from neurogame.players.auto.school import School
from neurogame.players.random_player import RandomPlayer
from tests.library import load as game
from tests.players.searching import Searching


class Teaching:
    """Learns for a second whenever it is asked to."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.kept = seconds, 0

    def learn_a_little(self) -> None:
        self.seconds += 1

    def keep(self) -> None:
        self.kept += 1


def candidate(name: str, *, is_good: bool) -> Candidate:
    return Candidate(
        name=name, player=RandomPlayer(), searcher=Searching(game("tictactoe"), is_good=is_good)
    )


def school(
    teaching: Teaching,
    make: Callable[[], Candidate | None],
    *,
    is_good: bool = True,
    is_learned: bool = False,
) -> School:
    return School(
        game("tictactoe"),
        cast(SelfTeaching, teaching),
        make,
        playing=candidate("first", is_good=is_good),
        is_learned=is_learned,
        plies=2,
        seed=1,
    )


def calls(number: int) -> Callable[[], bool]:
    """Return what says stop when it has been asked so many times."""
    left = [number]

    def stop() -> bool:
        left[0] -= 1
        return left[0] < 0

    return stop


def test_what_has_learned_twice_as_long_takes_over() -> None:
    teaching, made = Teaching(10), []

    def make() -> Candidate:
        made.append(teaching.seconds)
        return candidate(f"learned {teaching.seconds:.0f}", is_good=False)

    own = school(teaching, make, is_learned=True)
    assert not own.spend(calls(9))
    assert own.playing.name == "first"
    assert own.spend(calls(1000))
    assert own.playing.name == "learned 20"
    # It goes on where it was, and ends for good when that is enough.
    while own.spend(calls(7)) or teaching.seconds < ENOUGH:
        pass
    assert made == [20, 40, 80, 160, ENOUGH]
    assert own.playing.name == f"learned {ENOUGH:.0f}"
    assert not own.spend(calls(1000))
    assert teaching.seconds == ENOUGH
    own.keep()
    assert teaching.kept == 1


def test_another_search_has_to_be_beaten_first() -> None:
    own = school(Teaching(0), lambda: candidate("learned", is_good=True), is_good=False)
    assert not own.spend(calls(20))
    assert own.spend(calls(100_000))
    assert own.playing.name == "learned"


def test_what_loses_trials_never_plays() -> None:
    teaching = Teaching(100)
    own = school(teaching, lambda: candidate("learned", is_good=False))
    assert not own.spend(calls(100_000))
    assert own.playing.name == "first"
    assert teaching.seconds == ENOUGH


def test_what_cannot_be_made_ends_it() -> None:
    teaching = Teaching(1)
    own = school(teaching, lambda: None)
    assert not own.spend(calls(1000))
    assert own.playing.name == "first"
    assert teaching.seconds == 3
