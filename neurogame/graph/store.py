"""Making gates in bulk: simplified, and equal ones made once, on whole arrays at a time."""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.graph.graph import AND, FALSE, TRUE, Graph
from neurogame.graph.groups import gather_groups, group_starts, sorted_in_groups
from neurogame.ground.rows import RowSet

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@final
class GateStore:
    """A graph that grows: its gates are simplified and shared as they are made.

    A gate is known by its kind and its sorted input literals; making the same gate twice gives
    the same node. All work is done on arrays of many gates.

    Attributes:
        input_count: number of inputs, the constant included: the number of the first gate's node.
        count: number of gates so far.
    """

    def __init__(self, input_count: int) -> None:
        """Make an empty store.

        Args:
            input_count: number of inputs, the constant included.
        """
        self.input_count = input_count
        self.count = 0
        self._kinds: list[Int64s] = []
        self._sizes: list[Int64s] = []
        self._inputs: list[Int64s] = []
        self._levels: Int64s = np.zeros(1024, np.int64)
        self._atoms: Int64s = np.full(1024, -1, np.int64)
        self._rules: Int64s = np.full(1024, -1, np.int64)
        self._known = RowSet(2, kind=np.int64)

    def make(self, kind: int, inputs: Int64s, start: Int64s, rules: Int64s | None = None) -> Int64s:
        """Return the literals of many conjunctions or disjunctions.

        Args:
            kind: ``AND`` or ``OR``.
            inputs: input literals, concatenated; int64.
            start: group ``n`` has ``inputs[start[n]:start[n + 1]]``; int64 ``[n + 1]``.
            rules: the rule that each group comes from, remembered for gates that are new;
                int64 ``[n]``.

        Returns:
            A literal per group: a constant, one of the inputs, or a gate; int64 ``[n]``.
        """
        neutral, absorbing = (TRUE, FALSE) if kind == AND else (FALSE, TRUE)
        groups = len(start) - 1
        group = np.repeat(np.arange(groups), np.diff(start))
        dead = np.zeros(groups, np.bool_)
        dead[group[inputs == absorbing]] = True
        keep = (inputs != neutral) & ~dead[group]
        group, inputs = group[keep], inputs[keep]
        inputs = sorted_in_groups(group, inputs)
        same_group = group[1:] == group[:-1]
        opposite = same_group & (inputs[1:] >> 1 == inputs[:-1] >> 1) & (inputs[1:] != inputs[:-1])
        dead[group[1:][opposite]] = True
        keep = ~dead[group]
        keep[1:] &= ~(same_group & (inputs[1:] == inputs[:-1]))
        group, inputs = group[keep], inputs[keep]
        sizes = np.bincount(group, minlength=groups)
        first = group_starts(sizes)
        result = np.full(groups, neutral, np.int64)
        result[dead] = absorbing
        single = sizes == 1
        result[single] = inputs[first[:-1][single]]
        wide = np.flatnonzero(sizes > 1)
        if len(wide):
            member = (sizes > 1)[group]
            wide_rules = np.full(len(wide), -1, np.int64) if rules is None else rules[wide]
            result[wide] = self._share(kind, inputs[member], sizes[wide], wide_rules)
        return result

    def rows(self, kind: int, literals: Int64s) -> Int64s:
        """Return the conjunction or disjunction of each row of literals.

        Args:
            kind: ``AND`` or ``OR``.
            literals: int64 ``[..., k]``.

        Returns:
            Int64 ``[...]``.
        """
        *shape, width = literals.shape
        starts = width * np.arange(int(np.prod(shape)) + 1)
        return self.make(kind, literals.reshape(-1), starts).reshape(shape)

    def pairs(self, kind: int, left: Int64s, right: Int64s | int) -> Int64s:
        """Return the conjunction or disjunction of each two literals, broadcast; int64 ``[n]``."""
        return self.rows(kind, np.stack(np.broadcast_arrays(left, right), axis=-1))

    def level_of(self, literals: Int64s) -> Int64s:
        """Return the level of each literal's node, 0 for inputs and constants; int64, as shaped."""
        gates = (literals >> 1) - self.input_count
        return np.where(gates >= 0, self._levels[np.maximum(gates, 0)], 0)

    def name(self, literals: Int64s, atoms: Int64s, overwrite: np.ndarray) -> None:
        """Remember which atom each gate stands for, unless it already has a name.

        Args:
            literals: literals; those that are no uncomplemented gate are passed over.
            atoms: the atom of each literal.
            overwrite: whether the atom replaces an earlier name.
        """
        gates = (literals >> 1) - self.input_count
        good = (gates >= 0) & (literals & 1 == 0)
        good &= overwrite | (self._atoms[np.maximum(gates, 0)] < 0)
        self._atoms[gates[good]] = atoms[good]

    def atoms_of(self, literals: Int64s) -> Int64s:
        """Return the atom that each literal's gate stands for, or -1; int64, as shaped."""
        gates = (literals >> 1) - self.input_count
        return np.where(gates >= 0, self._atoms[np.maximum(gates, 0)], -1)

    def graph(self, outputs: Int64s) -> Graph:
        """Return all gates in the order in which they were made.

        Args:
            outputs: of the graph; literals, int64 ``[N]``.
        """
        empty = np.zeros(0, np.int64)
        return Graph(
            input_count=self.input_count,
            kind=np.concatenate([empty, *self._kinds]).astype(np.uint8),
            start=group_starts(np.concatenate([empty, *self._sizes])),
            inputs=np.concatenate([empty, *self._inputs]),
            level=self._levels[: self.count],
            outputs=np.asarray(outputs, np.int64),
            atom=self._atoms[: self.count],
            rule=self._rules[: self.count],
        )

    def _share(self, kind: int, inputs: Int64s, sizes: Int64s, rules: Int64s) -> Int64s:
        """Return the gates of sorted, simplified groups; equal groups share one."""
        start = group_starts(sizes)
        low = self._digest(inputs, start, kind, 1)
        high = self._digest(inputs, start, kind, 2)
        gates = self._known.add(np.stack([low, high], axis=1))
        fresh = np.zeros(self._known.count - self.count, np.int64)
        if len(fresh):
            new = np.flatnonzero(gates >= self.count)[::-1]
            fresh[gates[new] - self.count] = new
            self._append(kind, inputs, start, fresh)
            self._rules[self.count - len(fresh) : self.count] = rules[fresh]
        return 2 * (self.input_count + gates)

    @staticmethod
    def _digest(inputs: Int64s, start: Int64s, kind: int, salt: int) -> Int64s:
        """Hash each group to 64 bits; two salts together make an accidental clash negligible."""
        scrambled = (inputs.astype(np.uint64) + np.uint64(salt * 0x632BE5AB)) * _MULTIPLIER
        scrambled ^= scrambled >> np.uint64(32)
        scrambled *= np.uint64(0xD6E8FEB86659FD93)
        scrambled ^= scrambled >> np.uint64(29)
        total = np.add.reduceat(scrambled, start[:-1])
        total ^= (np.diff(start).astype(np.uint64) * np.uint64(2) + np.uint64(kind)) * _MULTIPLIER
        return total.view(np.int64)

    def _append(self, kind: int, inputs: Int64s, start: Int64s, fresh: Int64s) -> None:
        sizes = start[fresh + 1] - start[fresh]
        read = gather_groups(start, inputs, fresh)
        total = self.count + len(fresh)
        if total > len(self._levels):
            size = max(total, 2 * len(self._levels))
            self._levels = _grown(self._levels, size, 0)
            self._atoms = _grown(self._atoms, size, -1)
            self._rules = _grown(self._rules, size, -1)
        levels = self.level_of(read)
        first = np.cumsum(sizes) - sizes
        self._levels[self.count : total] = 1 + np.maximum.reduceat(levels, first)
        self._kinds.append(np.full(len(fresh), kind, np.int64))
        self._sizes.append(sizes)
        self._inputs.append(read)
        self.count = total


def _grown(array: Int64s, size: int, fill: int) -> Int64s:
    grown = np.full(size, fill, np.int64)
    grown[: len(array)] = array
    return grown
