"""What must hold for a fluent to hold after the next move, as seen in many steps.

In connect four a stone comes to a square if it is empty and the square below is not. That makes the
difference between a threat that can be carried out and one that cannot yet.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neurogame.array_types import Bools
from neurogame.evaluators.rules.ground_rule import GroundCount
from neurogame.structure.structure import Structure

_LEAST_STEPS = 8
"""A fluent that was made less often is left out."""
_MOST_NEEDS = 3
_SAME = 0.99
"""A need is of no interest that leaves at least this share of the states."""


def find_needs(
    structure: Structure, made: Bools, skipped: set[int]
) -> Mapping[int, tuple[GroundCount, ...]]:
    """Return what held whenever a fluent was made, none of it following from the rest.

    Args:
        structure: of the game.
        made: steps: which fluents hold before and after; bool ``[2, T, F]``.
        skipped: fluents that are no needs, such as whose turn it is.
    """
    before, after = made
    literals = [
        one
        for variable in structure.variables
        for one in _literals(tuple(variable.fluents.tolist()))
        if not skipped & set(one.fluents)
    ]
    numbers = [before[:, list(one.fluents)].sum(axis=1) for one in literals]
    right = np.array([n == one.low for n, one in zip(numbers, literals, strict=True)])
    needs = {}
    for fluent in range(before.shape[1]):
        rows = after[:, fluent] & ~before[:, fluent]
        if int(rows.sum()) >= _LEAST_STEPS and fluent not in skipped:
            always = np.flatnonzero(right[:, rows].all(axis=1)) if len(right) else np.zeros(0)
            needs[fluent] = _independent(literals, right, always.astype(np.int64).tolist())
    return needs


def _literals(fluents: tuple[int, ...]) -> list[GroundCount]:
    """Return that a variable has a value, that it has any, and that it has none."""
    literals = [GroundCount((fluent,), 1, 1) for fluent in fluents]
    if len(fluents) > 1:
        literals.append(GroundCount(fluents, 1, 1))
    literals.append(GroundCount(fluents, 0, 0))
    return literals


def _independent(
    literals: list[GroundCount], right: Bools, always: list[int]
) -> tuple[GroundCount, ...]:
    """Return literals that always hold, the rarest first, as long as they say something new."""
    needs: list[GroundCount] = []
    joint = np.ones(right.shape[1], np.bool_)
    while always and len(needs) < _MOST_NEEDS:
        left = [int((joint & right[one]).sum()) for one in always]
        best = int(np.argmin(left))
        if left[best] >= _SAME * joint.sum():
            break
        needs.append(literals[always[best]])
        joint &= right[always[best]]
    return tuple(needs)
