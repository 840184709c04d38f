"""The parts of a ply of one game, evaluated in bit-slices by plain torch on any device."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.step import STATUS
from neurogame.kernels.twin.and_graph import with_pairs
from neurogame.kernels.twin.bitslice import BitSliceKernel, rounded_width
from neurogame.kernels.twin.plan import make_stages

NEXT_ALONE = 3
"""One stage more than the groups of outputs: the next state from the inputs alone. ``GOALS`` and
``NEXT`` run after ``STATUS``."""


@final
class TorchPly:
    """Legal moves, ends, goals and next states of a game, as the circuit says.

    Attributes:
        circuit: the compiled rules.
        device: where all tensors live.
        move_offsets: start of each role's moves in the concatenation, and the total.
        stages: the plans of ``STATUS``, ``GOALS``, ``NEXT`` and ``NEXT_ALONE``.
        kernel: evaluates the stages.
        lock: to be held from loading a space to its last run: one workspace serves all calls, so
            calls from several threads take turns.
        initial: the initial state in all lanes of a word, 0 or -1; int64 ``[F, 1]``.
    """

    def __init__(self, circuit: Circuit, device: str | torch.device = "cpu") -> None:
        """Plan the evaluation of a circuit."""
        self.circuit = circuit
        self.device = torch.device(device)
        self.move_offsets = circuit.move_offsets.tolist()
        pairs = with_pairs(circuit)
        outputs = [np.append(pairs.legal, pairs.terminal), pairs.goal_literals]
        self.stages = make_stages(
            pairs.graph, [*outputs, pairs.next, pairs.next], [None, STATUS, STATUS, None]
        )
        self.kernel = BitSliceKernel(self.stages, self.device)
        self.lock = threading.RLock()
        self.initial = -torch.from_numpy(circuit.initial.copy()).to(self.device, torch.int64)[
            :, None
        ]

    def blocks(self, words: int) -> Iterator[tuple[int, int]]:
        """Cut words into blocks of the size that is fastest; one block at least."""
        block = self.kernel.block_words
        for begin in range(0, max(words, 1), block):
            yield begin, min(begin + block, words)

    def space(self, words: Tensor) -> LoadedStates:
        """Load states, to run stages on them; the caller holds the lock.

        Args:
            words: int64 ``[F, W]``.
        """
        return LoadedStates(self, words)


@final
class LoadedStates:
    """States in the workspace of a kernel, valid until the next states are loaded.

    Attributes:
        moves: rows that say which moves are made, an input of ``NEXT``; int64 ``[M, W]``.
    """

    def __init__(self, ply: TorchPly, words: Tensor) -> None:
        self._width = words.shape[1]
        self._space = ply.kernel.workspace(rounded_width(self._width))
        first = 1 + len(words)
        self._space.values[1:first, : self._width] = words
        self.moves = self._space.values[first : first + ply.move_offsets[-1], : self._width]

    def run(self, stage: int) -> Tensor:
        """Compute the outputs of a stage as new words; int64 ``[O, W]``."""
        return self._space.run(stage)[:, : self._width]
