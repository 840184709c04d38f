"""Arrays at addresses, for compiled code that is handed nothing but an address.

A tuple of many arrays is slow to compile, and to hand on: each is six numbers and more.
"""

from __future__ import annotations

from typing import Any

import numba as _numba
from numba.core import cgutils as _cgutils

from neurogame.kernels.native.compiled import written

# They are not annotated.
numba: Any = _numba
cgutils: Any = _cgutils


@written
def array_at(typing: Any, address: Any, shape: Any, kind: Any) -> Any:
    """Return the array at an address, in row order and without a count of references.

    Args:
        typing: numba's.
        address: int64.
        shape: a tuple of int64.
        kind: of numbers, like ``np.int64``.
    """
    array = numba.types.Array(kind.dtype, len(shape), "C")
    sizes = numba.types.UniTuple(numba.types.int64, len(shape))

    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        return build_array(
            context, builder, array, values[0], cgutils.unpack_tuple(builder, values[1])
        )

    return array(numba.types.int64, sizes, kind), generate


def build_array(context: Any, builder: Any, kind: Any, address: Any, shape: Any) -> Any:
    """Generate an array at an address.

    Args:
        context: numba's.
        builder: LLVM's.
        kind: numba's type of the array.
        address: an i64.
        shape: i64 each.
    """
    array = context.make_array(kind)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    item = context.get_constant(numba.types.intp, size)
    strides = [item]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    context.populate_array(
        array,
        data=builder.inttoptr(address, array.data.type),
        shape=cgutils.pack_array(builder, shape),
        strides=cgutils.pack_array(builder, strides),
        itemsize=item,
        meminfo=None,
    )
    return array._getvalue()
