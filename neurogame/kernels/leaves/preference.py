"""From the scores of a judge to numbers that can be compared, mixed and drawn by."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from neurogame.array_types import Float32s2
from neurogame.judges.moves import LOGITS
from neurogame.native.bits import power_of_two
from neurogame.native.compiled import inner

RANGE, MAX, RAW = range(3)
SCALINGS = {"range": RANGE, "max": MAX, "raw": RAW}
"""How linear scores of a state are scaled: so that the least is 0 and the greatest 1; so that the
greatest is 1; not at all."""

_LARGEST = np.float32(3e38)
_NEGLIGIBLE = np.float32(-29.0)
"""Binary logarithm of a weight, relative to the greatest, from which a move is never drawn."""
_LOG2_E = 1.0 / math.log(2.0)
_A, _B, _C = np.float32(0.99999990), np.float32(0.69315449), np.float32(0.24014182)
_D, _E, _F = np.float32(0.055860337), np.float32(0.0089495904), np.float32(0.0018937541)
"""Of the polynomial that goes through ``2 ** x`` at Chebyshev's places of 0..1."""


@inner
def lowest_highest(scores: Float32s2, row: int, count: int) -> Any:
    """Return the least and the greatest of the first numbers of a row."""
    low: np.float32 = _LARGEST
    high: np.float32 = -_LARGEST
    for place in range(count):
        value = scores[row, place]
        low, high = min(value, low), max(value, high)
    return low, high


@inner
def shift_factor(low: np.float32, high: np.float32, scale: int, scaling: int) -> Any:
    """Return what to subtract from scores, and what to multiply them with then.

    The result is in 0..1, unless the scores are raw; of logarithms the greatest is 0. Where all
    scores of a range are equal, or none is above 0 for ``MAX``, the factor is 0: moves are alike.

    *Reference:* Trutman and Schiffel, "Creating action heuristics for general game playing agents"
    (2015): "normalized and scaled into the range 0 to 100"; how, it does not say.
    """
    shift: np.float32 = np.float32(0)
    span: Any = np.float32(1)
    if scale == LOGITS:
        shift = high
    elif scaling == RANGE:
        shift, span = low, high - low
    elif scaling == MAX:
        span = high
    factor = np.float32(1) / span if span > 0 else np.float32(0)
    return shift, factor


@inner
def unit_of(scale: int) -> float:
    """Return what a scaled score of 1 counts for where moves are drawn by weight."""
    return 1.0 if scale == LOGITS else 100.0


@inner
def draw(
    scores: Float32s2, row: int, count: int, high: np.float32, step: float, unit: float
) -> Any:
    """Draw a place by weights ``exp(step * score)``.

    Args:
        scores: overwritten in this row; float32 ``[N, A]``.
        row: which row.
        count: number of scores in it.
        high: the greatest of them.
        step: at least 0.
        unit: random, 0..1 without 1.
    """
    factor = np.float32(step * _LOG2_E)
    for place in range(count):
        scores[row, place] = _exponential((scores[row, place] - high) * factor)
    total: Any = np.float32(0)
    for place in range(count):
        total += scores[row, place]
        scores[row, place] = total
    if not total > 0:
        return np.int64(unit * count)
    # Rounded, it may be the total itself; what comes first to that has some weight.
    aim, chosen = np.float32(unit * total), np.int64(0)
    for place in range(count):
        below = scores[row, place]
        chosen += np.int64(below <= aim and below < total)
    return chosen


@inner
def _exponential(power: Any) -> Any:
    """Return ``2 ** power`` to six digits, 0 where that is negligible; float32.

    The library's function would take most of the time of a choice.
    """
    kept: Any = power if power > _NEGLIGIBLE else _NEGLIGIBLE
    whole = np.int32(kept) - np.int32(1)
    part = kept - np.float32(whole)
    value = ((((_F * part + _E) * part + _D) * part + _C) * part + _B) * part + _A
    result = value * power_of_two(whole)
    return result if power > _NEGLIGIBLE else np.float32(0)


@inner
def greatest(scores: Float32s2, row: int, count: int, high: np.float32, unit: float) -> Any:
    """Return a place of the greatest score, each of equal ones alike."""
    ties = 0
    for place in range(count):
        ties += scores[row, place] == high
    if ties == 0:
        return np.int64(unit * count)
    left = np.int64(unit * ties)
    for place in range(count):
        if scores[row, place] == high:
            if left == 0:
                return np.int64(place)
            left -= 1
    return np.int64(0)
