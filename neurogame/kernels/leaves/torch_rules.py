"""What compiled searches ask of the rules, answered by plain torch: the definition.

It serves where the rules are not compiled.
"""

from __future__ import annotations

from typing import final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.twin.expand import hash_states, look_at_states, pack_rows
from neurogame.kernels.twin.pack import pack, pack_one_hot, unpack
from neurogame.kernels.twin.torch_playout import TorchPlayouts
from neurogame.kernels.twin.torch_ply import NEXT_ALONE, TorchPly

PackedArray = npt.NDArray[np.uint64]


@final
class TorchRules:
    """Answers on the arrays of a block; see :class:`~neurogame.kernels.leaves.callback.Answers`."""

    def __init__(self, circuit: Circuit, block: Block, playouts: int) -> None:
        """Plan the evaluation.

        Args:
            circuit: the game.
            block: the leaves.
            playouts: of each leaf.
        """
        self._block, self._playouts = block, playouts
        self._ply = TorchPly(circuit)
        self._player = TorchPlayouts(circuit, ply=self._ply)

    def step(self, count: int) -> None:
        """Make the joint moves of the first leaves and look at what follows."""
        block, ply = self._block, self._ply
        fluents = self._flags(block.parents[:count])
        moves = torch.from_numpy(block.joint[:count].astype(np.int64))
        with ply.lock:
            space = ply.space(pack(fluents))
            space.moves.copy_(pack_one_hot(moves, ply.move_offsets[-1]))
            following = unpack(space.run(NEXT_ALONE), count)
        block.states[:count] = pack_rows(following)
        self.look(count)

    def look(self, count: int) -> None:
        """Look at the first leaves' states."""
        block = self._block
        states = block.states[:count]
        seen = look_at_states(self._ply, states)
        block.legal[:count] = seen.legal
        block.terminal[:count] = seen.terminal
        block.goals[:count] = seen.goals
        block.hashes[:count] = hash_states(states)
        words = pack(self._flags(states)).numpy()
        block.lanes[:, : words.shape[1]] = words

    def play(self, count: int, seed: int, plies: int) -> None:
        """Play the first leaves' states on at random."""
        flags = self._flags(self._block.states[:count])
        words = pack(flags.repeat_interleave(self._playouts, dim=0))
        numbers = torch.arange(words.shape[1])
        found = self._player.finish(words, numbers, seed, steps=plies)
        ends = pack_rows(unpack(found.words, count * self._playouts))
        goals = 100 * look_at_states(self._ply, ends).goals.astype(np.float64)
        total = goals.round().reshape(count, self._playouts, -1).sum(axis=1)
        self._block.values[:count] = total / (100 * self._playouts)

    def _flags(self, states: PackedArray) -> Tensor:
        """Unpack states; bool ``[N, F]``."""
        octets = np.ascontiguousarray(states).astype("<u8", copy=False).view(np.uint8)
        count = len(self._ply.circuit.fluents)
        bits = np.unpackbits(octets.reshape(len(states), -1), 1, count, bitorder="little")
        return torch.from_numpy(bits).to(torch.bool)
