"""The bipolar activation and the log-space arithmetic, against their definitions."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.evaluators.activation import bipolar
from neurogame.evaluators.logspace import log_one_minus_exp


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
