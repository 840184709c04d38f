"""In which order the values of a board's axis stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from neurogame.structure.successors import SuccessorRelation


def axis_order(
    values: Iterable[str], successors: Sequence[SuccessorRelation] = ()
) -> tuple[str, ...]:
    """Sort the values of an axis.

    Integers stand in numeric order. Otherwise the first successor relation that has all values on
    one chain gives the order, which survives the renaming of constants; without one the order is
    alphabetical, with numbers inside names compared as numbers.

    Args:
        values: the different values, as text.
        successors: those of the rules, the most likely ones first.
    """
    values = sorted(set(values), key=_natural)
    if all(value.isdecimal() for value in values):
        return tuple(sorted(values, key=int))
    spelled = {value.lower(): value for value in values}
    for successor in successors:
        ordered = successor.ordered(spelled)
        if ordered is not None:
            return tuple(spelled[value] for value in ordered)
    return tuple(values)


def _natural(text: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"(\d+)", text)
    return [(0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts if p]
