"""Splitting cases: by the moves of a role, or by the values of a group of fluents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.case_cone import CaseCone
from neurogame.analysis.exclusive import ExclusiveGroup
from neurogame.analysis.hypotheses import Hypotheses, set_fact
from neurogame.array_types import Bools, Int64s, UInt64s

UNKNOWN = -1
"""Choice of a role whose move is not decided."""

_MOST_CASES = 60_000
_CELLS = 1 << 21
_PARTLY_KNOWN = 3
_OFTEN_READ = 3


@final
@dataclass(frozen=True, eq=False)
class Cases:
    """Some cases, ``B`` of them.

    Attributes:
        value: of the group now, ``K`` if none holds; int64 ``[B]``.
        facts: about the current state; uint64 ``[B, 2, X]``.
        choice: per role of the cone its move case, or -1; int64 ``[B, N]``.
    """

    value: Int64s
    facts: UInt64s
    choice: Int64s

    def __len__(self) -> int:
        """Return the number of cases."""
        return len(self.value)

    def select(self, index: Int64s | Bools) -> Cases:
        """Return some of the cases."""
        return Cases(self.value[index], self.facts[index], self.choice[index])


@final
@dataclass(frozen=True, eq=False)
class Split:
    """One way to split cases.

    Attributes:
        facts: of each branch; uint64 ``[C, 2, X]``. In every state one of the branches holds.
        role: position among the cone's roles whose move is decided, or -1.
        known: what follows from facts.
    """

    facts: UInt64s
    role: int
    known: Hypotheses

    def apply(self, cases: Cases) -> Cases | None:
        """Return the finer cases, or None if they are too many."""
        if len(cases) * len(self.facts) > 40 * _MOST_CASES:
            return None
        # A branch contradicts a case if one says what the other denies.
        fits = np.ones((len(cases), len(self.facts)), np.bool_)
        opposite = self.facts[:, ::-1]
        step = max((1 << 21) // max(opposite[0].size * len(self.facts), 1), 1)
        for begin in range(0, len(cases), step):
            part = cases.facts[begin : begin + step, None]
            fits[begin : begin + step] = ~(part & opposite).any(axis=(2, 3))
        parent, branch = np.nonzero(fits)
        if len(parent) > _MOST_CASES:
            return None
        choice = cases.choice[parent]
        if self.role >= 0:
            choice[:, self.role] = branch
        facts = cases.facts[parent] | self.facts[branch]
        finer = Cases(cases.value[parent], facts, choice)
        return finer.select(~self.known.impossible(facts))


@final
class PartlyKnownSplit:
    """Splits each case by the values of a group of which it knows some to be impossible.

    A move from a cell says that the cell is not empty, but often not what stands there.
    """

    def __init__(self, groups: Sequence[int], known: Hypotheses) -> None:
        """Prepare the split.

        Args:
            groups: that may be split, most read first.
            known: what follows from facts.
        """
        self.splits = [
            Split(values_of(known.groups[group], known), UNKNOWN, known) for group in groups
        ]
        self.masks = np.zeros((len(groups), *known.base.shape), np.uint64)
        for mask, group in zip(self.masks, groups, strict=True):
            set_fact(mask, known.groups[group].fluents, 0)
        # What is known of every state does not tell cases apart.
        self.masks[:, 1] = self.masks[:, 0] & ~known.base[1]

    def apply(self, cases: Cases) -> Cases | None:
        """Return the finer cases; those that know nothing in part stay as they are."""
        chosen = np.full(len(cases), -1, np.int64)
        step = max(_CELLS // max(self.masks.size, 1), 1)
        for begin in range(0, len(cases) if len(self.masks) else 0, step):
            part = cases.facts[begin : begin + step, None] & self.masks
            possible = np.asarray(part.any(axis=3), np.bool_)
            open_ = possible[:, :, 1] & ~possible[:, :, 0]
            chosen[begin : begin + step] = np.where(open_.any(axis=1), open_.argmax(axis=1), -1)
        parts = [cases.select(chosen < 0)]
        total = 0
        for group in np.unique(chosen[chosen >= 0]).tolist():
            finer = self.splits[group].apply(cases.select(chosen == group))
            total += _MOST_CASES + 1 if finer is None else len(finer)
            if finer is None or total > _MOST_CASES:
                return None
            parts.append(finer)
        return Cases(
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.facts for part in parts]),
            np.concatenate([part.choice for part in parts]),
        )


def splits_of(
    own_fluents: Int64s, cone: CaseCone, known: Hypotheses
) -> Iterator[Split | PartlyKnownSplit]:
    """Return the ways to split, the most telling first.

    Args:
        own_fluents: by which the cases are split already.
        cone: of the outputs.
        known: what follows from facts.
    """
    for index, role in enumerate(cone.roles):
        yield Split(role.facts, index, known)
    uses: dict[tuple[int, int], int] = {}
    inside = set(own_fluents.tolist())
    for fluent, use in zip(cone.fluents.tolist(), cone.uses.tolist(), strict=True):
        if fluent not in inside:
            index = int(known.group_of[fluent])
            key = (index, -1) if index >= 0 else (-1, fluent)
            uses[key] = uses.get(key, 0) + use
    ranked = sorted(uses, key=lambda key: (-uses[key], key))
    groups = [index for index, _ in ranked if index >= 0]
    if groups:
        partly = PartlyKnownSplit(groups, known)
        for _ in range(_PARTLY_KNOWN):
            yield partly
    for index, fluent in ranked[:_OFTEN_READ]:
        if index >= 0:
            facts = values_of(known.groups[index], known)
        else:
            facts = np.stack([known.facts_of(fluent, True), known.facts_of(fluent, False)])
        yield Split(facts, UNKNOWN, known)


def values_of(members: ExclusiveGroup, known: Hypotheses) -> UInt64s:
    """Return the facts that each value of a group implies; uint64 ``[C, 2, X]``."""
    facts = [known.facts_of(int(f), True) for f in members.fluents]
    if not members.exactly:
        none = known.base.copy()
        set_fact(none, members.fluents, 1)
        facts.append(none)
    return np.stack(facts)
