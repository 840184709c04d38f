"""Refinement before a match: better weights stay, others go, and clocks are kept."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.learn.comparison import Comparison
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.learn.refine import refine_evaluator
from neurogame.search.lockstep.lockstep import MatchPlan, play_lockstep
from tests.library import load as game


def compared(wins: int, losses: int) -> Comparison:
    """Return a comparison that came out so, with the interval of its 40 matches."""
    score = wins / (wins + losses)
    spread = 1.96 * (score * (1 - score) / (wins + losses)) ** 0.5
    return Comparison(
        matches=wins + losses,
        wins=wins,
        draws=0,
        losses=losses,
        score=score,
        low=score - spread,
        high=score + spread,
        mean_goal=100 * score,
        distinct=wins + losses,
        openings=wins + losses,
        opening_plies=4,
        unfinished=0,
    )


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a clock tick whenever it is looked at, however busy the machine is."""
    ticks = count()
    clock = SimpleNamespace(monotonic=lambda: 0.001 * next(ticks))
    monkeypatch.setattr("neurogame.learn.refine.time", clock)
    monkeypatch.setattr("neurogame.learn.timed_learning.time", clock)


@pytest.mark.usefixtures("ticking")
@pytest.mark.parametrize(
    ("wins", "losses", "kept"), [(36, 4, True), (21, 19, False), (20, 20, False), (3, 0, False)]
)
def test_only_better_weights_stay(
    monkeypatch: pytest.MonkeyPatch, wins: int, losses: int, kept: bool
) -> None:
    monkeypatch.setattr("neurogame.learn.refine.compare", lambda *_, **__: compared(wins, losses))
    evaluator = make_evaluator(game("tictactoe"))
    before = copied_weights(evaluator)
    found = refine_evaluator(game("tictactoe"), evaluator, 0.2, seed=1)
    assert found is not None
    assert found.games > 0
    assert found.is_kept == kept
    assert (found.evaluator is evaluator) != kept
    assert isinstance(found.evaluator, RulesNetwork) == kept
    after = copied_weights(evaluator)
    assert all(torch.equal(value, before[name]) for name, value in after.items())
    assert ("kept" if kept else "dropped") in str(found)


@pytest.mark.usefixtures("ticking")
def test_a_rules_network_goes_on_learning_from_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurogame.learn.refine.compare", lambda *_, **__: compared(36, 4))
    own = game("tictactoe")
    evaluator = fresh_rules_network(own, fitted(own))
    once = refine_evaluator(own, evaluator, 0.2, seed=1)
    assert once is not None
    # What has learned goes on; what it was stays what it was.
    twice = refine_evaluator(own, once.evaluator, 0.2, seed=2)
    assert twice is not None
    before, after = copied_weights(once.evaluator), copied_weights(twice.evaluator)
    fresh = copied_weights(evaluator)
    distance = sum(float((after[name] - before[name]).abs().sum()) for name in before)
    whole = sum(float((after[name] - fresh[name]).abs().sum()) for name in before)
    assert 0 < distance < whole


def test_what_is_too_slow_for_the_time_is_not_begun() -> None:
    evaluator = make_evaluator(game("connectfour"))
    assert refine_evaluator(game("connectfour"), evaluator, 1e-6) is None


def test_matches_are_cut_off_where_they_are() -> None:
    plan: dict[str, Any] = {"evaluators": [], "seats": np.full((5, 2), -1), "seeds": np.arange(5)}
    whole = play_lockstep(game("connectfour"), MatchPlan(**plan))
    asked = iter([False, False, False, True])
    cut = play_lockstep(game("connectfour"), MatchPlan(**plan), lambda: next(asked))
    assert [match.plies for match in cut] == [3] * 5
    assert not any(match.finished for match in cut)
    for long, short in zip(whole, cut, strict=True):
        assert np.array_equal(long.moves[:3], short.moves)
