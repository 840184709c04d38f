"""The time, for compiled code: a monotonic clock read without Python."""

from __future__ import annotations

import time
from typing import Any

import numba
from llvmlite import ir

from neurogame.native.compiled import compiled, written

_CLOCK = time.CLOCK_MONOTONIC
_BILLION = 1_000_000_000


def _read_clock(_context: Any) -> Any:
    """Type and generate the call of the C library's ``clock_gettime``."""

    def generate(_: Any, builder: Any, __: Any, ___: Any) -> Any:
        wide, narrow = ir.IntType(64), ir.IntType(32)
        pair = ir.LiteralStructType([wide, wide])
        kind = ir.FunctionType(narrow, [narrow, pair.as_pointer()])
        module = builder.module
        name = "clock_gettime"
        function = module.globals.get(name) or ir.Function(module, kind, name)
        with builder.goto_entry_block():
            place = builder.alloca(pair)
        builder.call(function, [ir.Constant(narrow, _CLOCK), place])
        seconds = builder.load(builder.gep(place, [ir.Constant(narrow, 0), ir.Constant(narrow, 0)]))
        rest = builder.load(builder.gep(place, [ir.Constant(narrow, 0), ir.Constant(narrow, 1)]))
        return builder.add(builder.mul(seconds, ir.Constant(wide, _BILLION)), rest)

    return numba.types.int64(), generate


_clock: Any = written(_read_clock)


@compiled
def nanoseconds() -> int:
    """Return the time of the monotonic clock, the one of ``time.monotonic_ns``."""
    now: int = _clock()
    return now
