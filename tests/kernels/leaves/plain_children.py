"""All children of many states: in plain torch, which defines them, and made by compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch

from neurogame.array_types import Bools, Float32s, Int64s, UInt64s
from neurogame.kernels.joint_moves import joint_moves
from neurogame.kernels.leaves.expander import ChildBlocks, Expander, fill_children
from neurogame.kernels.step import NEXT
from neurogame.kernels.twin.expand import look_at_states
from neurogame.kernels.twin.torch_ply import TorchPly
from neurogame.kernels.words.pack import pack, pack_one_hot, unpack
from neurogame.kernels.words.rows import pack_rows, unpack_rows
from neurogame.native.entries import entry


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
        terminal: bool ``[K]``.
        goals: goal / 100 of each role; float32 ``[K, R]``.
    """

    parent: Int64s
    joint: Int64s
    states: UInt64s
    terminal: Bools
    goals: Float32s


def expand_states(ply: TorchPly, states: UInt64s) -> Children:
    """Return all children of packed states; a state in which some role has no move has none.

    Args:
        ply: the game, on the CPU.
        states: uint64 ``[N, ceil(F / 64)]``.

    Raises:
        LimitError: there are more joint moves than fit into memory.
    """
    legal = look_at_states(ply, states).legal
    parent, joint = joint_moves(unpack_rows(legal, ply.move_offsets[-1]), ply.move_offsets)
    moves = joint + torch.tensor(ply.move_offsets[:-1])
    fluents = unpack_rows(states, len(ply.circuit.fluents))[parent]
    does = pack_one_hot(moves, ply.move_offsets[-1])
    children = pack_rows(unpack(ply.run(pack(fluents), [NEXT], does)[0], len(parent)))
    seen = look_at_states(ply, children)
    return Children(parent.numpy(), joint.numpy(), children, seen.terminal, seen.goals)


def make_children(expander: Expander, states: UInt64s) -> Children:
    """Return the same, made block by block by compiled code.

    Args:
        expander: of the game.
        states: uint64 ``[N, ceil(F / 64)]``.
    """
    blocks, block = expander.expansion, expander.expansion.machine.block
    blocks.states, blocks.legal = states, expander.look(states).legal
    blocks.given, blocks.state, blocks.left = len(states), -1, 0
    parts: list[list[Any]] = []
    while not parts or blocks.count > 0:
        entry(_next_children)(blocks)
        arrays = (blocks.parent, blocks.joint, block.states, block.terminal, block.goals)
        parts.append([array[: blocks.count].copy() for array in arrays])
    return Children(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _next_children(blocks: ChildBlocks) -> None:
    fill_children(blocks)
