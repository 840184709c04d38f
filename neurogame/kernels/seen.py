"""What there is to know about states, in arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.array_types import Bools, Float32s, UInt64s


@final
@dataclass(frozen=True, eq=False)
class Seen:
    """What there is to know about states.

    ``M`` moves of all roles, concatenated in role order; ``R`` roles.

    Attributes:
        legal: packed legal moves, none in a terminal state; uint64 ``[K, ceil(M / 64)]``.
        terminal: bool ``[K]``.
        goals: per role goal / 100, the highest of several, 0 for none; float32 ``[K, R]``.
    """

    legal: UInt64s
    terminal: Bools
    goals: Float32s
