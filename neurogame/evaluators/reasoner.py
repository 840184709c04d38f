"""Computes the truth of redirected leaves from the state: logic beside the network."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any, final

import numpy as np
import torch
from torch import Tensor, nn

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import FALSE
from neurogame.graph.prune import prune_by_level
from neurogame.kernels.twin.gates import TorchGates
from neurogame.kernels.words.pack import pack, unpack


@final
class Reasoner(nn.Module):
    """Evaluates gates of the circuit on states, 64 at a time; has no parameters, no gradient.

    Args:
        circuit: the game.
        nodes: nodes of the gates; int64 ``[X]``. None may depend on a move.

    Attributes:
        logic: a circuit whose goals are the gates, in their order; None where there are none.
    """

    def __init__(self, circuit: Circuit, nodes: Int64s) -> None:
        super().__init__()
        self.count = len(nodes)
        self.logic: Circuit | None = None
        if self.count:
            self.logic = _logic(circuit, nodes)
        self._gates: dict[torch.device, TorchGates] = {}

    def forward(self, fluents: Tensor) -> Tensor:
        """Return the states and the truth of the gates side by side.

        Args:
            fluents: which fluents hold; bool, or floats 0..1, of which those above a half
                hold for the reasoner; ``[B, F]``.

        Returns:
            ``[B, F + X]`` in the same dtype.
        """
        if self.count == 0:
            return fluents
        held = fluents if fluents.dtype == torch.bool else fluents.detach() > 0.5
        truth = unpack(self.words(pack(held)), len(held))
        return torch.cat([fluents, truth.to(fluents.dtype)], dim=1)

    def words(self, words: Tensor) -> Tensor:
        """Return the gates' words, ``[X, W]``, for the fluents' words, ``[F, W]``."""
        assert self.logic is not None
        if words.device not in self._gates:
            goals = self.logic.graph.with_outputs(self.logic.goal_literals)
            self._gates[words.device] = TorchGates(goals, words.device)
        moves = words.new_zeros((self.logic.move_count, words.shape[1]))
        return self._gates[words.device].run(torch.cat([words, moves]))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what a copy makes for itself."""
        return {**self.__dict__, "_gates": {}}


def _logic(circuit: Circuit, nodes: Int64s) -> Circuit:
    """Return the part of a circuit that some gates need, as goals of its first role."""
    others = np.full(circuit.move_count + len(circuit.fluents) + 1, FALSE)
    graph = prune_by_level(circuit.graph.with_outputs(np.append(others, 2 * nodes)))
    digest = hashlib.sha256(f"{len(circuit.fluents)} {circuit.move_count}".encode())
    for array in (graph.kind, graph.start, graph.inputs, graph.outputs[len(others) :]):
        digest.update(np.ascontiguousarray(array).tobytes())
    return replace(
        circuit,
        graph=graph,
        named_goals=((0,) * len(nodes), *(() for _ in circuit.roles[1:])),
        key=f"{circuit.key} leaves {digest.hexdigest()}",
    )
