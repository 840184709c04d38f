"""What compiled action heuristics work with, as memory: the numbers of each role."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neurogame.kernels.actions.gates import LANES
from neurogame.kernels.codegen.call import aligned

_SIZES = (
    *("leaves", "nodes", "edges", "runs", "words", "chances", "moves", "roles"),
    *("first_move", "is_weighted", "is_logarithm", "is_careful"),
)
"""``leaves`` to ``moves``: how long arrays are; ``roles``: of the game; ``first_move``: where the
role's own begin among the legal moves; ``is_weighted``: whether edges have weights;
``is_logarithm``: whether scores are logarithms; ``is_careful``: whether values may be too small
for float32, so that they are computed once more where all scores are."""

_ARRAYS = (
    *("at_words", "at_bits", "at_truth", "at_exact_truth", "at_chances", "at_runs", "at_edges"),
    *("at_weights", "at_outputs", "at_biases", "at_move_bits", "at_move_leaves", "at_first_use"),
    *("at_uses", "at_function"),
)
"""Addresses.

``at_words``: which words of a packed state, or behind those of its legal moves, the column is made
from, int64 ``[words]``; ``at_bits``: word of the column that each leaf reads, its last one if it is
constant, uint32 ``[leaves]``; ``at_truth``: of each leaf, where its bit is not set and where it
is, float32 ``[leaves, 2]``; ``at_exact_truth``: the same in float64; ``at_chances``: leaves that
are probabilities of moves: row, word of the column, role, and 1 if negated, int64 ``[chances, 4]``;
``at_runs``: kind, fan-in, number of gates, first edge and first row of each run, int64
``[runs, 5]``; ``at_edges``: row that each edge reads, in bytes from the first, uint32 ``[edges]``;
``at_weights``: float32 ``[edges]``; ``at_outputs``: row of each move's formula, int64 ``[moves]``;
``at_biases``: float32 ``[moves]``; ``at_move_bits``: where each role's legal moves begin, and the
end, int64 ``[roles + 1]``. If the formula is shared: ``at_move_leaves``: leaves about each move,
itself and negated, or -1, int64 ``[moves, 2]``; ``at_first_use`` and ``at_uses``: gates that read
each node, those of node ``n`` from ``first_use[n]`` on, int64 ``[nodes + 1]``, uint32
``[edges]``. ``at_function``: what scores the role's moves."""

_MEMORY = (
    *("at_rows", "at_column", "at_square", "at_shares", "at_values"),
    *("at_marks", "at_changed", "at_before", "at_legal_moves", "at_exact_scores"),
)
"""Addresses of what is written.

``at_rows``: float32 ``[nodes, 16]``, aligned; ``at_column``: uint64 ``[64 words + 1]``, the last of
which is 0; ``at_square``: uint64 ``[64]``; ``at_shares``: one in the number of legal moves of each
role, float32 ``[roles, 16]``; ``at_values``: float64 ``[nodes]``. For shared formulas:
``at_marks``: gates to compute again, a bit each, uint64 ``[nodes / 64 + 1]``, 0 between calls;
``at_changed`` and ``at_before``: gates that were, and their values before, int64 and float64
``[nodes]``; ``at_legal_moves`` and ``at_exact_scores``: legal moves of a state, and their scores,
int64 and float64 ``[moves]``."""

PART = np.dtype(
    [
        *((name, np.int64) for name in (*_SIZES, *_ARRAYS, *_MEMORY)),
        *(("factor", np.float64), ("floor", np.float64)),
    ]
)
"""The heuristic of one role; those of all roles follow each other.

``factor`` and ``floor``: a logarithmic score is ``factor * log(truth + floor) + bias``."""


def memory_of(rows: int) -> npt.NDArray[np.float32]:
    """Return rows of lanes that begin where vectors may begin; ``[rows, 16]``."""
    found: npt.NDArray[np.float32] = aligned(max(rows, 1) * LANES // 2).view(np.float32)
    return found.reshape(-1, LANES)


def fill_part(part: Any, sizes: dict[str, int], arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Write sizes, and the addresses of arrays that must live as long, into a part.

    Args:
        part: an item of an array of :data:`PART`.
        sizes: by name.
        arrays: by name without ``at_``.
    """
    for name, size in sizes.items():
        part[name] = size
    for name, array in arrays.items():
        part[f"at_{name}"] = array.ctypes.data
