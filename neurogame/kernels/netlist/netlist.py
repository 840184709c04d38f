"""Three-input gates: the one form of a circuit that all compiled kernels execute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar, final

import numpy as np

from neurogame.array_types import Int32s, Int64s, UInt8s, UInt64s

Table = TypeVar("Table", int, Int64s)

# Truth tables by what they say of `a`, `b` and `c`; see `Netlist.table`.
AND_NOT = 0x30
"""``a & ~b``."""
AND_NOR = 0x10
"""``a & ~b & ~c``."""
AND_AND = 0x80
"""``a & b & c``."""
AND_AND_NOT = 0x40
"""``a & b & ~c``."""
AND_OR = 0xE0
"""``a & (b | c)``."""
AND_SAME = 0x90
"""``a & ~(b ^ c)``."""
OR_AND = 0xF8
"""``a | (b & c)``."""
OR_AND_NOT = 0xF4
"""``a | (b & ~c)``."""
XOR = 0x96
"""``a ^ b ^ c``: a sum, or a difference."""
XOR_AND = 0x78
"""``a ^ (b & c)``."""
MAJORITY = 0xE8
"""Two of three: the carry of a sum."""
BORROW = 0x8E
"""Whether ``a - b - c`` is below 0: ``c`` where ``a`` and ``b`` are the same, else ``b``."""
SELECT = 0xCA
"""``b`` where ``a``, else ``c``."""


@final
@dataclass(frozen=True, eq=False)
class Netlist:
    """Gates of up to three inputs in topological order; ``G`` gates over ``I`` input rows.

    A *row* is a signal that a gate may read: row 0 is the constant false, rows ``1..I-1`` are the
    inputs, row ``I + g`` is gate ``g``.

    Attributes:
        input_count: ``I``, the constant included.
        table: truth table of each gate: its value for inputs ``a, b, c`` is bit
            ``4 a + 2 b + c`` (the immediate byte of AVX-512's ``vpternlog``); uint8 ``[G]``.
        inputs: rows of ``a``, ``b`` and ``c``, each smaller than the gate's own row. An input
            that the table does not depend on is row 0; int32 ``[G, 3]``.
    """

    input_count: int
    table: UInt8s
    inputs: Int32s

    @property
    def gate_count(self) -> int:
        """Number of gates, ``G``."""
        return len(self.table)

    @property
    def row_count(self) -> int:
        """Number of rows, ``I + G``."""
        return self.input_count + len(self.table)

    def run(self, rows: UInt64s, begin: int = 0, end: int | None = None) -> None:
        """Compute some gates in place, one after another: the slow twin of every kernel.

        Args:
            rows: uint64 ``[I + G, W]``; the inputs of the gates are there already.
            begin: first gate.
            end: one past the last gate; None: all.
        """
        for gate in range(begin, self.gate_count if end is None else end):
            a, b, c = (rows[row] for row in self.inputs[gate])
            rows[self.input_count + gate] = lookup(int(self.table[gate]), a, b, c)


def lookup(table: int, a: UInt64s, b: UInt64s, c: UInt64s) -> UInt64s:
    """Return the bitwise value of a truth table of three inputs, as the OR of its minterms.

    Args:
        table: bit ``4 a + 2 b + c`` is the value; 0 to 255.
        a: first input; uint64, any shape.
        b: second input; likewise.
        c: third input; likewise.
    """
    value = np.zeros_like(a)
    for minterm in range(8):
        if table >> minterm & 1:
            term = a if minterm & 4 else ~a
            term = term & (b if minterm & 2 else ~b)
            value |= term & (c if minterm & 1 else ~c)
    return value


def gathered(table: Table, sources: Sequence[int]) -> Table:
    """Return a truth table made of the values of another one.

    Args:
        table: of three inputs, or an array of such.
        sources: minterm of the other table for each of the eight.

    >>> bin(gathered(0b10001000, [0, 4, 2, 6, 1, 5, 3, 7]))  # `b & c`: `a` and `c` change places
    '0b11000000'
    """
    result = table & 0
    for minterm, source in enumerate(sources):
        result = result | (table >> source & 1) << minterm
    return result


def depends(table: int, place: int) -> bool:
    """Return whether a truth table depends on its input 0 (``a``), 1 or 2."""
    stride = 4 >> place
    return (table >> stride ^ table) & (0x0F, 0x33, 0x55)[place] != 0
