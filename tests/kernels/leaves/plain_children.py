"""All children of many states in plain torch: what defines the expander."""

from __future__ import annotations

import torch

from neurogame.array_types import UInt64s
from neurogame.kernels.children import Children
from neurogame.kernels.joint_moves import joint_moves
from neurogame.kernels.step import NEXT
from neurogame.kernels.twin.expand import look_at_states
from neurogame.kernels.twin.torch_ply import TorchPly
from neurogame.kernels.words.pack import pack, pack_one_hot, unpack
from neurogame.kernels.words.rows import hash_states, pack_rows, unpack_rows


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
    return Children(parent.numpy(), joint.numpy(), children, hash_states(children), seen)
