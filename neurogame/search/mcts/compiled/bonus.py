"""Results by the length of simulations: a quick win is worth more than a slow one.

A role's wins have a mean length and a standard deviation, of this search alone. How far a
simulation was shorter or longer than the winner's usual ones is squashed and added to the winner's
result and taken from the others'.

*Reference:* Pepels, Tak, Lanctot and Winands, "Quality-based rewards for Monte-Carlo tree search
simulations" (2014), the relative bonus.
"""

from __future__ import annotations

import math

import numpy as np

from neurogame.array_types import Float32s1, Float64s2
from neurogame.kernels.native.compiled import inner

_FEWEST = 50
"""Wins of a role before which its lengths tell nothing."""
_HALF = np.float32(0.5)


@inner
def shrink(result: Float32s1, bonus: float) -> None:
    """Draw a result towards one half, so that it stays in 0..1 with any bonus.

    Args:
        result: changed; 0..1; float32 ``[R]``.
        bonus: the most that a bonus is worth, if a win is worth 1 and a loss -1.
    """
    scale = np.float32(1 / (1 + bonus))
    for role in range(len(result)):
        result[role] = _HALF + (result[role] - _HALF) * scale


@inner
def add_bonus(
    lengths: Float64s2, result: Float32s1, length: int, bonus: float, slope: float
) -> None:
    """Add the bonus of a simulation to its result, and its length to those of its winner.

    With ``x = (mean - length) / deviation`` the winner gets ``a b(x)`` and each other role loses as
    much, on a scale on which a win is worth 1 and a loss -1; ``b(x) = -1 + 2 / (1 + exp(-k x))``.
    The winner is the only role with the best result, if that is above one half; without one there
    is no bonus, nor before a role has won often enough.

    Args:
        lengths: changed; number, sum and sum of squares of the lengths of simulations that each
            role has won; float64 ``[3, R]``.
        result: changed; shrunken, see :func:`shrink`; float32 ``[R]``.
        length: plies from the root to the end.
        bonus: ``a``, above 0.
        slope: ``k``, at least 0.
    """
    winner = _winner(result)
    if winner < 0:
        return
    wins = lengths[0, winner]
    if wins >= _FEWEST:
        mean = lengths[1, winner] / wins
        variance = lengths[2, winner] / wins - mean * mean
        # Whole numbers: a variance is 0, or not as small as rounding.
        if variance > 1e-9:
            squashed = 2 / (1 + math.exp(-slope * (mean - length) / math.sqrt(variance))) - 1
            part = np.float32(0.5 * bonus / (1 + bonus) * squashed)
            for role in range(len(result)):
                result[role] += part if role == winner else -part
    lengths[0, winner] += 1
    lengths[1, winner] += length
    lengths[2, winner] += length * length


@inner
def _winner(result: Float32s1) -> int:
    """Return the only role with the best result above one half, -1 if there is none."""
    winner, best = -1, _HALF
    for role in range(len(result)):
        if result[role] > best:
            winner, best = role, result[role]
        elif result[role] == best:
            winner = -1
    return winner
