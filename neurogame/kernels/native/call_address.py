"""Calls of machine code by its address, from compiled code."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir

from neurogame.kernels.native.compiled import written


def _call_address(_context: Any, _address: Any, _arguments: Any) -> Any:
    """Type and generate the call of the function at an address with one integer."""

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)])
        builder.call(builder.inttoptr(values[0], kind.as_pointer()), [values[1]])

    return numba.types.void(numba.types.int64, numba.types.int64), generate


call_address: Any = written(_call_address)
"""In compiled code: calls the function at an address with one integer."""
