"""What a node of max^n is worth where chance may choose, too: its outcomes are averaged.

Chance comes last in the order of roles, so that its outcomes lie side by side: each choice of all
others is worth the mean of its outcomes, and they choose among these means, as nobody knows the
outcome before. Nothing is pruned, as nothing is in max^n.

*Reference:* Michie, "Game-playing and game-learning automata" (1966), expectimax.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s2
from neurogame.native.compiled import inner
from neurogame.search.alphabeta.compiled.backup import equilibrium, is_certain
from neurogame.search.alphabeta.compiled.memory import Choices, Search


@inner
def settle_all(
    search: Search,
    values: Float32s2,
    first: int,
    rows: int,
    solved: bool,
    target: Float32s2,
    place: int,
) -> tuple[int, bool]:
    """Choose for all roles at a node; write what it is worth to them.

    Args:
        search: its lists of moves are those of the node.
        values: of the node's rows; float32 ``[N, R]``.
        first: index of row 0.
        rows: number of its joint moves.
        solved: whether the values of all rows are known for sure.
        target: written, not among the node's rows; float32 ``[*, R]``.
        place: row of it.

    Returns:
        The row that is played, with one of its outcomes; and whether all rows are known and no
        tie-break could change the values.
    """
    choices, outcomes = search.choices, _outcomes(search.choices)
    roles = len(choices.order)
    if outcomes > 1:
        _average(values, first, rows, outcomes, search.means)
        values, first, roles = search.means, 0, roles - 1
    order, starts = choices.order[:roles], choices.starts
    best = equilibrium(values, first, order, starts, choices.picked)
    for role in range(values.shape[1]):
        target[place, role] = values[first + best, role]
    certain = solved and search.united == 0 and is_certain(values, first, best, order, starts)
    return best * outcomes, certain


@inner
def _outcomes(choices: Choices) -> int:
    """Return the number of moves that chance has among those listed; 1 where nobody is chance."""
    last = len(choices.order) - 1
    return choices.starts[last + 1] - choices.starts[last] if choices.chance >= 0 else 1


@inner
def _average(values: Float32s2, first: int, rows: int, outcomes: int, means: Float32s2) -> None:
    """Write the mean of every ``outcomes`` rows that lie side by side."""
    for group in range(rows // outcomes):
        start = first + group * outcomes
        for role in range(values.shape[1]):
            total = np.float64(0)
            for row in range(start, start + outcomes):
                total += values[row, role]
            means[group, role] = np.float32(total / outcomes)
