"""Random walks over the geometry: sets of variables that belong together, to make patterns of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neurogame.array_types import Int64s
from neurogame.structure.geometry import Geometry


def walks(
    geometry: Geometry,
    values: Int64s,
    starts: Int64s,
    *,
    length: int,
    most_values: int,
    random: np.random.Generator,
) -> Iterator[tuple[int, ...]]:
    """Yield random walks without end: in every round one from each start, in random order.

    *Reference:* Thill, Koch and Konen, "Reinforcement learning with n-tuples on the game Connect-4"
    (2012), section 3.2.

    Args:
        geometry: who is next to whom; steps are as likely as pairs are heavy.
        values: number of values of each variable; int64 ``[V]``.
        starts: variables to start from; no others are visited; at least one; int64 ``[n]``.
        length: most variables of a walk.
        most_values: most combinations of values of a walk.
        random: of all choices.

    Yields:
        Variables in the order in which they were visited.
    """
    allowed = np.zeros(len(values), np.bool_)
    allowed[starts] = True
    allowed &= values <= most_values
    while True:
        for start in random.permutation(starts[allowed[starts]]).tolist():
            yield _walk(geometry, values, allowed, start, length, most_values, random)
        if not allowed.any():
            return


def _walk(
    geometry: Geometry,
    values: Int64s,
    allowed: np.ndarray,
    start: int,
    length: int,
    most_values: int,
    random: np.random.Generator,
) -> tuple[int, ...]:
    """Return one walk: on from the last variable, or from an earlier one if that leads nowhere."""
    walk, left = [start], most_values // int(values[start])
    while len(walk) < length:
        for place in reversed(walk):
            other, weight = geometry.neighbours(place)
            fits = allowed[other] & (values[other] <= left) & ~np.isin(other, walk)
            if fits.any():
                chance = weight[fits] / weight[fits].sum()
                walk.append(int(random.choice(other[fits], p=chance)))
                left //= int(values[walk[-1]])
                break
        else:
            break
    return tuple(walk)
