"""Blocks of leaves filled with states of random games and joint moves that are legal there."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import torch

from neurogame.array_types import UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.gdl.library import library_names
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.twin.expand import look_at_states
from neurogame.kernels.twin.torch_ply import TorchPly
from neurogame.kernels.words.rows import pack_rows
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states
from tests.conftest import shared


@cache
def game(name: str) -> Game:
    """Return a game of the library, or of the reference material."""
    return Game.load(name if name in library_names() else shared("games", f"{name}.kif"))


@cache
def plain(name: str) -> TorchPly:
    """Return a game's plain-torch evaluation."""
    return TorchPly(game(name).circuit)


@cache
def reachable(name: str, count: int) -> UInt64s:
    """Return packed states of random games in which a move can be made."""
    sampled = sample_states(game(name).simulator(), count, seed=7)
    return pack_rows(sampled.to_bool())


def random_joint(circuit: Circuit, legal: UInt64s, seed: int) -> np.ndarray:
    """Return a random legal joint move per state, as move numbers; int32 ``[N, R]``."""
    generator = np.random.default_rng(seed)
    flags = np.unpackbits(legal.view(np.uint8), axis=1, bitorder="little")
    offsets = np.cumsum([0, *map(len, circuit.moves)])
    joint = np.zeros((len(legal), len(circuit.roles)), np.int32)
    for role, (begin, end) in enumerate(pairwise(offsets)):
        for state, row in enumerate(flags[:, begin:end]):
            joint[state, role] = begin + generator.choice(np.flatnonzero(row))
    return joint


def fill(leaves: Leaves, name: str, count: int, seed: int = 1) -> None:
    """Give a block parents and joint moves, and states of its own for a look."""
    states = reachable(name, count)
    legal = look_at_states(plain(name), states).legal
    leaves.block.parents[:count] = states
    leaves.block.joint[:count] = random_joint(game(name).circuit, legal, seed)


def lanes_of(states: UInt64s, fluents: int) -> np.ndarray:
    """Return packed states as lane words; int64 ``[F, ceil(N / 64)]``."""
    flags = np.unpackbits(states.view(np.uint8), axis=1, count=fluents, bitorder="little")
    padded = np.zeros((fluents, -(-len(states) // 64) * 64), np.uint8)
    padded[:, : len(states)] = flags.T
    return np.packbits(padded, axis=1, bitorder="little").view(np.int64)


def goals_of(name: str, words: torch.Tensor, count: int) -> np.ndarray:
    """Return the goals of lanes; float32 ``[count, R]``."""
    flags = words.numpy()[:, :, None] >> np.arange(64) & 1
    rows = torch.from_numpy(flags.reshape(len(flags), -1)[:, :count].T.copy()).to(torch.bool)
    return look_at_states(plain(name), pack_rows(rows)).goals
