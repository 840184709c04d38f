"""What follows from facts about a state: which moves they exclude, and what a legal move implies.

A set of *facts* says of some fluents that they hold and of others that they do not. For every
fluent the circuit is evaluated once with the hypothesis that it holds and once that it does not,
64 hypotheses per word, everything else unknown. A move that cannot be legal under a hypothesis
implies the opposite fact when it is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from neurogame.analysis.cone import Cone, ConeFinder
from neurogame.analysis.exclusive import ExclusiveGroup
from neurogame.array_types import Bools, Int64s, UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.graph.lanes import ALL, pack_lanes

_CELLS = 1 << 22
_MOST_COMPLETE = 64


@final
@dataclass(frozen=True, eq=False)
class Hypotheses:
    """What the facts about one fluent decide, given the groups and constants assumed.

    ``X`` words hold one bit per fluent. In the last but one axis, 0 is for fluents that hold and
    1 for fluents that do not; all in non-terminal states.

    Attributes:
        base: facts of every non-terminal state; uint64 ``[2, X]``.
        excluded_moves: the facts with which each move is not legal; uint64 ``[M, 2, X]``.
        group_of: group of each fluent, or -1; int64 ``[F]``.
        groups: the groups assumed.
        work: input literals read to find this.
    """

    base: UInt64s
    excluded_moves: UInt64s
    group_of: Int64s
    groups: tuple[ExclusiveGroup, ...]
    work: int

    def facts_of(self, fluent: int, holds: bool) -> UInt64s:
        """Return the facts that follow if a fluent holds or not, base included; ``[2, X]``."""
        facts = self.base.copy()
        set_fact(facts, np.array([fluent]), 0 if holds else 1)
        group = int(self.group_of[fluent])
        if group >= 0:
            others = self.groups[group].fluents
            others = others[others != fluent]
            if holds:
                set_fact(facts, others, 1)
            elif self.groups[group].exactly and len(others) == 1:
                set_fact(facts, others, 0)
        return facts

    def impossible(self, facts: UInt64s) -> Bools:
        """Return which of uint64 ``[B, 2, X]`` facts hold in no state.

        Some fluent both holds and does not, or none of a group holds of which one always does.
        """
        contradicted = np.asarray((facts[:, 0] & facts[:, 1]).any(axis=1), np.bool_)
        for mask in self._complete:
            words = np.flatnonzero(mask)
            contradicted |= ~(mask[words] & ~facts[:, 1, words]).any(axis=1)
        return contradicted

    @cached_property
    def _complete(self) -> tuple[UInt64s, ...]:
        """The fluents of small groups of which one always holds; uint64 ``[X]`` each."""
        exact = sorted((g for g in self.groups if g.exactly), key=lambda g: len(g.fluents))
        masks = np.zeros((min(len(exact), _MOST_COMPLETE), *self.base.shape), np.uint64)
        for mask, group in zip(masks, exact, strict=False):
            set_fact(mask, group.fluents, 0)
        return tuple(masks[:, 0])


def set_fact(facts: UInt64s, fluents: Int64s, side: int) -> None:
    """Add to the facts ``[2, X]`` that fluents hold (side 0) or do not (side 1)."""
    np.bitwise_or.at(
        facts[side], fluents >> 6, np.left_shift(np.uint64(1), (fluents & 63).astype(np.uint64))
    )


def facts_about(facts: UInt64s, fluents: Int64s) -> Bools:
    """Return which fluents one side of facts, uint64 ``[B, X]``, tells of; bool ``[B, K]``."""
    bits = facts[:, fluents >> 6] >> (fluents & 63).astype(np.uint64)
    return (bits & np.uint64(1)).astype(np.bool_)


def find_hypotheses(
    circuit: Circuit,
    finder: ConeFinder,
    groups: Sequence[ExclusiveGroup],
    never: Bools,
    always: Bools,
    limit: int,
) -> Hypotheses | None:
    """Evaluate every hypothesis.

    Args:
        circuit: the game.
        finder: of its cones.
        groups: disjoint groups, assumed.
        never: fluents assumed never to hold; bool ``[F]``.
        always: fluents assumed always to hold; bool ``[F]``.
        limit: most input literals to read.

    Returns:
        None if the limit is too low.
    """
    fluents = len(circuit.fluents)
    words = max(-(-fluents // 64), 1)
    group_of = np.full(fluents, -1, np.int64)
    for index, group in enumerate(groups):
        group_of[group.fluents] = index
    wanted = np.append(circuit.legal, circuit.terminal ^ 1)
    cone = finder.find(wanted)
    work = cone.work * 2 * words
    if work > limit:
        return None
    rows = cone.rows(wanted)
    excluded = np.zeros((len(wanted), 2, words), np.uint64)
    chunk = max(_CELLS // (2 * len(cone.nodes)), 1)
    for side in (0, 1):
        for begin in range(0, words, chunk):
            end = min(begin + chunk, words)
            values = _assume(cone, groups, group_of, never, always, side, begin, end)
            cone.evaluate(values)
            excluded[:, side, begin:end] = ~values[rows]
    base = np.zeros((2, words), np.uint64)
    base[0], base[1] = excluded[-1, 1], excluded[-1, 0]
    # The lanes beyond the last fluent assume nothing at all.
    padding = ~pack_lanes(np.ones((1, max(fluents, 1)), np.bool_))[0]
    base &= ~padding
    excluded &= ~padding
    set_fact(base, np.flatnonzero(always), 0)
    set_fact(base, np.flatnonzero(never), 1)
    return Hypotheses(base, excluded[:-1], group_of, tuple(groups), work)


def _assume(
    cone: Cone,
    groups: Sequence[ExclusiveGroup],
    group_of: Int64s,
    never: Bools,
    always: Bools,
    side: int,
    begin: int,
    end: int,
) -> UInt64s:
    """Return rows in which lane ``l`` assumes that fluent ``64 begin + l`` holds, or does not."""
    leaves = cone.leaves - 1
    read = leaves[leaves < len(group_of)]
    values = cone.start(end - begin)
    values[2 : 2 + 2 * cone.leaf_count] = ALL
    can_hold, can_fail = (values[2 + row : 2 + row + 2 * len(read) : 2] for row in (0, 1))
    can_hold[never[read]] = can_fail[always[read]] = 0
    itself = np.arange(len(read)), read
    start = group_starts(np.array([len(group.fluents) for group in groups], np.int64))
    members = np.concatenate([np.zeros(0, np.int64), *(group.fluents for group in groups)])
    grouped = np.flatnonzero(group_of[read] >= 0)
    if side == 0:
        _clear(can_fail, *itself, begin)
        # Whoever holds is the only one of its group.
        alone = grouped
    else:
        _clear(can_hold, *itself, begin)
        pair = np.array([g.exactly and len(g.fluents) == 2 for g in groups], np.bool_)
        alone = grouped[pair[group_of[read[grouped]]]]
    row = np.repeat(alone, np.diff(start)[group_of[read[alone]]])
    other = gather_groups(start, members, group_of[read[alone]])
    row, other = row[other != read[row]], other[other != read[row]]
    _clear(can_hold if side == 0 else can_fail, row, other, begin)
    return values


def _clear(words: UInt64s, row: Int64s, fluent: Int64s, begin: int) -> None:
    """Clear the lanes of some fluents, each in its row, where word 0 holds fluent 64 begin."""
    place = (fluent >> 6) - begin
    inside = (place >= 0) & (place < words.shape[1])
    mask = ~np.left_shift(np.uint64(1), (fluent[inside] & 63).astype(np.uint64))
    np.bitwise_and.at(words, (row[inside], place[inside]), mask)
