"""Programs of evaluators called state by state, as searches call them.

In a folder of its own kind: code that is kept is made anew when any kernel has changed.
"""

from __future__ import annotations

from typing import Any

from neurogame.kernels.neural.program import evaluate_one
from neurogame.native.compiled import compiled


@compiled
def evaluate_one_by_one(program: Any, space: Any, packed: Any, values: Any) -> None:
    """Compute the values of states, one after the other.

    Args:
        program: the evaluator.
        space: memory to compute in.
        packed: states, bit by bit; int64 ``[N, columns // 64 + 1]``.
        values: written; float32 ``[N, R]``.
    """
    for i in range(len(packed)):
        evaluate_one(program, space, packed[i], values[i])
