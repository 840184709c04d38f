"""Beliefs and evidence: learned players are trusted, plain ones believed after matches only."""

from __future__ import annotations

import math

import pytest

from neurogame.players.belief import (
    NOTHING_LEARNED,
    SURE,
    UNTRIED,
    Belief,
    after_trials,
    best_believed,
    learned_belief,
)
from neurogame.players.race import Racer


def after(prior: Belief, rounds: list[float], doublings: float = 0.0) -> Belief:
    (belief,) = after_trials([prior], [rounds], doublings)
    return belief


def test_evidence_is_weighed_as_in_a_normal_model() -> None:
    prior = Belief(mean=0.6, spread=0.3)
    assert after(prior, []) == prior
    # By the textbook: precisions add up, means are weighed by them.
    rounds = [1.0, 0.5, 0.75]
    own, new = 1 / 0.3**2, 3 / 0.35**2
    found = after(prior, rounds)
    assert found.mean == pytest.approx((own * 0.6 + new * 0.75) / (own + new))
    assert found.spread == pytest.approx((own + new) ** -0.5)
    # One after the other is the same as all at once.
    step = prior
    for points in rounds:
        step = after(step, [points])
    assert step.mean == pytest.approx(found.mean)


def test_trials_that_are_shorter_say_less_and_are_a_little_flattering() -> None:
    prior, rounds = Belief(mean=0.5, spread=0.3), [0.5] * 8
    equal, shorter, shortest = (after(prior, rounds, doublings) for doublings in (0, 3, 8))
    assert equal.spread < shorter.spread < shortest.spread
    assert equal.mean == 0.5 > shorter.mean > 0.45
    # No number of rounds says more of long matches than the doubt about the time allows.
    assert after(prior, [0.5] * 10_000, 8).spread > 0.7 * shortest.spread


def test_trials_of_one_tell_of_the_other_and_less_than_its_own() -> None:
    prior = Belief(mean=0.7, spread=0.35)
    for rounds, sign in (([1.0, 1.0], 1), ([0.0, 0.0], -1)):
        tried, other = after_trials([prior, prior], [rounds, []], 5)
        assert tried.mean == pytest.approx(after(prior, rounds, 5).mean)
        assert sign * (tried.mean - other.mean) > 0
        assert sign * (other.mean - prior.mean) > 0
        assert tried.spread < other.spread < prior.spread
        # What both have shown says more of each.
        both = after_trials([prior, prior], [rounds, rounds], 5)
        assert both[0].spread == pytest.approx(both[1].spread)
        assert both[0].spread < tried.spread
    racers = [Racer(name=name, prior=prior, doublings=5) for name in "ab"]
    for racer in racers:
        racer.beside = racers
    racers[0].rounds = [1.0, 1.0]
    assert racers[1].belief.mean > prior.mean
    assert best_believed(racers) is racers[0]


def test_what_has_learned_is_trusted_until_it_loses() -> None:
    learned = learned_belief(30)
    assert (learned.mean, learned.spread) == (0.78, 0.35)
    assert not learned.is_decided
    for rounds, is_taken in (([], 1), ([1.0, 1.0], 1), ([0.5] * 12, 1), ([0.25] * 3, 0)):
        racer = Racer(name="learned", rounds=rounds, prior=learned, doublings=5)
        assert (best_believed([racer]) is racer) == bool(is_taken)
    assert after(learned, [1.0, 1.0], 5).better > SURE
    assert after(learned, [0.0] * 3).better < 1 - SURE


def test_plain_search_is_the_choice_where_nothing_was_learned() -> None:
    for prior in (NOTHING_LEARNED, UNTRIED):
        racers = [Racer(name=name, prior=prior) for name in "ab"]
        assert best_believed(racers) is None
        racers[1].rounds = [1.0, 1.0, 1.0]
        assert best_believed(racers) is racers[1]
    assert best_believed([]) is None


def test_less_learning_promises_less_and_is_less_certain() -> None:
    beliefs = [learned_belief(seconds) for seconds in (0, 2, 5, 12, 30, 180, 10_000)]
    means, spreads = ([getattr(b, name) for b in beliefs] for name in ("mean", "spread"))
    assert means == sorted(means)
    assert spreads == sorted(spreads, reverse=True)
    assert (means[0], means[-1]) == (0.5, 0.9)
    assert learned_belief(30, 0.0) == NOTHING_LEARNED
    assert NOTHING_LEARNED.mean < learned_belief(30, 0.5).mean < learned_belief(30).mean
    half = learned_belief(15)
    assert half.learned_on(1).mean == pytest.approx(learned_belief(30).mean)
    assert half.learned_on(1).spread == pytest.approx(math.hypot(half.spread, 0.15))


def test_it_says_what_it_believes() -> None:
    racer = Racer(name="ours", rounds=[1.0, 0.5], prior=Belief(mean=0.78, spread=0.35))
    assert str(racer) == (
        "ours: expected 78 ± 35 %, trials 75 % in 2 rounds, believed 76 ± 20 %, better with 90 %"
    )
    assert "trials none, believed 40 ± 25 %, better with 34 %" in str(Racer(name="plain"))
