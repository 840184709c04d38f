"""Rules of which every call is one of Python, where the rules are not compiled.

:class:`TorchRules` is the definition in plain torch of what compiled rules do with a block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.kernels.playout import GivenLanes
from neurogame.kernels.step import NEXT
from neurogame.kernels.twin.expand import look_at_states
from neurogame.kernels.twin.torch_playout import TorchPlayouts
from neurogame.kernels.twin.torch_ply import TorchPly
from neurogame.kernels.words.pack import pack, pack_one_hot, unpack
from neurogame.kernels.words.rows import hash_states, pack_rows, unpack_rows
from neurogame.native.entries import callback
from neurogame.native.struct import Struct


class Answers(Protocol):
    """What a Python object does with the arrays of a block; see :mod:`.machine`."""

    def step(self, count: int) -> None:
        """Make the joint moves of the first leaves and look at what follows."""

    def look(self, count: int) -> None:
        """Look at the first leaves' states."""

    def play(self, count: int, seed: int, plies: int) -> None:
        """Play the first leaves' states on at random."""


@final
class PythonRules:
    """Rules that call a Python object; what it raises is kept, and the call has failed.

    Attributes:
        machine: for compiled code.
        error: what a call has raised, or None.
    """

    def __init__(self, answers: Answers, block: Block) -> None:
        """Make the rules.

        Args:
            answers: what is called; after it has raised an error, not until :meth:`check`.
            block: what it works on.
        """
        self.error: BaseException | None = None
        self.machine = StateMachine(
            make_moves=callback(lambda: self._call(lambda: answers.step(self.machine.count))),
            look_at=callback(lambda: self._call(lambda: answers.look(self.machine.count))),
            play_on=callback(
                lambda: self._call(
                    lambda: answers.play(self.machine.count, self.machine.seed, self.machine.plies)
                )
            ),
            block=block,
            rules=Struct(),
            playouts=Struct(),
        )

    def check(self) -> None:
        """Raise what a call has raised, if anything, and forget it."""
        if self.error is not None:
            error, self.error = self.error, None
            self.machine.failed = 0
            raise error

    def _call(self, answer: Callable[[], None]) -> None:
        if self.machine.failed:
            return
        try:
            answer()
        except BaseException as error:
            # Compiled code cannot pass it on.
            self.error = error
            self.machine.failed = 1


@final
class TorchRules:
    """Answers on the arrays of a block; see :class:`Answers`."""

    def __init__(self, circuit: Circuit, playing: Circuit, block: Block, playouts: int) -> None:
        """Plan the evaluation.

        Args:
            circuit: the game.
            playing: the game as playouts play it.
            block: the leaves.
            playouts: of each leaf.
        """
        self._block, self._playouts = block, playouts
        self._player, self._ply = TorchPlayouts(playing), TorchPly(circuit)

    def step(self, count: int) -> None:
        """Make the joint moves of the first leaves and look at what follows."""
        block, ply = self._block, self._ply
        fluents = self._flags(block.parents[block.origin[:count]])
        moves = torch.from_numpy(block.joint[:count].astype(np.int64))
        does = pack_one_hot(moves, ply.move_offsets[-1])
        following = ply.run(pack(fluents), [NEXT], does)[0]
        block.states[:count] = pack_rows(unpack(following, count))
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
        finished = self._player.finish(GivenLanes(words, numbers, seed, steps=plies))
        ends = pack_rows(unpack(finished.words, count * self._playouts))
        goals = 100 * look_at_states(self._ply, ends).goals.astype(np.float64)
        total = goals.round().reshape(count, self._playouts, -1).sum(axis=1)
        self._block.values[:count] = total / (100 * self._playouts)
        if self._block.played.size and finished.made is not None:
            self._block.played[:count] = pack_rows(unpack(finished.made, count))

    def _flags(self, states: UInt64s) -> Tensor:
        """Unpack states; bool ``[N, F]``."""
        return unpack_rows(states, len(self._ply.circuit.fluents))
