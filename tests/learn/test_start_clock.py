"""Learning in a start clock: clocks are kept, and the next match goes on from where it was."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import torch

from neurogame.evaluators.parts.evaluator import PartsEvaluator
from neurogame.gdl.scramble import scramble
from neurogame.learn.lane_learner import LaneLearner
from neurogame.learn.mapped_evaluator import MappedEvaluator
from neurogame.learn.start_clock import Taught, learn_in_start_clock
from neurogame.learn.timed_learning import learn_until
from neurogame.learn.weights import copied_weights
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states

game = cache(Game.load)


class Clock:
    """A clock that ticks whenever it is looked at, or is set by hand."""

    def __init__(self, tick: float) -> None:
        self.now, self.tick = 0.0, tick

    def monotonic(self) -> float:
        self.now += self.tick
        return self.now


CLOCK = Clock(1.0)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let a clock tick whenever it is looked at, and keep what is learned in a new folder."""
    monkeypatch.setattr("neurogame.learn.timed_learning.time", CLOCK)
    monkeypatch.setenv("NEUROGAME_CACHE", str(tmp_path))
    return tmp_path


def taught(own: Game, seed: int = 1) -> Taught:
    """Return what some rounds have taught."""
    found = learn_in_start_clock(own, 1e6, _later(12), seed=seed)
    assert found is not None
    return found


def _later(rounds: int) -> float:
    """Return a time before which about so many rounds fit."""
    return CLOCK.now + 16.0 * rounds


def inner(evaluator: object) -> PartsEvaluator:
    own = evaluator.inner if isinstance(evaluator, MappedEvaluator) else evaluator
    assert isinstance(own, PartsEvaluator)
    return own


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("self-taught-*.pt"))


def test_the_next_match_goes_on_from_where_it_was(folder: Path) -> None:
    own = game("connectfour5")
    first = taught(own)
    assert first.earlier == 0
    assert first.games > 0
    assert len(files(folder)) == 1
    second = taught(own)
    assert second.earlier == first.games
    assert f"after {first.games:,} before" in str(second)
    third = taught(own)
    assert third.earlier == first.games + second.games
    one, two = copied_weights(inner(first.evaluator)), copied_weights(inner(second.evaluator))
    moved = sum(float((two[name] - one[name]).abs().sum()) for name in one)
    size = sum(float(one[name].abs().sum()) for name in one)
    assert 0 < moved < size


def test_a_copy_under_other_names_goes_on_too() -> None:
    own = game("connectfour5")
    first = taught(own)
    scrambled = scramble(own.rules, 5)
    copy = Game.from_rules(scrambled.rules, "copy", cache=False)
    second = taught(copy)
    assert second.earlier == first.games
    assert isinstance(second.evaluator, MappedEvaluator)
    # It reads the states of the copy.
    states = sample_states(copy.simulator(), 20, 3)
    values = second.evaluator.values(states)
    assert values.shape == (20, 2)
    assert ((values > 0) & (values < 1)).all()
    assert len(torch.unique(values)) > 5


def test_another_game_that_looks_alike_begins_anew(folder: Path) -> None:
    taught(game("connectfour5"))
    assert taught(game("tictactoe")).earlier == 0
    assert len(files(folder)) == 2


def test_half_a_file_counts_as_none(folder: Path) -> None:
    taught(game("tictactoe"))
    (path,) = files(folder)
    path.write_bytes(path.read_bytes()[:-100])
    assert taught(game("tictactoe")).earlier == 0
    assert taught(game("tictactoe")).earlier > 0


def test_without_a_cache_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("NEUROGAME_CACHE", "")
    assert taught(game("tictactoe")).earlier == 0
    assert taught(game("tictactoe")).earlier == 0
    assert not files(folder)


def test_no_time_is_no_learning() -> None:
    assert learn_in_start_clock(game("tictactoe"), 1e6, _later(0), seed=1) is None
    # Too large for so little time: its structure is not even looked at.
    assert learn_in_start_clock(game("connectfour"), 1e-6, _later(9), seed=1) is None


def test_no_round_is_begun_that_would_end_late(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(0.0)
    monkeypatch.setattr("neurogame.learn.timed_learning.time", clock)
    asked: list[int] = []
    play = LaneLearner.round

    def slow(self: LaneLearner, plies: int = 16) -> float:
        asked.append(plies)
        clock.now += 0.5 * plies
        return play(self, plies)

    monkeypatch.setattr(LaneLearner, "round", slow)
    found = learn_until(game("tictactoe"), 40.0, seed=1)
    assert found is not None
    # 15.5 s after the fifth round; three more take 8 s each, and a fourth would end late.
    assert asked == [1, 2, 4, 8, 16, 16, 16, 16]
    assert clock.now == 39.5
