"""Making three-input gates one by one: equal ones are shared, constants disappear.

Literals are ``2 * row + complement``. Every gate is kept in a normal form: its input rows ascend,
the complements of its inputs are absorbed by its truth table, and it is false where its inputs are
all false; so equal gates are found, and a gate and its complement are one.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias, final

import numpy as np

from neurogame.kernels.netlist.netlist import (
    AND_AND,
    MAJORITY,
    SELECT,
    XOR,
    Netlist,
    depends,
    gathered,
)

Literal: TypeAlias = int

FALSE = 0
TRUE = 1


@final
class Builder:
    """A growing netlist."""

    def __init__(self, input_count: int) -> None:
        """Start with input rows only.

        Args:
            input_count: number of input rows, the constant included.
        """
        self.input_count = input_count
        self._gates: list[tuple[int, int, int, int]] = []
        self._known: dict[tuple[int, int, int, int], int] = {}

    @property
    def row_count(self) -> int:
        """Number of rows so far."""
        return self.input_count + len(self._gates)

    def netlist(self) -> Netlist:
        """Return all gates made so far."""
        gates = np.array(self._gates, np.int64).reshape(-1, 4)
        return Netlist(
            self.input_count, gates[:, 0].astype(np.uint8), gates[:, 1:].astype(np.int32)
        )

    def table(self, table: int, a: Literal, b: Literal, c: Literal) -> Literal:
        """Return a literal for the truth table applied to three literals."""
        rows = (a >> 1, b >> 1, c >> 1)
        pattern = (a & 1) << 2 | (b & 1) << 1 | (c & 1)
        equal = (rows[0] == rows[1]) | (rows[1] == rows[2]) << 1 | (rows[0] == rows[2]) << 2
        zero = (rows[0] == 0) << 2 | (rows[1] == 0) << 1 | (rows[2] == 0)
        table, support = _simplified(table, pattern, equal, zero)
        if len(support) == 0:
            return table & 1
        complement = table & 1
        if complement:
            table ^= 0xFF
        if len(support) == 1:
            return 2 * rows[support[0]] | complement
        ordered = sorted((rows[place], place) for place in support)
        table = _permuted(table, tuple(place for _, place in ordered))
        last = [0, *(row for row, _ in ordered)]
        key = (table, last[-3], last[-2], last[-1])
        row = self._known.get(key)
        if row is None:
            row = self.row_count
            self._known[key] = row
            self._gates.append(key)
        return 2 * row | complement

    def conjunction(self, *literals: Literal) -> Literal:
        """Return the AND of literals, as a balanced tree."""
        level = list(literals)
        while len(level) > 1:
            level = [
                self.table(AND_AND, *part, *(TRUE,) * (3 - len(part)))
                for part in (level[begin : begin + 3] for begin in range(0, len(level), 3))
            ]
        return level[0] if level else TRUE

    def disjunction(self, *literals: Literal) -> Literal:
        """Return the OR of literals."""
        return self.conjunction(*(literal ^ 1 for literal in literals)) ^ 1

    def mux(self, condition: Literal, then: Literal, otherwise: Literal) -> Literal:
        """Return one of two literals, by a condition."""
        return self.table(SELECT, condition, then, otherwise)

    def add(self, a: Literal, b: Literal, c: Literal) -> tuple[Literal, Literal]:
        """Return sum and carry of three bits."""
        return self.table(XOR, a, b, c), self.table(MAJORITY, a, b, c)

    def subtract(self, a: Literal, b: Literal, borrow: Literal) -> tuple[Literal, Literal]:
        """Return difference and borrow of ``a - b - borrow``."""
        return self.table(XOR, a, b, borrow), self.table(MAJORITY, a ^ 1, b, borrow)


@cache
def _simplified(table: int, pattern: int, equal: int, zero: int) -> tuple[int, tuple[int, ...]]:
    """Return the truth table without complements, repetitions and constants, and its support.

    Args:
        table: truth table over three literals.
        pattern: which of them are complemented, as a minterm.
        equal: which are of the same row: bit 0 a and b, bit 1 b and c, bit 2 a and c.
        zero: which are constant, as a minterm.
    """
    sources = []
    for minterm in range(8):
        value = [minterm >> 2 & 1, minterm >> 1 & 1, minterm & 1]
        for place in range(3):
            if zero >> (2 - place) & 1:
                value[place] = 0
        if equal & 1:
            value[1] = value[0]
        if equal & 4:
            value[2] = value[0]
        elif equal & 2:
            value[2] = value[1]
        sources.append((value[0] << 2 | value[1] << 1 | value[2]) ^ pattern)
    result = gathered(table, sources)
    return result, tuple(place for place in range(3) if depends(result, place))


@cache
def _permuted(table: int, places: tuple[int, ...]) -> int:
    """Return the table whose last inputs are the given ones of the old, the first unused."""
    shift = len(places) - 1
    return gathered(
        table,
        [
            sum((m >> (shift - n) & 1) << (2 - place) for n, place in enumerate(places))
            for m in range(8)
        ],
    )
