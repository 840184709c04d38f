"""Equations (7) and (8), and the clamp below real goals."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import ConfigurationError
from neurogame.evaluators.value import StateValue

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
