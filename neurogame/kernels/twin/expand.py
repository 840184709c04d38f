"""All children of many states: what a tree search asks of the rules.

States, and legal moves, are packed as :mod:`~neurogame.kernels.words.rows` says. This is the
definition in plain torch; :class:`~neurogame.kernels.leaves.expander.Expander` does the same with
compiled rules.
"""

from __future__ import annotations

import torch

from neurogame.array_types import UInt64s
from neurogame.kernels.children import Children, Seen
from neurogame.kernels.joint_moves import joint_moves
from neurogame.kernels.step import GOALS, NEXT, STATUS
from neurogame.kernels.twin.torch_ply import TorchPly
from neurogame.kernels.words.pack import pack, pack_one_hot, unpack
from neurogame.kernels.words.rows import hash_states, pack_rows, unpack_rows


def look_at_states(ply: TorchPly, states: UInt64s) -> Seen:
    """Return legal moves, ends and goals of packed states.

    Args:
        ply: the game, on the CPU.
        states: uint64 ``[N, ceil(F / 64)]``.
    """
    size = len(states)
    words = pack(unpack_rows(states, len(ply.circuit.fluents)))
    status, goals = ply.run(words, [STATUS, GOALS])
    terminal = unpack(status[-1:], size)[:, 0]
    legal = unpack(status[:-1], size) & ~terminal[:, None]
    values = torch.zeros((size, len(ply.circuit.roles)))
    held, begin = unpack(goals, size), 0
    for role, pairs in enumerate(ply.circuit.goals):
        for place, (value, _) in reversed(list(enumerate(pairs, begin))):
            values[held[:, place], role] = value / 100
        begin += len(pairs)
    return Seen(pack_rows(legal), terminal.numpy(), values.numpy())


def expand_states(ply: TorchPly, states: UInt64s, legal: UInt64s | None = None) -> Children:
    """Return all children of packed states; a state in which some role has no move has none.

    Args:
        ply: the game, on the CPU.
        states: uint64 ``[N, ceil(F / 64)]``.
        legal: their legal moves as :class:`Seen` gives them; None: to be found.

    Raises:
        LimitError: there are more joint moves than fit into memory.
    """
    if legal is None:
        legal = look_at_states(ply, states).legal
    parent, joint = joint_moves(unpack_rows(legal, ply.move_offsets[-1]), ply.move_offsets)
    moves = joint + torch.tensor(ply.move_offsets[:-1])
    fluents = unpack_rows(states, len(ply.circuit.fluents))[parent]
    does = pack_one_hot(moves, ply.move_offsets[-1])
    children = pack_rows(unpack(ply.run(pack(fluents), [NEXT], does)[0], len(parent)))
    seen = look_at_states(ply, children)
    return Children(parent.numpy(), joint.numpy(), children, hash_states(children), seen)
