"""What is to be seen of many states: what a tree search asks of the rules.

States, and legal moves, are packed as :mod:`~neurogame.kernels.words.rows` says. This is the
definition in plain torch; :class:`~neurogame.kernels.leaves.expander.Expander` does the same with
compiled rules.
"""

from __future__ import annotations

import torch

from neurogame.array_types import UInt64s
from neurogame.kernels.seen import Seen
from neurogame.kernels.step import GOALS, STATUS
from neurogame.kernels.twin.torch_ply import TorchPly
from neurogame.kernels.words.pack import pack, unpack
from neurogame.kernels.words.rows import pack_rows, unpack_rows


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
