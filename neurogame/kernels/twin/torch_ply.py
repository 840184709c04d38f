"""One ply of a game in plain torch, on any device, with the circuit as the rules gave it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.step import NEXT
from neurogame.kernels.twin.gates import TorchGates


@final
class TorchPly:
    """Legal moves, ends, goals and next states of a game; a ``StepKernel``.

    Attributes:
        circuit: the compiled rules.
        device: where all tensors live.
        move_offsets: start of each role's moves in the concatenation, and the total.
        initial: the initial state in all lanes of a word, 0 or -1; int64 ``[F, 1]``.
    """

    def __init__(self, circuit: Circuit, device: str | torch.device = "cpu") -> None:
        """Take a circuit; what is asked for is planned when it is first needed."""
        self.circuit = circuit
        self.device = torch.device(device)
        self.move_offsets = circuit.move_offsets.tolist()
        fluents = torch.from_numpy(circuit.initial.copy()).to(self.device, torch.int64)
        self.initial = -fluents[:, None]
        outputs = np.append(circuit.legal, circuit.terminal), circuit.goal_literals, circuit.next
        self._outputs = outputs
        self.gates = cache(self._gates)

    def _gates(self, groups: tuple[int, ...]) -> TorchGates:
        """Return what computes some groups of outputs, one after the other."""
        outputs = np.concatenate([self._outputs[group] for group in groups])
        return TorchGates(self.circuit.graph.with_outputs(outputs), self.device)

    def run(self, words: Tensor, groups: Sequence[int], does: Tensor | None = None) -> list[Tensor]:
        """Compute groups of outputs; see :class:`~neurogame.kernels.step.StepKernel`."""
        if does is None:
            does = words.new_zeros((self.move_offsets[-1], words.shape[1]))
        outputs = self.gates(tuple(groups)).run(torch.cat([words, does]))
        return list(torch.split(outputs, [len(self._outputs[group]) for group in groups]))

    def blocks(self, words: int) -> Iterator[tuple[int, int]]:
        """Cut words into blocks of the size that is fastest; one block at least."""
        block = self.gates((NEXT,)).block_words
        for begin in range(0, max(words, 1), block):
            yield begin, min(begin + block, words)
