"""The least-squares problem of weighted rules: how often candidates count in which states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

import numpy as np

from neurogame.array_types import Bools, Float32s
from neurogame.evaluators.rules.ground_rule import GroundCount, GroundRule
from neurogame.inspect.rules.candidates import RuleCandidate
from neurogame.inspect.rules.samples import TeacherSamples

CLIPPED = 6.0
"""Log-odds are cut off here: beyond, a value is all but sure, and how sure says little."""
_LEAST_WEIGHT = 0.08
"""Weight of a state whose value is sure, beside 1 of one that is open."""
_CHOICES = 1.0
"""Weight of differences between the outcomes of one choice, beside that of values."""


@final
class Truths:
    """How often rules count in given states; remembers counts that many rules share.

    ``N`` states, ``O`` outputs: one if roles are opposed, else one for each role.
    """

    def __init__(self, held: Bools, roles: int, *, opposed: bool) -> None:
        """Take states, bool ``[N, F]``."""
        self._held = np.ascontiguousarray(held.T)
        self._opposed = opposed
        self._outputs = 1 if opposed else roles
        self._known: dict[GroundCount, Bools] = {}

    def column(self, rules: Iterable[GroundRule]) -> Float32s:
        """Return what instances add up to, with their weights; float32 ``[N * O]``."""
        sums = np.zeros((self._held.shape[1], self._outputs), np.float32)
        for rule in rules:
            right = np.ones(len(sums), np.bool_)
            for count in rule.counts:
                right &= self._right(count)
            minus = self._opposed and rule.role == 1
            output = 0 if self._opposed else rule.role
            sums[:, output] += np.float32(-rule.weight if minus else rule.weight) * right
        return sums.reshape(-1)

    def _right(self, count: GroundCount) -> Bools:
        known = self._known.get(count)
        if known is None:
            number = self._held[list(count.fluents)].sum(axis=0)
            known = self._known[count] = (number >= count.low) & (number <= count.high)
        return known


@final
class Design:
    """Rows of a least-squares problem: values, and differences between outcomes of a choice.

    Attributes:
        truths: of the samples' states.
        target: what rules are to add up to; float32 ``[rows]``.
    """

    def __init__(self, samples: TeacherSamples, roles: int, *, opposed: bool) -> None:
        """Weigh states: those whose values are open count most.

        Args:
            samples: states with log-odds.
            roles: number of roles.
            opposed: whether one role's log-odds say all.
        """
        self.truths = Truths(samples.held, roles, opposed=opposed)
        odds = np.clip(samples.odds[:, :1] if opposed else samples.odds, -CLIPPED, CLIPPED)
        value = 1 / (1 + np.exp(-odds))
        weight = np.sqrt(np.maximum(4 * value * (1 - value), _LEAST_WEIGHT)).astype(np.float32)
        self._outputs = odds.shape[1]
        self._weight = weight.reshape(-1)
        rows = np.flatnonzero(samples.parent >= 0)
        _, group = np.unique(samples.parent[rows], return_inverse=True)
        self._group = group.reshape(-1)
        self._number = np.bincount(self._group).astype(np.float32)
        self._rows = rows
        self._choice_weight = np.float32(np.sqrt(_CHOICES)) * weight[rows].reshape(-1)
        self.target = self.rows_of(odds.reshape(-1).astype(np.float32))

    def rows_of(self, column: Float32s) -> Float32s:
        """Return the rows of a column of states, float32 ``[N * O]``."""
        values = column.reshape(-1, self._outputs)[self._rows]
        mean = np.stack(
            [np.bincount(self._group, values[:, o]) / self._number for o in range(self._outputs)],
            axis=1,
        )
        apart = (values - mean[self._group]).astype(np.float32).reshape(-1)
        return np.concatenate([column * self._weight, apart * self._choice_weight])

    def column(self, candidate: RuleCandidate) -> Float32s:
        """Return the rows of a candidate."""
        return self.rows_of(self.truths.column(candidate.instances))

    def columns(self, candidates: Sequence[RuleCandidate]) -> Float32s:
        """Return the rows of candidates; float32 ``[K, rows]``."""
        rows = np.zeros((len(candidates), len(self.target)), np.float32)
        for number, one in enumerate(candidates):
            rows[number] = self.column(one)
        return rows
