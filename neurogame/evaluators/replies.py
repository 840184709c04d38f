"""What other roles do where they choose at the same time: replies drawn from the state itself."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor

from neurogame.kernels.words.random_words import mix, signed
from neurogame.kernels.words.rows import hash_states, pack_rows
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch
from neurogame.splitmix import G1, G2


def drawn_replies(
    simulator: Simulator, states: Tensor, role: int, replies: int
) -> tuple[Tensor, ...]:
    """Return joint moves: of every role but one its only move, or one drawn at random.

    What is drawn is a function of the state alone, so that a judge of moves is one, too.

    Args:
        simulator: of the game.
        states: in which every role has a move; bool ``[B, F]``.
        role: whose move is left open; it is 0.
        replies: how often to draw, at least 1; once where no other role has a choice in any state.

    Returns:
        Each int64 ``[B, R]``, indices within the role's own moves.
    """
    legal = simulator.status(StateBatch.from_bool(states))[0]
    parts = [legal[:, begin:end] for begin, end in pairwise(simulator.move_offsets)]
    counts = torch.stack([part.sum(dim=1) for part in parts], dim=1)
    open_ = counts > 1
    open_[:, role] = False
    keys = torch.from_numpy(hash_states(pack_rows(states)).view("int64"))
    joints = []
    for number in range(replies if bool(open_.any()) else 1):
        joint = torch.zeros(counts.shape, dtype=torch.int64)
        for other, part in enumerate(parts):
            if other == role:
                continue
            added = signed((number + 1) * G1 + (other + 1) * G2)
            high = (mix(keys + added) >> 32) & 0xFFFFFFFF
            drawn = torch.where(open_[:, other], high * counts[:, other] >> 32, 0)
            # The first move before which as many legal ones stand, counted with itself.
            joint[:, other] = (part.cumsum(dim=1) == drawn[:, None] + 1).int().argmax(dim=1)
        joints.append(joint)
    return tuple(joints)
