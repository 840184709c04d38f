"""Calls of generated code by its address, from compiled code.

Functions of structs are *entries* (:mod:`~neurogame.native.entries`), which fields of
structs hold and compiled code calls by name. What :mod:`neurogame.kernels.codegen` generates takes
no struct: its only argument is the address of a table of 64-bit arguments, most of which are
addresses of lanes, and the table is laid out by the generator, game by game. So there is nothing
to type, and :data:`call_address` calls it: the rules and uniform playouts of searches, and the
logic of redirected leaves.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir

from neurogame.native.compiled import written


def _call_address(_context: Any, _address: Any, _arguments: Any) -> Any:
    """Type and generate the call of the function at an address with one integer."""

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)])
        builder.call(builder.inttoptr(values[0], kind.as_pointer()), [values[1]])

    return numba.types.void(numba.types.int64, numba.types.int64), generate


call_address: Any = written(_call_address)
"""In compiled code: ``call_address(address, arguments)`` calls the function at an address.

``address`` and ``arguments``, the address of its table of arguments, are int64; nothing is returned
and nothing is checked: both must be of this process, and kept alive by whoever calls.
"""
