"""All children of many states: what a tree search asks of the rules.

States, and legal moves, are *packed* here: bit ``i % 64`` of word ``i // 64`` of a row says whether
fluent (move) ``i`` holds (is legal). :func:`expand_states` is the plain-torch definition;
:class:`~neurogame.kernels.leaves.expander.Expander` does the same with compiled rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Bools, Float32s, Int64s, UInt64s
from neurogame.graph.lanes import pack_lanes
from neurogame.kernels.step import GOALS, STATUS
from neurogame.kernels.twin.joint_moves import joint_moves
from neurogame.kernels.twin.pack import pack, pack_one_hot, unpack
from neurogame.kernels.twin.random_words import G1, mix, signed
from neurogame.kernels.twin.torch_ply import NEXT_ALONE, TorchPly


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


def look_at_states(ply: TorchPly, states: UInt64s) -> Seen:
    """Return legal moves, ends and goals of packed states.

    Args:
        ply: the game, on the CPU.
        states: uint64 ``[N, ceil(F / 64)]``.
    """
    size = len(states)
    with ply.lock:
        space = ply.space(pack(_flags(states, len(ply.circuit.fluents))))
        status, goals = space.run(STATUS), space.run(GOALS)
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
    parent, joint = joint_moves(_flags(legal, ply.move_offsets[-1]), ply.move_offsets)
    moves = joint + torch.tensor(ply.move_offsets[:-1])
    fluents = _flags(states, len(ply.circuit.fluents))[parent]
    with ply.lock:
        space = ply.space(pack(fluents))
        space.moves.copy_(pack_one_hot(moves, ply.move_offsets[-1]))
        following = unpack(space.run(NEXT_ALONE), len(parent))
    children = pack_rows(following)
    seen = look_at_states(ply, children)
    return Children(parent.numpy(), joint.numpy(), children, hash_states(children), seen)


def pack_rows(flags: Tensor) -> UInt64s:
    """Pack one row of flags per state.

    Args:
        flags: bool ``[N, S]``.

    Returns:
        uint64 ``[N, ceil(S / 64)]``; the bits beyond ``S`` are zero.
    """
    return pack_lanes(flags.numpy())


def hash_states(states: UInt64s) -> UInt64s:
    """Return a hash of each packed state; uint64 ``[N]``.

    Every word is added to the hash of those before it and scrambled.
    """
    words = torch.from_numpy(states.view(np.int64))
    total = torch.zeros(len(states), dtype=torch.int64)
    for place in range(words.shape[1]):
        total = mix(total + words[:, place] + signed((place + 1) * G1))
    return total.numpy().view(np.uint64)


def _flags(packed: UInt64s, signals: int) -> Tensor:
    """Unpack rows; bool ``[N, signals]``."""
    octets = np.ascontiguousarray(packed).astype("<u8", copy=False).view(np.uint8)
    bits = np.unpackbits(octets.reshape(len(packed), -1), axis=1, bitorder="little")
    return torch.from_numpy(np.ascontiguousarray(bits[:, :signals])).to(torch.bool)
