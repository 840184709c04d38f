"""What compiled searches ask of the rules, as memory that both sides know."""

from __future__ import annotations

import ctypes
from typing import Any

import numba as _numba
import numpy as np
import numpy.typing as npt
from numba.core import cgutils as _cgutils

from neurogame.kernels.compiled import written

# They are not annotated.
numba: Any = _numba
cgutils: Any = _cgutils

REQUEST = np.dtype(
    [
        *(("step", np.int64), ("look", np.int64), ("uniform", np.int64)),
        *(("machine", np.int64), ("playouts", np.int64)),
        *(("kind", np.int64), ("task", np.int64), ("failed", np.int64)),
        *(("count", np.int64), ("seed", np.int64), ("plies", np.int64)),
    ]
)
"""``step``, ``look``, ``uniform``: functions to call with the request's address;
``machine``, ``playouts``: addresses of what compiled functions work with;
``kind``: whether these functions are compiled or one function of Python;
``task``: which of them is called;
``failed``: not 0 once a call has failed;
``count``: number of leaves; ``seed``, ``plies``: of playouts."""

COMPILED, CALLBACK = 0, 1
"""Kinds."""

STEP, LOOK, UNIFORM = 0, 1, 2
"""Tasks."""


def new_request(kind: int, *kept: object) -> npt.NDArray[np.void]:
    """Return a request; ``[1]``.

    Args:
        kind: :data:`COMPILED` or :data:`CALLBACK`.
        kept: what must live as long as the request.
    """
    memory: Any = (ctypes.c_char * REQUEST.itemsize)()
    memory.kept = kept
    request = np.frombuffer(memory, REQUEST)
    request["kind"] = kind
    return request


@written
def request_at(typing: Any, address: Any) -> Any:
    """Return the request at an address, as an array of one."""
    kind = numba.types.Array(numba.from_dtype(REQUEST), 1, "C")

    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        array = context.make_array(kind)(context, builder)
        size, one = (context.get_constant(numba.types.intp, n) for n in (REQUEST.itemsize, 1))
        context.populate_array(
            array,
            data=builder.inttoptr(values[0], array.data.type),
            shape=cgutils.pack_array(builder, [one]),
            strides=cgutils.pack_array(builder, [size]),
            itemsize=size,
            meminfo=None,
        )
        return array._getvalue()

    return kind(numba.types.int64), generate
