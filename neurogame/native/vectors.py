"""What functions that are written as LLVM's instructions have in common."""

from __future__ import annotations

from typing import Any

from llvmlite import ir


def first_item(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Return the address of an array's first item.

    Args:
        context: of numba.
        builder: of the function.
        kind: type of the array.
        array: the array.
    """
    return context.make_array(kind)(context, builder, array).data


def splat(builder: Any, number: Any, lanes: int) -> Any:
    """Return a vector of one number.

    Args:
        builder: of the function.
        number: what every lane gets.
        lanes: how many there are.
    """
    nothing = ir.Constant(ir.VectorType(number.type, lanes), ir.Undefined)
    first = builder.insert_element(nothing, number, ir.IntType(32)(0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
    return builder.shuffle_vector(first, nothing, zeros)
