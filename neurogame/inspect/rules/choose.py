"""Choosing few rules: candidates of a family that weigh about the same become one rule.

One rule after the other is taken: the set of candidates of one family, so far without a rule or
with a common one, that lowers the squared error most if all get the same weight. After each, all
weights are fitted again, and every candidate goes to that rule of its family, or to none, with
which the error is least: in the space of what rules add up to this is what k-means does in one
dimension.

*Reference:* Mallat and Zhang, "Matching pursuits with time-frequency dictionaries" (1993); Towell
and Shavlik, "Extracting refined rules from knowledge-based neural networks" (1993), for M-of-N
rules by clusters of like weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import final

import numpy as np

from neurogame.array_types import Float64s, Int64s1
from neurogame.inspect.rules.candidates import Family

RIDGE = 1.0
"""How much weights are pulled towards 0, per candidate, in weighted states."""
MOST_INSTANCES = 4000
"""Of all rules together: more cannot be read, nor looked up fast."""
_SWEEPS = 2
_NONE = -1


@final
class Chosen:
    """Rules chosen so far; ``K`` candidates, ``G`` rules.

    Attributes:
        member: rule of each candidate, or -1; int64 ``[K]``.
        weight: of each rule; float64 ``[G]``.
    """

    def __init__(
        self, products: Float64s, target: Float64s, families: Sequence[Family], instances: Int64s1
    ) -> None:
        """Begin without rules.

        Args:
            products: of all candidates' columns; float64 ``[K, K]``.
            target: products of the columns with what they are to add up to; float64 ``[K]``.
            families: of the candidates.
            instances: how many each has; int64 ``[K]``.
        """
        self._instances = instances
        self._products = products + RIDGE * np.eye(len(products))
        self._target = target
        number = {family: i for i, family in enumerate(dict.fromkeys(families))}
        self._family = np.array([number[family] for family in families], np.int64)
        self.member: Int64s1 = np.full(len(target), _NONE, np.int64)
        self.weight: Float64s = np.zeros(0)
        self._slope = target.copy()

    def grow(self, size: int) -> bool:
        """Take rules until there are ``size``; return whether there are so many."""
        stuck = 0
        while len(self.weight) < size and stuck < 3:
            before = len(self.weight)
            candidates = self._best()
            if candidates is None:
                return False
            self.member[candidates] = before
            self._refit()
            for _ in range(_SWEEPS):
                self._sweep()
                self._refit()
            stuck = stuck + 1 if len(self.weight) <= before else 0
        return len(self.weight) >= size

    def _best(self) -> Int64s1 | None:
        """Return the candidates that gain most by a weight of their own."""
        best, chosen = 1e-6, None
        for cell in self._cells():
            slope, inner = self._slope[cell], self._products[np.ix_(cell, cell)]
            order = np.argsort(-slope / np.diag(inner), kind="stable")
            for way in (order, order[::-1]):
                lower = np.tril(inner[np.ix_(way, way)], -1).sum(axis=1)
                square = np.cumsum(2 * lower + np.diag(inner)[way])
                gain = np.cumsum(slope[way]) ** 2 / np.maximum(square, RIDGE)
                if self.member[cell[0]] == _NONE:
                    gain[np.cumsum(self._instances[cell[way]]) > self._room()] = 0
                last = int(gain.argmax())
                if gain[last] > best:
                    best, chosen = float(gain[last]), cell[way[: last + 1]]
        return chosen

    def _room(self) -> int:
        """Return how many instances may be added."""
        return MOST_INSTANCES - int(self._instances[self.member >= 0].sum())

    def _cells(self) -> Iterator[Int64s1]:
        """Yield the candidates of each family that have a common rule, or none."""
        cell = self._family * (len(self.weight) + 1) + self.member + 1
        order = np.argsort(cell, kind="stable")
        yield from np.split(order, np.flatnonzero(np.diff(cell[order])) + 1)

    def _refit(self) -> None:
        """Fit all weights; rules without candidates are dropped."""
        kept, ranks = np.unique(self.member[self.member >= 0], return_inverse=True)
        places = np.flatnonzero(self.member >= 0)
        self.member[places] = ranks.reshape(-1)
        spread = np.zeros((len(places), len(kept)))
        spread[np.arange(len(places)), self.member[places]] = 1.0
        inner = spread.T @ self._products[np.ix_(places, places)] @ spread
        fitted = np.linalg.solve(inner, spread.T @ self._target[places])
        self.weight = fitted.astype(np.float64)
        self._slope = self._target - self._products[:, places] @ self.weight[self.member[places]]

    def _sweep(self) -> None:
        """Let every candidate go to the rule with which the error is least."""
        rule_family = np.full(len(self.weight), _NONE)
        rule_family[self.member[self.member >= 0]] = self._family[self.member >= 0]
        for family in np.unique(rule_family).tolist():
            rules = np.concatenate([[_NONE], np.flatnonzero(rule_family == family)])
            weights = np.concatenate([[0.0], self.weight[rules[1:]]])
            for one in np.flatnonzero(self._family == family).tolist():
                now = 0.0 if self.member[one] < 0 else self.weight[self.member[one]]
                step = weights - now
                loss = step * (self._products[one, one] * step - 2 * self._slope[one])
                best = int(loss.argmin())
                fits = self.member[one] >= 0 or self._instances[one] <= self._room()
                if loss[best] < -1e-9 and fits:
                    self.member[one] = rules[best]
                    self._slope -= self._products[:, one] * step[best]
