"""Equations (1)-(8), the activation and the log-space arithmetic, and what they promise."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import ConfigurationError
from neurogame.evaluators.activation import bipolar
from neurogame.evaluators.cilp_weights import (
    a_min,
    a_min_bound,
    conjunction_bias,
    disjunction_bias,
    sound_weight,
)
from neurogame.evaluators.logspace import log_one_minus_exp
from neurogame.evaluators.value import StateValue
from tests.evaluators.hand_made import best_alpha, sound_weight_of_alpha


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


KEYS = [(0, 100), (0, 50), (0, 0), (1, 30), (1, 0), (2, 0)]


def mixed(outputs: list[float], exponent: float = 1.0) -> list[float]:
    return StateValue(KEYS, 4, exponent)(torch.tensor([outputs])).tolist()[0]  # type: ignore[no-any-return]


def unclamped(value: float) -> float:
    return (value * 100 - 1) / 0.98


def test_win_and_draw_as_computed_by_hand() -> None:
    win, draw = [1.0, -1.0, -1.0, 0, 0, 0], [-1.0, 1.0, -1.0, 0, 0, 0]
    assert unclamped(mixed(win)[0]) == pytest.approx(66.67, abs=0.01)
    assert unclamped(mixed(draw)[0]) == pytest.approx(33.33, abs=0.01)
    assert unclamped(mixed(win, 2.0)[0]) == pytest.approx(80.0, abs=1e-4)
    assert unclamped(mixed(draw, 2.0)[0]) == pytest.approx(20.0, abs=1e-4)
    assert unclamped(mixed(draw, 50.0)[0]) == pytest.approx(100 * 2.0**-50, abs=1e-4)


def test_a_huge_exponent_leaves_only_the_highest_goal() -> None:
    for exponent in (200.0, 1e6):
        values = mixed([0.5, -0.3, 0.9, 0.0, 0.0, 0.0], exponent)
        assert unclamped(values[0]) == pytest.approx(75.0, abs=1e-4)
        assert unclamped(values[1]) == pytest.approx(50.0, abs=1e-4)


def test_goals_of_zero_have_no_influence() -> None:
    low, high = mixed([0.1, 0.2, -1.0, 0.3, -1.0, -1.0]), mixed([0.1, 0.2, 1.0, 0.3, 1.0, 1.0])
    assert low == high
    # Role 2 has no other goal, role 3 none at all.
    assert low[2:] == pytest.approx([0.01, 0.01])


@given(outputs=st.lists(st.floats(-1, 1, width=32), min_size=6, max_size=6), p=st.floats(1, 300))
def test_values_are_strictly_between_loss_and_win(outputs: list[float], p: float) -> None:
    values = mixed(outputs, p)
    assert all(0.0099999 <= value <= 0.9900001 for value in values)


def test_exponents_below_one_are_refused() -> None:
    for exponent in (0.5, float("nan")):
        with pytest.raises(ConfigurationError, match="exponent"):
            StateValue(KEYS, 4, exponent)


@given(x=st.floats(-40, 40), beta=st.floats(0.2, 5.0))
def test_bipolar_is_the_published_function(x: float, beta: float) -> None:
    found = float(bipolar(torch.tensor(x, dtype=torch.float64), beta))
    assert found == pytest.approx(2 / (1 + math.exp(-beta * x)) - 1, abs=4e-16)
    assert found == pytest.approx(math.tanh(beta * x / 2), rel=4e-16)


def test_float32_is_right_to_a_unit_in_the_last_place() -> None:
    x = torch.linspace(-12, 12, 4001)
    exact = torch.tanh(x.double() / 2).float()
    spacing = (torch.nextafter(exact, torch.tensor(2.0)) - exact).abs()
    assert bool(((bipolar(x) - exact).abs() <= 2 * spacing).all())


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0, 3.0])
def test_derivative(beta: float) -> None:
    x = torch.linspace(-4, 4, 33, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda v: bipolar(v, beta), (x,))
    h = bipolar(x, beta)
    (slope,) = torch.autograd.grad(h.sum(), x)
    assert torch.allclose(slope, beta / 2 * (1 - h.detach() ** 2), atol=1e-15)


def test_log_one_minus_exp_over_the_whole_range() -> None:
    for log_t in (-1e9, -500.0, -20.0, -4.7, -4.6, -1.0, 0.0, 2.0, 6.0):
        found = float(log_one_minus_exp(torch.tensor(log_t, dtype=torch.float64)))
        t = math.exp(log_t)
        expected = log_t if t < 1e-17 else math.log(-math.expm1(-t))
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_log_one_minus_exp_has_finite_gradients() -> None:
    u = torch.tensor([-1e9, -200.0, -5.0, -4.0, 0.0, 3.0, 20.0], requires_grad=True)
    torch.autograd.backward(log_one_minus_exp(u).sum())
    assert u.grad is not None
    assert bool(torch.isfinite(u.grad).all())
    assert u.grad[0] == 1.0
    assert 0.0 <= float(u.grad[-1]) < 1e-6
    middle = torch.linspace(-8, 2, 21, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(log_one_minus_exp, (middle,))
