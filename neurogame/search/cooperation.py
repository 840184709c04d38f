"""Which of equal moves to play: what the others would do of their own accord, and who gains.

That all others together could hold a role to some value says little of what will happen, as each
of them has interests of its own. Of moves that guarantee the role the same, the one is best that
keeps most where everybody plays for themselves (max^n): to get the role lower, others would have
to give up something. Where that is equal, too, the margin over the best of the others decides.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurogame.array_types import Float64s, Int64s


def averaged(
    values: Float64s, order: Sequence[int], counts: Sequence[int], outcomes: int
) -> tuple[Float64s, Sequence[int], Sequence[int]]:
    """Return what :func:`replies` takes, without chance, whose outcomes are averaged.

    Args:
        values: of all joint moves, the last role's changing fastest; float64 ``[N, R]``.
        order: roles, chance the last where there is one.
        counts: number of moves of each role, in that order.
        outcomes: number of chance's moves; 1 where there is no chance, or no choice.
    """
    if outcomes == 1:
        return values, order, counts
    means: Float64s = values.reshape(-1, outcomes, values.shape[1]).mean(axis=1)
    return means, order[:-1], counts[:-1]


def replies(values: Float64s, order: Sequence[int], counts: Sequence[int]) -> Int64s:
    """Return the row that each of the first role's moves leads to if all choose for themselves.

    The others choose one after the other in the given order, each knowing the choices before; of
    moves that are equally good for the one who chooses, the worst for the first role is expected,
    and of those the first.

    Args:
        values: of all joint moves, the last role's changing fastest; float64 ``[N, R]``.
        order: roles, the one whose moves are asked about first; ``R`` of them.
        counts: number of moves of each role, in that order.

    Returns:
        int64 ``[counts[0]]``.
    """
    rows: Int64s = np.arange(len(values)).reshape(counts)
    for chooser in reversed(order[1:]):
        wanted, feared = values[rows, chooser], values[rows, order[0]]
        is_best = wanted == wanted.max(axis=-1, keepdims=True)
        chosen = np.where(is_best, feared, np.inf).argmin(axis=-1)
        rows = np.take_along_axis(rows, chosen[..., None], axis=-1)[..., 0]
    return rows


def preferred(values: Float64s, role: int, among: Int64s) -> int:
    """Return the move that is best for a role; of equal ones the one with the best margin.

    The margin is that over the best of the others. Where it is equal, too, the first is taken.

    Args:
        values: of each move, per role; float64 ``[A, R]``.
        role: whose moves they are.
        among: the moves to choose from, in the order in which equal ones are preferred; at
            least one.
    """
    payoffs = values[among, role]
    others = np.delete(values[among], role, axis=1)
    rivals = others.max(axis=1) if others.shape[1] else np.zeros(len(payoffs))
    return int(among[np.lexsort((np.arange(len(payoffs)), rivals, -payoffs))[0]])
