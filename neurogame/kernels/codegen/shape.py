"""How many lanes one piece of compiled code works on at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.kernels.codegen.host import host

TABLE_WIDTH = 4
"""Most vectors per cell of tables: enough to hide the delay from a store to the load that
follows it."""

_NARROW = 4
"""Words of a vector for few lanes: half a vector of AVX-512 takes half the time."""


@final
@dataclass(frozen=True)
class Shape:
    """A block of lanes.

    Attributes:
        words: 64-bit words of a vector.
        width: vectors per cell of tables; straight-line code has one.
        ternary: whether gates become the three-input instruction of AVX-512.
    """

    words: int
    width: int
    ternary: bool


def widest() -> Shape:
    """Return the shape for as many lanes as there may be."""
    return Shape(host().words, TABLE_WIDTH, host().ternary)


def shape_for(lanes: int) -> Shape:
    """Return the shape that is fastest for a number of lanes.

    Args:
        lanes: most lanes at once, at least 1.
    """
    machine = host()
    words = machine.words if lanes > 64 * _NARROW else min(_NARROW, machine.words)
    vectors = -(-lanes // (64 * words))
    return Shape(words, min(1 << (vectors - 1).bit_length(), TABLE_WIDTH), machine.ternary)
