"""Groups of symmetries as tables of numbers, and small groups inside large ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurogame.array_types import Bools, Int64s
from neurogame.structure.symmetries import Symmetry


def composition_table(symmetries: Sequence[Symmetry]) -> Int64s:
    """Return which symmetry two of them are, one after the other.

    Args:
        symmetries: a group, ``n`` elements.

    Returns:
        ``table[a, b]`` is ``a`` after ``b``; int64 ``[n, n]``.
    """
    whole = np.stack([np.concatenate([s.fluents, s.moves, s.roles]) for s in symmetries])
    fluents, roles = whole.shape[1], len(symmetries[0].roles)
    # A few random numbers per element tell all of them apart.
    weights = np.random.default_rng(0).integers(1, 2**31, size=(whole.shape[1],))
    marks = _marks(whole, weights)
    order = np.argsort(marks)
    table = np.empty((len(whole), len(whole)), np.int64)
    parts = np.cumsum([len(symmetries[0].fluents), len(symmetries[0].moves)])
    offset = np.zeros(fluents, np.int64)
    offset[parts[0] : parts[1]], offset[parts[1] :] = parts[0], parts[1]
    assert roles == fluents - parts[1]
    for index, one in enumerate(whole):
        composed = one[whole + offset]
        table[index] = order[np.searchsorted(marks[order], _marks(composed, weights))]
    return table


def _marks(rows: Int64s, weights: Int64s) -> Int64s:
    hashes: Int64s = ((rows + 1) * weights).sum(axis=1)
    return hashes


def small_subgroup(table: Int64s, usable: Bools, most: int) -> tuple[int, ...]:
    """Return the elements of a group inside a group, ascending.

    Elements that commute with all others come first (such as an exchange of the players alone),
    then the others in order, each with what it generates, as long as there are not too many.

    Args:
        table: of the group, whose first element is the identity; int64 ``[n, n]``.
        usable: elements that may be taken; they are a group; bool ``[n]``.
        most: most elements, at least 1.
    """
    chosen: set[int] = {0}
    central = (table == table.T).all(axis=1)
    order = np.lexsort((np.arange(len(table)), ~central))
    for element in order.tolist():
        if usable[element] and element not in chosen:
            grown = _generated(table, chosen | {element}, most)
            if grown is not None:
                chosen = grown
    return tuple(sorted(chosen))


def _generated(table: Int64s, elements: set[int], most: int) -> set[int] | None:
    """Return the group that some elements generate, or None if it is too large."""
    generated = set(elements)
    open_ = list(elements)
    while open_:
        new = table[open_.pop(), sorted(elements)].tolist()
        fresh = [one for one in new if one not in generated]
        generated.update(fresh)
        open_ += fresh
        if len(generated) > most:
            return None
    return generated
