"""Computes the truth of redirected leaves from the state: logic beside the network."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import replace
from typing import Any, final

import numpy as np
import torch
from torch import Tensor, nn

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import FALSE
from neurogame.graph.prune import prune_by_level
from neurogame.kernels.twin.and_graph import with_pairs
from neurogame.kernels.twin.bitslice import BitSliceKernel
from neurogame.kernels.twin.plan import Stage, make_stages
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
        self._stages: list[Stage] = []
        if self.count:
            self.logic = _logic(circuit, nodes)
            pairs = with_pairs(self.logic)
            self._stages = make_stages(pairs.graph, [pairs.goal_literals], [None])
        self._kernels: dict[torch.device, BitSliceKernel] = {}
        self._lock = threading.Lock()

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
        device = words.device
        # The kernel's workspaces serve all calls, so calls from several threads take turns.
        with self._lock:
            if device not in self._kernels:
                self._kernels[device] = BitSliceKernel(self._stages, device)
            kernel = self._kernels[device]
            parts = []
            for part in torch.split(words, kernel.block_words, dim=1):
                space = kernel.workspace(part.shape[1])
                space.values[1 : 1 + len(part)] = part
                parts.append(space.run(0))
            return torch.cat(parts, dim=1)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what a copy makes for itself."""
        return {**self.__dict__, "_kernels": {}, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of another one."""
        self.__dict__.update({**state, "_lock": threading.Lock()})


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
