"""Values of compiled code behind an address, for functions that are called by theirs.

A compiled function that calls another one compiles that one's code once more, and numba cannot
call a function by its address with anything but numbers. So what such a function is to work on
is kept in memory, as compiled code holds it, and loaded from there.
"""

from __future__ import annotations

from typing import Any

import numba as _numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core.registry import cpu_target

from neurogame.kernels.native.compiled import compiled, written

# It is not annotated.
numba: Any = _numba


def keep(value: tuple[Any, ...]) -> npt.NDArray[np.int64]:
    """Return memory that holds a tuple of numbers, arrays and such tuples.

    Args:
        value: its arrays must outlive what is made of the memory.
    """
    context = cpu_target.target_context
    size = context.get_abi_sizeof(context.get_value_type(numba.typeof(value)))
    # Vectors of what is kept may be moved at once, so it begins where they may begin.
    space = np.zeros(size // 8 + 16, np.int64)
    begin = -space.ctypes.data % 64 // 8
    memory = space[begin : begin + size // 8 + 1]
    _store(memory, value)
    return memory


def loader(kind: Any) -> Any:
    """Return a function for compiled code: from the address of kept memory to the tuple.

    Args:
        kind: numba's type of the tuple.
    """

    @written
    def load(typing: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            form = context.get_value_type(kind)
            kept = builder.load(builder.inttoptr(arguments[0], form.as_pointer()))
            # The compiler does not know what was kept: that there are no counts must be said.
            return _without_counts(context, builder, kind, kept)

        return kind(types.int64), generate

    return load


@written
def memory_at(typing: Any, address: Any) -> Any:
    """Return an address as a pointer, of which ``numba.carray`` makes an array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.int64), generate


@compiled
def _store(memory: Any, value: Any) -> None:
    _write(memory, value)


@written
def _write(typing: Any, memory: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        kept = _without_counts(context, builder, signature.args[1], arguments[1])
        builder.store(kept, builder.bitcast(data, kept.type.as_pointer()))

    return types.void(memory, value), generate


def _without_counts(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return a value whose arrays have no counts of references."""
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        for place, own in enumerate(parts):
            part = builder.extract_value(value, place)
            value = builder.insert_value(value, _without_counts(context, builder, own, part), place)
        return value
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = array.meminfo.type(None)
        array.parent = array.parent.type(None)
        return array._getvalue()
    return value
