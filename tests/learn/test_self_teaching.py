"""Learning for a match: clocks are kept, and the next match goes on from where it was."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.gdl.scramble import scramble
from neurogame.gdl.write import rules_text
from neurogame.learn.checkpoints.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.self_teaching import SelfTeaching
from neurogame.learn.timed_learning import TimedLearner, is_too_slow
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states
from tests.library import load as game


class Clock:
    """A clock that ticks whenever it is looked at, or is set by hand."""

    def __init__(self, tick: float) -> None:
        self.now, self.tick = 0.0, tick

    def monotonic(self) -> float:
        self.now += self.tick
        return self.now


CLOCK = Clock(1.0)


def keep_in(folder: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is learned in a folder; what is compiled stays where it is."""
    monkeypatch.setattr("neurogame.simulate.game_file.cache_folder", lambda: folder)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let a clock tick whenever it is looked at, and keep what is learned in a new folder."""
    monkeypatch.setattr("neurogame.learn.timed_learning.time", CLOCK)
    keep_in(tmp_path, monkeypatch)
    return tmp_path


def taught(own: Game, rounds: int = 4) -> SelfTeaching:
    """Return what some rounds have taught, and keep it."""
    found = SelfTeaching(own, seed=1)
    found.learn(_later(rounds))
    assert found.games > 0
    found.keep()
    return found


def _later(rounds: int) -> float:
    """Return a time before which about so many rounds fit."""
    return CLOCK.now + 16.0 * rounds


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file that a match of tictactoe has left."""
    place = tmp_path_factory.mktemp("sound")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("neurogame.learn.timed_learning.time", CLOCK)
        keep_in(place, patch)
        taught(game("tictactoe"))
    (path,) = files(place)
    return path


def inner(evaluator: object) -> RulesNetwork:
    assert isinstance(evaluator, RulesNetwork)
    return evaluator


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("self-taught-*.pt"))


def test_the_next_match_goes_on_from_where_it_was(folder: Path) -> None:
    own = game("tictactoe")
    first = taught(own)
    assert first.earlier == 0
    assert len(files(folder)) == 1
    second = taught(own)
    assert second.earlier == first.games
    assert f"after {first.games:,} before" in str(second)
    third = SelfTeaching(own, seed=1)
    assert third.earlier == first.games + second.games
    one, two = copied_weights(inner(first.evaluator())), copied_weights(inner(second.evaluator()))
    moved = sum(float((two[name] - one[name]).abs().sum()) for name in one)
    size = sum(float(one[name].abs().sum()) for name in one)
    assert 0 < moved < size


def test_a_copy_under_other_names_goes_on_too() -> None:
    own = game("tictactoe")
    first = taught(own)
    scrambled = scramble(own.rules, 5)
    copy = Game.from_rules(scrambled.rules, "copy", cache=False)
    second = taught(copy)
    assert second.earlier == first.games
    assert first.mapping is None
    assert second.mapping is not None
    assert second.mapping.game is copy
    assert second.home is second.mapping.home
    assert (second.home.fluents, second.home.moves) == (own.fluents, own.moves)
    # It has learned there, and reads the states of home.
    states = sample_states(second.home.simulator(), 20, 3)
    values = second.evaluator().values(states)
    assert values.shape == (20, 2)
    assert ((values > 0) & (values < 1)).all()
    assert len(torch.unique(values)) > 5


def test_another_game_that_looks_alike_begins_anew(folder: Path) -> None:
    taught(game("nim"), 2)
    assert taught(game("tictactoe"), 2).earlier == 0
    assert len(files(folder)) == 2
    assert all("learned from" in repr(load_checkpoint(path)) for path in files(folder))


def changed(path: Path, **changes: object) -> None:
    """Write a sound checkpoint in which something has changed."""
    held: Any = load_checkpoint(path)
    save_checkpoint(path, replace(held, **changes))


def not_a_number(held: Checkpoint) -> dict[str, object]:
    return {"weights": {**held.weights, "bias": held.weights["bias"] * float("nan")}}


def out_of_its_tables(held: Checkpoint) -> dict[str, object]:
    last = held.weights["layout_last"] + 10**6
    return {"weights": {**held.weights, "layout_last": last}}


def large(held: Checkpoint) -> dict[str, object]:
    sizes = {**held.description["sizes"], "rows": 10**13}
    return {"description": {**held.description, "sizes": sizes}}


@pytest.mark.parametrize(
    "change",
    [
        not_a_number,
        out_of_its_tables,
        large,
        lambda held: {"description": {"kind": "cilp"}},
        lambda held: {"description": {"kind": "rules-network"}},
        lambda held: {"rules": "(role"},
        lambda held: {"rules": rules_text(game("nim").rules)},
        lambda held: {"counters": {"seconds": 1e300}},
        lambda held: {"counters": {"matches": -1}},
        lambda held: {"counters": {"surprise": 1}},
        lambda held: {"buffer": {"numbers": torch.tensor([1, 2, 3])}},
        lambda held: {"buffer": {**(held.buffer or {}), "numbers": torch.tensor([-9, -1, 0])}},
        None,
    ],
)
def test_a_file_of_no_use_is_put_aside(
    change: Callable[[Checkpoint], dict[str, object]] | None, folder: Path, sound: Path
) -> None:
    path = folder / sound.name
    shutil.copy(sound, path)
    if change is None:
        path.write_bytes(path.read_bytes()[:-100])
    else:
        changed(path, **change(load_checkpoint(path)))
    bad = path.read_bytes()
    with pytest.warns(UserWarning, match=r"is not used, and now .*\.damaged: ") as told:
        assert SelfTeaching(game("tictactoe"), seed=1).earlier == 0
    assert len(told) == 1
    assert not path.exists()
    assert path.with_name(f"{path.name}.damaged").read_bytes() == bad


def test_beside_a_file_of_no_use_it_learns_anew(folder: Path, sound: Path) -> None:
    (folder / sound.name).write_bytes(b"")
    with pytest.warns(UserWarning, match="is not used"):
        assert taught(game("tictactoe")).earlier == 0
    # What was learned since is sound: nothing is said any more.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SelfTeaching(game("tictactoe"), seed=1).earlier > 0


def test_without_a_cache_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    keep_in(None, monkeypatch)
    assert taught(game("tictactoe"), 2).earlier == 0
    assert taught(game("tictactoe"), 2).earlier == 0
    assert not files(folder)


def test_no_time_is_no_learning(folder: Path) -> None:
    found = SelfTeaching(game("tictactoe"), seed=1)
    found.learn(_later(0))
    assert found.games == 0
    found.keep()
    assert not files(folder)
    # Too large for so little time: its structure should not even be looked at.
    assert is_too_slow(game("connectfour"), 1e-6)
    assert not is_too_slow(game("connectfour"), 10)


def test_seconds_are_those_of_all_matches() -> None:
    before = taught(game("tictactoe")).seconds
    assert before > 0
    second = SelfTeaching(game("tictactoe"), seed=2)
    assert second.seconds == before
    second.learn(_later(3))
    assert second.seconds > before


def test_an_evaluator_stays_as_it_is_while_learning_goes_on() -> None:
    found = taught(game("tictactoe"))
    before = inner(found.evaluator())
    weights = copied_weights(before)
    found.learn(_later(4))
    later = copied_weights(inner(found.evaluator()))
    assert all(torch.equal(weights[name], own) for name, own in copied_weights(before).items())
    assert any(not torch.equal(weights[name], own) for name, own in later.items())


def slowly(monkeypatch: pytest.MonkeyPatch, seconds: float) -> tuple[Clock, list[int]]:
    """Let a ply of a round take so long; return the clock, and the plies of each round."""
    clock, asked, play = Clock(0.0), list[int](), LaneLearner.round

    def slow(self: LaneLearner, plies: int = 16) -> float:
        asked.append(plies)
        clock.now += seconds * plies
        return play(self, plies)

    monkeypatch.setattr("neurogame.learn.timed_learning.time", clock)
    monkeypatch.setattr(LaneLearner, "round", slow)
    return clock, asked


def test_no_round_is_begun_that_would_end_late(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, asked = slowly(monkeypatch, 0.5)
    found = TimedLearner(game("tictactoe"), seed=1)
    found.learn(40.0)
    assert found.learner.counters.matches > 0
    # 15.5 s after the fifth round; three more take 8 s each, and a fourth would end late.
    assert asked == [1, 2, 4, 8, 16, 16, 16, 16]
    assert clock.now == 39.5


def test_whoever_calls_is_heard_after_a_short_round(monkeypatch: pytest.MonkeyPatch) -> None:
    _, asked = slowly(monkeypatch, 0.003)
    found = TimedLearner(game("tictactoe"), seed=1)
    for _ in range(6):
        found.learn_a_little()
    # No round is longer than 20 ms.
    assert asked == [1, 2, 4, 6, 6, 6]
