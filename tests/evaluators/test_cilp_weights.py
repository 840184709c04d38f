"""Equations (1)-(6) and what they promise."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import ConfigurationError
from neurogame.evaluators.cilp_weights import (
    a_min,
    a_min_bound,
    conjunction_bias,
    disjunction_bias,
    sound_weight,
)
from tests.evaluators.closed_form import best_alpha, sound_weight_of_alpha


def test_bounds_and_threshold() -> None:
    assert a_min_bound(1) == 0.0
    assert a_min_bound(3) == 0.5
    for k in (1, 2, 12, 100):
        assert a_min(k) == pytest.approx(1 - 0.4 / (k + 1), abs=1e-15)


def test_bias_weights_have_the_published_signs() -> None:
    assert disjunction_bias(3, 0.5, 2.0) == 3.0
    assert conjunction_bias(3, 0.5, 2.0) == -3.0
    assert disjunction_bias(1, 0.5, 2.0) == conjunction_bias(1, 0.5, 2.0) == 0.0


def test_published_and_computed_weights() -> None:
    assert sound_weight(12, a_min(12)) == pytest.approx(5.1986, abs=5e-5)
    best = best_alpha(12)
    assert best == pytest.approx(0.195, abs=5e-4)
    assert sound_weight_of_alpha(12, best) == pytest.approx(5.1983, abs=1e-4)


@pytest.mark.parametrize(("k", "alpha"), [(2, 0.366), (12, 0.195), (100, 0.131)])
def test_best_alpha_against_a_grid(k: int, alpha: float) -> None:
    grid = min((sound_weight_of_alpha(k, i / 10_000), i / 10_000) for i in range(1, 10_000))
    assert best_alpha(k) == pytest.approx(alpha, abs=6e-4)
    assert best_alpha(k) == pytest.approx(grid[1], abs=2e-4)


def test_the_published_range_of_alpha_holds_from_4_to_43() -> None:
    inside = [k for k in range(1, 101) if 0.15 <= best_alpha(k) <= 0.30]
    assert inside == list(range(4, 44))


def test_alpha_of_a_fifth_costs_at_most_six_percent() -> None:
    for k in range(2, 1001):
        least = sound_weight_of_alpha(k, best_alpha(k))
        assert 1.0 <= sound_weight_of_alpha(k) / least <= 1.0601


@given(k=st.integers(1, 2000), alpha=st.floats(0.01, 0.99), beta=st.floats(0.1, 10.0))
def test_closed_form_is_equation_four(k: int, alpha: float, beta: float) -> None:
    expected = sound_weight_of_alpha(k, alpha, beta)
    assert sound_weight(k, a_min(k, alpha), beta) == pytest.approx(expected, rel=1e-8)


@given(k=st.integers(1, 200), alpha=st.floats(0.05, 0.95))
def test_the_worst_true_conjunction_just_reaches_the_threshold(k: int, alpha: float) -> None:
    threshold = a_min(k, alpha)
    weight = sound_weight(k, threshold)
    net = k * weight * threshold + conjunction_bias(k, threshold, weight)
    assert math.tanh(net / 2) == pytest.approx(threshold, abs=1e-9)


def test_impossible_numbers_are_refused() -> None:
    attempts: list[Callable[[], float]] = [
        lambda: a_min_bound(0),
        lambda: a_min(3, 1.0),
        lambda: a_min(3, 0.0),
        lambda: sound_weight(3, 0.5),
        lambda: sound_weight(3, 1.0),
        lambda: sound_weight(3, 0.9, beta=0.0),
    ]
    for broken in attempts:
        with pytest.raises(ConfigurationError):
            broken()
