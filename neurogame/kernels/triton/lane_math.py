"""Functions of one float32 per lane, as those of :mod:`neurogame.kernels.neural.lane_math`."""

# mypy: disable-error-code="untyped-decorator,no-any-return"
from __future__ import annotations

import math

import triton
import triton.language as tl

LOG_2 = tl.constexpr(math.log(2.0))
NEAR = tl.constexpr(0.5)
"""Below it, ``1 - exp(-t)`` is computed as a series: the difference would lose digits."""


@triton.jit
def lane_exp(x: tl.tensor) -> tl.tensor:
    """Return ``exp(x)``; arguments outside -87..88 count as the nearer end."""
    return tl.exp(tl.minimum(tl.maximum(x, -87.0), 88.0))


@triton.jit
def lane_tanh(x: tl.tensor) -> tl.tensor:
    """Return ``tanh(x)``."""
    e = lane_exp(-2.0 * tl.abs(x))
    y = (1.0 - e) / (1.0 + e)
    return tl.where(x > 0.0, y, -y)


@triton.jit
def log_sigmoid(x: tl.tensor) -> tl.tensor:
    """Return ``log(1 / (1 + exp(-x)))``."""
    return tl.minimum(x, 0.0) - tl.log(1.0 + lane_exp(-tl.abs(x)))


@triton.jit
def log_damping(t: tl.tensor) -> tl.tensor:
    """Return ``log((1 - exp(-t)) / t)`` for t between 0 and a half, as a series."""
    square = t * t
    tail = 1.0 / 2880.0 - square * (1.0 / 181440.0 - square * (1.0 / 9676800.0))
    return t * (t * (1.0 / 24.0 - square * tail) - 0.5)


@triton.jit
def log_one_minus_exp(x: tl.tensor) -> tl.tensor:
    """Return ``log(1 - exp(x))`` of a number below 0."""
    t = tl.maximum(-x, 1e-30)
    near = t < NEAR
    rest = tl.where(near, t, 1.0 - lane_exp(-t))
    return tl.log(rest) + tl.where(near, log_damping(tl.minimum(t, NEAR)), 0.0)


@triton.jit
def damping(t: tl.tensor) -> tl.tensor:
    """Return ``t / (exp(t) - 1)``, for positive t."""
    small = tl.minimum(t, 0.125)
    square = small * small
    tail = 1.0 / 12.0 - square * (1.0 / 720.0 - square * (1.0 / 30240.0))
    e = lane_exp(-tl.maximum(t, 0.125))
    return tl.where(t < 0.125, 1.0 - small * 0.5 + square * tail, t * e / (1.0 - e))
