"""Exponential, logarithm and hyperbolic tangent that loops over lanes can be vectorised with.

Compiled they are polynomials in float32 without branches or calls (within 1e-6 of torch: relative
for the exponential, absolute for the tangent, absolute or relative, whichever is larger, for the
logarithm).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import overload

from neurogame.native.compiled import written

_F = np.float32
_INVERSE_LN2 = _F(1.44269504088896341)
# The logarithm of 2 in two parts: the first has few digits, so that multiples of it are exact.
_LN2_HIGH, _LN2_LOW = _F(0.693359375), _F(-2.12194440e-4)
_LOWEST, _HIGHEST = _F(-87.0), _F(88.0)
_ONE, _TWO, _HALF, _ZERO = _F(1.0), _F(2.0), _F(0.5), _F(0.0)
# Cephes' expf and logf (S. Moshier), highest power first.
_E0, _E1, _E2 = _F(1.9875691500e-4), _F(1.3981999507e-3), _F(8.3334519073e-3)
_E3, _E4, _E5 = _F(4.1665795894e-2), _F(1.6666665459e-1), _F(5.0000001201e-1)
_L0, _L1, _L2 = _F(7.0376836292e-2), _F(-1.1514610310e-1), _F(1.1676998740e-1)
_L3, _L4, _L5 = _F(-1.2420140846e-1), _F(1.4249322787e-1), _F(-1.6668057665e-1)
_L6, _L7, _L8 = _F(2.0000714765e-1), _F(-2.4999993993e-1), _F(3.3333331174e-1)
_OPTIONS: Any = {"forceinline": True, "error_model": "numpy", "fastmath": {"contract", "nsz"}}
_ROOT_HALF_BITS = 0x3F3504F3
_LEFTMOST_BIT_OF_EXPONENT = 23
_EXPONENT_BIAS = 127
_BIAS = _F(_EXPONENT_BIAS)


def lane_exp(x: np.float32) -> np.float32:
    """Return ``exp(x)``; arguments outside -87..88 count as the nearer end."""
    return np.float32(math.exp(x))


def lane_log(x: np.float32) -> np.float32:
    """Return ``log(x)`` of a positive number, which must not be subnormal."""
    return np.float32(math.log(x))


def lane_tanh(x: np.float32) -> np.float32:
    """Return ``tanh(x)``."""
    return np.float32(math.tanh(x))


def lane_power(x: np.float32) -> np.float32:
    """Return 2 to a whole number up to 127; 0 where it is below -126."""
    return np.float32(math.ldexp(1.0, int(x)) if x >= -126 else 0.0)


def lane_exp_parts(x: np.float32) -> tuple[np.float32, np.float32]:
    """Return a number near 1 and a whole exponent of 2 that make up ``exp(x)``, |x| < 1e4."""
    exponent = round(float(x) / math.log(2.0))
    return np.float32(math.exp(x - exponent * math.log(2.0))), np.float32(exponent)


def lane_parts(x: np.float32) -> tuple[np.float32, np.float32]:
    """Return a number between sqrt(1/2) and sqrt(2) and a whole exponent of 2: a positive ``x``."""
    mantissa, exponent = math.frexp(x)
    doubled = mantissa < math.sqrt(0.5)
    return np.float32(mantissa * (1 + doubled)), np.float32(exponent - doubled)


def _register(code: Callable[[ir.IRBuilder, Any], Any]) -> Any:
    """Return a function of one float32 from code that writes LLVM's instructions for it."""

    @written
    def unary(typing: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return code(builder, arguments[0])

        return types.float32(types.float32), generate

    return unary


def _bits(builder: Any, x: Any) -> Any:
    return builder.bitcast(x, ir.IntType(32))


def _integer(value: int) -> ir.Constant:
    return ir.Constant(ir.IntType(32), value)


def _write_nearest(builder: Any, x: Any) -> Any:
    return builder.call(builder.module.declare_intrinsic("llvm.rint", [ir.FloatType()]), [x])


def _write_power_of_two(builder: Any, x: Any) -> Any:
    whole = builder.fptosi(x, ir.IntType(32))
    biased = builder.add(whole, _integer(_EXPONENT_BIAS))
    return builder.bitcast(builder.shl(biased, _integer(_LEFTMOST_BIT_OF_EXPONENT)), ir.FloatType())


def _whole_exponent(builder: Any, x: Any) -> Any:
    """Write the exponent that leaves a mantissa between sqrt(1/2) and sqrt(2); i32."""
    above = builder.sub(_bits(builder, x), _integer(_ROOT_HALF_BITS))
    return builder.ashr(above, _integer(_LEFTMOST_BIT_OF_EXPONENT))


def _write_exponent(builder: Any, x: Any) -> Any:
    return builder.sitofp(_whole_exponent(builder, x), ir.FloatType())


def _write_mantissa(builder: Any, x: Any) -> Any:
    shift = builder.shl(_whole_exponent(builder, x), _integer(_LEFTMOST_BIT_OF_EXPONENT))
    return builder.bitcast(builder.sub(_bits(builder, x), shift), ir.FloatType())


_nearest = _register(_write_nearest)
_power_of_two = _register(_write_power_of_two)
_exponent = _register(_write_exponent)
_mantissa = _register(_write_mantissa)


def _exp_parts(x: Any) -> Any:
    n = _nearest(x * _INVERSE_LN2)
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    p = ((((_E0 * r + _E1) * r + _E2) * r + _E3) * r + _E4) * r + _E5
    return p * r * r + r + _ONE, n


def _exp(x: Any) -> Any:
    low = x if x > _LOWEST else _LOWEST
    y = low if low < _HIGHEST else _HIGHEST
    p, n = lane_exp_parts(y)
    return p * _power_of_two(n)


def _power(x: Any) -> Any:
    # The bits of 2 to the power of -127 would be those of 0.
    return _power_of_two(x if x > -_BIAS else -_BIAS)


def _parts(x: Any) -> Any:
    return _mantissa(x), _exponent(x)


def _log(x: Any) -> Any:
    n, r = _exponent(x), _mantissa(x) - _ONE
    p = (((_L0 * r + _L1) * r + _L2) * r + _L3) * r + _L4
    p = (((p * r + _L5) * r + _L6) * r + _L7) * r + _L8
    square = r * r
    return n * _LN2_HIGH + (r + (n * _LN2_LOW + (p * r * square - _HALF * square)))


def _tanh(x: Any) -> Any:
    size = x if x > _ZERO else -x
    e = lane_exp(-_TWO * size)
    y = (_ONE - e) / (_ONE + e)
    return y if x > _ZERO else -y


def _compile(lane: Callable[[np.float32], Any], code: Callable[[Any], Any]) -> None:
    """Have a lane function compiled as other code says."""

    @overload(lane, jit_options=_OPTIONS)
    def typed(x: Any) -> Any:
        return code


_compile(lane_exp, _exp)
_compile(lane_log, _log)
_compile(lane_tanh, _tanh)
_compile(lane_power, _power)
_compile(lane_exp_parts, _exp_parts)
_compile(lane_parts, _parts)
