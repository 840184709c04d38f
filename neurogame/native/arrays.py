"""Parts of arrays, and structs that lie in them, for compiled code: nothing is copied or counted.

Slices do the same; these say less, and take a tenth of the time to compile. Besides, :func:`cast`
reads a struct as what it is where its field says only that it is one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from neurogame.array_types import Float32s2, Int32s, Int32s2, UInt64s2
from neurogame.native.compiled import inner, written
from neurogame.native.struct import Struct
from neurogame.native.vectors import first_item

Kind = TypeVar("Kind", bound=np.generic)
Overlaid = TypeVar("Overlaid", bound=Struct)
Rows: TypeAlias = UInt64s2 | Float32s2 | Int32s2

if TYPE_CHECKING:

    def rows(array: npt.NDArray[Kind], begin: int, count: int) -> npt.NDArray[Kind]:
        """Return ``array[begin:begin + count]`` of an array whose rows follow each other."""

else:
    import numba
    from llvmlite import ir

    from neurogame.native.struct_type import make_array

    @written
    def rows(typing: Any, array: Any, begin: Any, count: Any) -> Any:
        """Return some rows of an array."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            kind = signature.args[0]
            array = context.make_array(kind)(context, builder, values[0])
            sizes = [builder.extract_value(array.shape, axis) for axis in range(kind.ndim)]
            size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
            stride = ir.Constant(ir.IntType(64), size)
            for length in sizes[1:]:
                stride = builder.mul(stride, length)
            address = builder.ptrtoint(array.data, ir.IntType(64))
            begin = builder.add(address, builder.mul(values[1], stride))
            return make_array(context, builder, kind, begin, [values[2], *sizes[1:]])

        return array(array, numba.types.int64, numba.types.int64), generate


@inner
def copy_row(source: Rows, row: int, target: Rows, place: int) -> None:
    """Copy a row; a slice would cost more than the row."""
    for column in range(source.shape[1]):
        target[place, column] = source[row, column]


def overlay(struct: type[Overlaid]) -> Callable[[Int32s, int], Overlaid]:
    """Return what reads, in compiled code, the struct that begins at a place of an array.

    Args:
        struct: all of its fields have 32 bits.
    """
    from llvmlite import ir

    def place_in(typing: Any, array: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            data = first_item(context, builder, signature.args[0], values[0])
            begin = builder.gep(data, [values[1]])
            return builder.bitcast(begin, ir.IntType(64).as_pointer())

        return struct.compiler_type()(array, place), generate

    reader: Callable[[Int32s, int], Overlaid] = written(place_in)
    return reader


def cast(struct: type[Overlaid]) -> Callable[[Struct], Overlaid]:
    """Return what reads, in compiled code, any struct as one of a class, which it must be.

    A field of the type :class:`~neurogame.native.struct.Struct` holds a struct of any
    class; the functions that are called with it know which.

    Args:
        struct: the class.
    """

    def read_as(typing: Any, other: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return values[0]

        return struct.compiler_type()(other), generate

    reader: Callable[[Struct], Overlaid] = written(read_as)
    return reader
