"""Weighted rules as an evaluator: a rules network, which both compiled searches know.

Rules about the same sets of fluents share a look-up: its row says how many of each set hold. Whose
turn it is chooses the weights, and costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias, final

import numpy as np

from neurogame.array_types import Float64s, Int64s
from neurogame.errors import LimitError
from neurogame.evaluators.rules.ground_rule import GroundCount, GroundRule
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.sums import sum_network
from neurogame.simulate.game import Game

MOST_ROWS, MOST_LOOKUPS = 20_000, 4096
"""Of one look-up, and look-ups of all rules."""

_Sets: TypeAlias = tuple[tuple[int, ...], ...]


def rules_evaluator(game: Game, rules: Iterable[GroundRule], *, opposed: bool) -> RulesNetwork:
    """Return the evaluator that values states by weighted rules.

    Args:
        game: the game.
        rules: instances of its weighted rules.
        opposed: whether there are two roles, and what is worth to one costs the other as much.

    Raises:
        LimitError: a rule counts in too many sets of fluents, or there are too many different
            ones.
    """
    collected = _Collected(game, 1 if opposed else len(game.roles))
    for rule in rules:
        collected.add(rule, opposed)
    return collected.evaluator(opposed)


def mode_fluents(game: Game) -> list[int]:
    """Return the fluents of which always one holds and says whose turn it is; maybe none."""
    mode = game.structure.mode
    if mode is None or not game.structure.variables[mode.variable].exactly:
        return []
    fluents: list[int] = game.structure.mode_fluents.tolist()
    return fluents


@final
class _Collected:
    """What rules add, mode by mode; ``M`` modes, ``O`` outputs, ``F`` fluents."""

    def __init__(self, game: Game, outputs: int) -> None:
        self.fluents, self.roles = len(game.fluents), len(game.roles)
        self.modes = mode_fluents(game)
        self.shape = (max(len(self.modes), 1), outputs)
        self.constant = np.zeros(self.shape)
        self.linear = np.zeros((*self.shape, self.fluents))
        self.tables: dict[_Sets, Float64s] = {}

    def add(self, rule: GroundRule, opposed: bool) -> None:
        """Add an instance in all modes."""
        output, weight = rule.role, rule.weight
        if opposed and rule.role == 1:
            output, weight = 0, -weight
        for mode in range(self.shape[0]):
            counts = _joined(count for count in self._in_mode(rule.counts, mode))
            if counts is not None:
                self._add(mode, output, weight, counts)

    def _in_mode(self, counts: Sequence[GroundCount], mode: int) -> Iterable[GroundCount]:
        """Yield the counts without the fluents that say which mode it is."""
        for count in counts:
            left = tuple(sorted(f for f in count.fluents if f not in self.modes))
            held = int(bool(self.modes) and self.modes[mode] in count.fluents)
            yield GroundCount(left, count.low - held, count.high - held)

    def _add(self, mode: int, output: int, weight: float, counts: list[GroundCount]) -> None:
        if not counts:
            self.constant[mode, output] += weight
        elif len(counts) == 1 and len(counts[0].fluents) == 1:
            held = counts[0].low == 1
            self.constant[mode, output] += 0.0 if held else weight
            self.linear[mode, output, counts[0].fluents[0]] += weight if held else -weight
        else:
            sizes = [len(count.fluents) + 1 for count in counts]
            if math.prod(sizes) > MOST_ROWS:
                raise LimitError(
                    f"a rule counts in {len(counts)} sets of fluents, which takes "
                    f"{math.prod(sizes):,} rows; at most {MOST_ROWS:,} are allowed: split it"
                )
            sets = tuple(count.fluents for count in counts)
            table = self.tables.setdefault(sets, np.zeros((*self.shape, *sizes)))
            right = tuple(slice(max(count.low, 0), count.high + 1) for count in counts)
            table[mode, output][right] += weight

    def evaluator(self, opposed: bool) -> RulesNetwork:
        """Return the evaluator."""
        if len(self.tables) >= MOST_LOOKUPS:
            raise LimitError(
                f"the rules count in {len(self.tables):,} different groups of sets of fluents; at "
                f"most {MOST_LOOKUPS - 1:,} are allowed: use fewer rules or facts"
            )
        return sum_network(
            self.constant,
            self.linear,
            [
                (self._addends(sets), table.reshape(*self.shape, -1))
                for sets, table in self.tables.items()
            ],
            roles=self.roles,
            modes=self.modes,
            opposed=opposed,
        )

    def _addends(self, sets: _Sets) -> Int64s:
        """Return by how much fluents raise the row that says how many of each set hold."""
        addends, step = np.zeros(self.fluents, np.int64), 1
        for fluents in reversed(sets):
            addends[list(fluents)] += step
            step *= len(fluents) + 1
        return addends


def _joined(counts: Iterable[GroundCount]) -> list[GroundCount] | None:
    """Return counts without those that are always right, each set once; None: never all right.

    Counts of which all fluents must hold become one, as do those of which none may: that takes
    fewer rows, and means the same.
    """
    every: set[int] = set()
    none: set[int] = set()
    others: dict[tuple[int, ...], tuple[int, int]] = {}
    for count in counts:
        size = len(count.fluents)
        low, high = max(count.low, 0), min(count.high, size)
        if low > high:
            return None
        if (low, high) == (0, size):
            continue
        if size == 1:
            (every if low else none).add(count.fluents[0])
            continue
        before = others.get(count.fluents, (0, size))
        others[count.fluents] = max(low, before[0]), min(high, before[1])
    if every & none or any(low > high for low, high in others.values()):
        return None
    joined_counts = [GroundCount(fluents, *bounds) for fluents, bounds in others.items()]
    if every:
        joined_counts.append(GroundCount(tuple(sorted(every)), len(every), len(every)))
    if none:
        joined_counts.append(GroundCount(tuple(sorted(none)), 0, 0))
    return sorted(joined_counts)
