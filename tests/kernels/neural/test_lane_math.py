"""The polynomials for loops over lanes, against torch in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

pytest.importorskip("numba")
import numba

from neurogame.kernels.neural.lane_math import lane_exp, lane_log, lane_tanh

TOLERANCE = 1e-6


def applied(function: Any, x: npt.NDArray[Any]) -> torch.Tensor:
    """Return a lane function of all numbers, in float64."""

    @numba.njit
    def loop(x: Any, y: Any) -> None:
        for i in range(len(x)):
            y[i] = function(x[i])

    y = np.empty_like(x)
    loop(x, y)
    return torch.from_numpy(y).double()


def numbers(first: float, last: float) -> npt.NDArray[Any]:
    return np.linspace(first, last, 200_001).astype(np.float32)


def test_exponentials_are_relatively_exact() -> None:
    x = numbers(-87.0, 88.0)
    wanted = torch.from_numpy(x).double().exp()
    assert ((applied(lane_exp, x) - wanted).abs() / wanted).max() < TOLERANCE


def test_exponentials_beyond_the_range_count_as_its_ends() -> None:
    x = np.array([-1e30, -200.0, -87.0, 88.0, 1e4], np.float32)
    found = applied(lane_exp, x)
    assert found[0] == found[1] == found[2]
    assert 0 < float(found[0]) < 1e-37
    assert found[3] == found[4]


def test_logarithms_are_exact() -> None:
    x = np.concatenate([numbers(0.2, 4.0), np.exp(numbers(-86.0, 86.0))])
    wanted = torch.from_numpy(x).double().log()
    error = (applied(lane_log, x) - wanted).abs()
    assert (error / wanted.abs().clamp_min(1.0)).max() < TOLERANCE


def test_tangents_are_exact() -> None:
    x = np.concatenate([numbers(-12.0, 12.0), numbers(-0.1, 0.1), numbers(-1e4, 1e4)])
    wanted = torch.from_numpy(x).double().tanh()
    assert (applied(lane_tanh, x) - wanted).abs().max() < TOLERANCE
