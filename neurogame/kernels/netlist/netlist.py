"""Three-input gates: the one form of a circuit that all compiled kernels execute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar, final

from neurogame.array_types import Int32s, Int64s, UInt8s

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
