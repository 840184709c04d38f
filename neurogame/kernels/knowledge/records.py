"""Records of numbers and addresses in memory, for functions that are called by their address."""

from __future__ import annotations

from typing import Any

import numba as _numba
import numpy as np

from neurogame.kernels.leaves.memory import build_array
from neurogame.kernels.leaves.move_scores import SCORES_REQUEST
from neurogame.kernels.native.compiled import written

# It is not annotated.
numba: Any = _numba


def record_at(layout: np.dtype[np.void]) -> Any:
    """Return a function for compiled code: from an address to the record there, as an array."""

    @written
    def read(typing: Any, address: Any) -> Any:
        kind = numba.types.Array(numba.from_dtype(layout), 1, "C")

        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            one = context.get_constant(numba.types.intp, 1)
            return build_array(context, builder, kind, values[0], [one])

        return kind(numba.types.int64), generate

    return read


scores_request_at = record_at(SCORES_REQUEST)
"""From the address of a request of scores to the request, as an array of one."""
