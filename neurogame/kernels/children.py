"""What there is to know about states, and all children of some states, in arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.array_types import Bools, Float32s, Int64s, UInt64s


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


@final
@dataclass(frozen=True, eq=False)
class Children:
    """All children of some states, parent by parent, lexicographic in the roles' moves.

    ``F`` fluents, ``R`` roles.

    Attributes:
        parent: index of each child's parent, ascending; int64 ``[K]``.
        joint: the joint move that leads to it, each an index within the role's own moves; int64
            ``[K, R]``.
        states: packed states; uint64 ``[K, ceil(F / 64)]``.
        hashes: of the states; uint64 ``[K]``.
        seen: what there is to know about the children.
    """

    parent: Int64s
    joint: Int64s
    states: UInt64s
    hashes: UInt64s
    seen: Seen
