"""How groups of fluents behave in the states seen, and what proofs say about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from neurogame.analysis.analyse import GameAnalysis
from neurogame.analysis.observe import count_lanes
from neurogame.analysis.verdict import Evidence, Verdict
from neurogame.array_types import Bools, Int64s, UInt64s
from neurogame.structure.witnesses import Witnesses


@final
class GroupEvidence:
    """Answers how many fluents of a group hold at once, from states seen and from proofs.

    Attributes:
        witnesses: the states.
        held: fluents that hold in some of them; bool ``[F]``.
    """

    def __init__(self, witnesses: Witnesses, analysis: GameAnalysis | None) -> None:
        """Take states, and an analysis of the game if there is one, whose proofs count."""
        self.witnesses = witnesses
        self.held: Bools = np.asarray(witnesses.states.any(axis=1), np.bool_)
        self._group_of = np.full(len(self.held), -1, np.int64)
        self._groups = () if analysis is None else analysis.groups
        self._never = np.zeros(len(self.held), np.bool_) if analysis is None else analysis.never
        self._sure = Verdict(True, Evidence.PROVED)
        if analysis is not None and analysis.state_count is not None:
            self._sure = Verdict(True, Evidence.DECIDED, analysis.state_count)
        for index, group in enumerate(self._groups):
            self._group_of[group.fluents] = index

    def counts(self, fluents: Int64s) -> tuple[UInt64s, UInt64s]:
        """Return in which states one or more, and two or more, of some fluents hold; ``[N]``."""
        return count_lanes(self.witnesses.states[fluents])

    def at_most_one(self, groups: Sequence[Int64s]) -> Verdict:
        """Return whether at most one fluent of each group ever holds."""
        if all(self._is_proved(group, exactly=False) for group in groups):
            return self._sure
        return self.witnesses.verdict(not any(self.counts(group)[1].any() for group in groups))

    def exactly_one(self, groups: Sequence[Int64s]) -> Verdict:
        """Return whether exactly one fluent of each group holds in every state."""
        if all(self._is_proved(group, exactly=True) for group in groups):
            return self._sure
        present = self.witnesses.present
        for group in groups:
            one, two = self.counts(group)
            if two.any() or (present & ~one).any():
                return self.witnesses.verdict(False)
        return self.witnesses.verdict(True)

    def _is_proved(self, fluents: Int64s, exactly: bool) -> bool:
        fluents = fluents[~self._never[fluents]]
        if len(fluents) < 2 and not exactly:
            return True
        index = set(self._group_of[fluents].tolist())
        if len(index) != 1 or -1 in index:
            return False
        group = self._groups[index.pop()]
        return not exactly or (group.exactly and len(group.fluents) == len(fluents))


def split_groups(fluents: Int64s, number: Int64s) -> list[Int64s]:
    """Return fluents ``[K]`` by their group numbers ``[K]``, which are 0 .. without gaps."""
    order = np.argsort(number, kind="stable")
    bounds = np.flatnonzero(np.diff(number[order])) + 1
    return np.split(fluents[order], bounds) if len(fluents) else []
