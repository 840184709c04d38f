"""Proofs that every game ends, by something that only ever moves one way.

A *one-way* group is one whose values, once left, never return: a step counter, a cell that is
marked once. If every step changes some one-way group, no game is longer than the sum of the longest
ways through them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurogame.analysis.case_cone import make_case_cone
from neurogame.analysis.cases import holds_in_all_cases
from neurogame.analysis.cone import ConeFinder
from neurogame.analysis.exclusive import ExclusiveGroup
from neurogame.analysis.hypotheses import Hypotheses, facts_about
from neurogame.array_types import Bools, UInt64s
from neurogame.circuit.circuit import Circuit


def longest_game(
    circuit: Circuit,
    finder: ConeFinder,
    known: Hypotheses,
    changes: Sequence[Bools],
    limit: int,
) -> int | None:
    """Return a number of plies that no game exceeds, or None if none is proved.

    Args:
        circuit: the game.
        finder: of its cones.
        known: what follows from facts; its groups have been proved.
        changes: per group which value can follow which, :func:`~.cases.find_steps`.
        limit: most input literals to read.
    """
    bounds: list[int] = []
    one_way: list[ExclusiveGroup] = []
    total = 0
    for group, change in zip(known.groups, changes, strict=True):
        longest = _longest_way(circuit, group, change & ~np.eye(len(change), dtype=np.bool_))
        if longest is None:
            continue
        if not np.diagonal(change)[: len(group.fluents) + (not group.exactly)].any():
            bounds.append(longest)
        one_way.append(group)
        total += longest
    if not bounds and one_way and _every_step_moves(circuit, finder, known, one_way, limit):
        bounds.append(total)
    return min(bounds, default=None)


def _longest_way(circuit: Circuit, group: ExclusiveGroup, change: Bools) -> int | None:
    """Return the most changes from the initial value on, or None if a value can return."""
    size = len(group.fluents)
    held = np.flatnonzero(circuit.initial[group.fluents])
    reached = np.zeros(size + 1, np.bool_)
    reached[held[0] if len(held) else size] = True
    for steps in range(size + 2):
        following = np.asarray(change[reached].any(axis=0), np.bool_)
        if not following.any():
            return steps
        reached = following
    return None


def _every_step_moves(
    circuit: Circuit,
    finder: ConeFinder,
    known: Hypotheses,
    groups: Sequence[ExclusiveGroup],
    limit: int,
) -> bool:
    """Return whether every joint move certainly changes one of the groups."""
    fluents = np.concatenate([g.fluents for g in groups])
    cone = make_case_cone(circuit, finder, known, circuit.next[fluents])

    def moves(facts: UInt64s, can: Bools, must: Bools) -> Bools:
        moving = np.zeros(len(facts), np.bool_)
        begin = 0
        for group in groups:
            rows = slice(begin, begin + len(group.fluents))
            moving |= _changes(group, facts, can[rows], must[rows])
            begin = rows.stop
        return moving

    return holds_in_all_cases(cone, known, moves, limit)


def _changes(group: ExclusiveGroup, facts: UInt64s, can: Bools, must: Bools) -> Bools:
    """Return in which cases the value of a group certainly changes; bool ``[B]``."""
    holds, fails = (facts_about(facts[:, side], group.fluents) for side in (0, 1))
    changing = (holds & ~can.T).any(axis=1)
    if not group.exactly:
        changing |= fails.all(axis=1) & must.T.any(axis=1)
    return np.asarray(changing, np.bool_)
