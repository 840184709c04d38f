"""A block of leaves: what a tree search hands to the rules, and what it gets back."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import (
    Bools1,
    Float32s2,
    Int32s1,
    Int32s2,
    Int32s3,
    Int64s1,
    Int64s2,
    UInt64s1,
    UInt64s2,
)
from neurogame.kernels.codegen.call import aligned
from neurogame.native.struct import Struct


class Block(Struct):
    """Memory for ``N`` leaves; functions that take a count use the first ones.

    ``Fw`` and ``Mw`` words of a packed state and of packed legal moves, ``W`` lane words
    (``64 W >= N``), ``R`` roles, ``P`` plies of a playout, ``D`` plies of a path in the tree. A
    *move number* counts the moves of all roles, in role order.

    Attributes:
        parents: given: packed states; uint64 ``[N, Fw]``.
        origin: given: which of them each leaf follows; int64 ``[N]``, 0, 1, 2, ... unless
            somebody says otherwise.
        joint: given: the joint move made in each, as move numbers; int32 ``[N, R]``.
        path: given: the joint moves made in the tree, root first, as move numbers, -1 for a role
            that had no choice; int32 ``[N, D, R]``.
        depth: given: number of joint moves in ``path``; int32 ``[N]``.
        states: the states that follow, packed; uint64 ``[N, Fw]``.
        hashes: of those states; uint64 ``[N]``.
        legal: their legal moves, packed, none in terminal states; uint64 ``[N, Mw]``.
        terminal: bool ``[N]``.
        goals: goal / 100 of each role in each state, whether terminal or not; float32 ``[N, R]``.
        values: what a playout or an evaluator makes of each state; float32 ``[N, R]``, 0..1.
        made: the joint moves made in playouts, as ``path``; int32 ``[N, P, R]``. ``P`` is 0
            where playouts are not recorded.
        plies: number of joint moves in ``made``; int32 ``[N]``.
        lanes: the states as lane words, leaf ``l`` being bit ``l % 64`` of word ``l // 64``;
            int64 ``[F, W]``.
        played: the moves made in uniform playouts, packed, a forced one included; uint64 ``[N,
            Mw]``, ``[N, 0]`` where they are not wanted.
    """

    parents: UInt64s2
    origin: Int64s1
    joint: Int32s2
    path: Int32s3
    depth: Int32s1
    states: UInt64s2
    hashes: UInt64s1
    legal: UInt64s2
    terminal: Bools1
    goals: Float32s2
    values: Float32s2
    made: Int32s3
    plies: Int32s1
    lanes: Int64s2
    played: UInt64s2


def make_block(
    *,
    leaves: int,
    fluents: int,
    moves: int,
    roles: int,
    lane_words: int,
    depth: int,
    plies: int,
    played: bool = False,
) -> Block:
    """Reserve a block.

    Args:
        leaves: ``N``, at least 1.
        fluents: of the game.
        moves: of all roles.
        roles: of the game.
        lane_words: ``W``.
        depth: ``D``, at least 1.
        plies: ``P``, 0 where playouts are not recorded.
        played: whether the moves of uniform playouts are wanted.
    """
    state_words, move_words = -(-fluents // 64), -(-moves // 64)
    return Block(
        parents=np.zeros((leaves, state_words), np.uint64),
        origin=np.arange(leaves),
        joint=np.zeros((leaves, roles), np.int32),
        path=np.zeros((leaves, depth, roles), np.int32),
        depth=np.zeros(leaves, np.int32),
        states=np.zeros((leaves, state_words), np.uint64),
        hashes=np.zeros(leaves, np.uint64),
        legal=np.zeros((leaves, move_words), np.uint64),
        terminal=np.zeros(leaves, np.bool_),
        goals=np.zeros((leaves, roles), np.float32),
        values=np.zeros((leaves, roles), np.float32),
        made=np.zeros((leaves, plies, roles), np.int32),
        plies=np.zeros(leaves, np.int32),
        lanes=aligned(fluents * lane_words).reshape(fluents, lane_words),
        played=np.zeros((leaves, move_words if played else 0), np.uint64),
    )
