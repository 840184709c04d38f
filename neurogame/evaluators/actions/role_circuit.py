"""The action heuristic of one role as a torch module."""

from __future__ import annotations

from typing import cast, final

import numpy as np
import torch
from torch import Tensor, nn

from neurogame.circuit.circuit import AND
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.actions.gate_values import TorchRun, gate_values
from neurogame.evaluators.actions.graph import ActionGraph
from neurogame.evaluators.actions.limited import limited
from neurogame.kernels.actions.limits import SMALL


@final
class RoleCircuit(nn.Module):
    """Scores all moves of one role from one evaluation of their shared gates.

    Parameters, if it is trainable (``K`` leaves, ``E`` edges, ``M`` moves):
    ``truth``, log-odds of the truth of each leaf where its input does not hold and where it does,
    ``[K, 2]``; ``weight``, how much each edge counts, read as clipped to 0..1, ``[E]``;
    ``factor`` and ``bias``, ``[]`` and ``[M]``: a score is ``factor * log(H + floor) + bias``.

    Attributes:
        graph: leaves and gates.
        config: settings.
        is_careful: whether float32 might lose the smallest values, so that it computes in float64.
            Logarithmic scores do not need them, because of :attr:`ActionConfig.floor`.

    Args:
        graph: leaves and gates.
        fluents: fluents of the game. Only the truth of leaves that read them is trained.
        moves: of all roles together.
        config: settings.
    """

    leaf_input: Tensor
    leaf_truth: Tensor
    trained: Tensor
    outputs: Tensor
    one: Tensor

    def __init__(self, graph: ActionGraph, fluents: int, moves: int, config: ActionConfig) -> None:
        super().__init__()
        self.graph, self.config = graph, config
        truth = torch.from_numpy(graph.leaf_truth)
        trained = torch.from_numpy((graph.leaf_input >= 1) & (graph.leaf_input <= fluents))
        begin = truth.clamp(config.least, 1 - config.least)
        if config.trainable:
            truth = torch.where(trained.unsqueeze(1), begin, truth)
        self.is_careful = not config.trainable and least_value(graph, fluents, moves) < SMALL
        kind = torch.float64 if self.is_careful else torch.float32
        for name, buffer in (
            ("leaf_input", torch.from_numpy(graph.leaf_input)),
            ("leaf_truth", truth),
            ("trained", trained),
            ("outputs", torch.from_numpy(graph.outputs)),
            ("one", torch.ones((), dtype=kind)),
        ):
            self.register_buffer(name, buffer, persistent=False)
        for number, run in enumerate(graph.runs):
            inputs = torch.from_numpy(graph.edges_of(run).T.copy())
            self.register_buffer(f"inputs_{number}", inputs, persistent=False)
        if config.trainable:
            self.truth = nn.Parameter(torch.logit(begin).float())
            self.weight = nn.Parameter(torch.ones(graph.edge_count))
            self.factor = nn.Parameter(torch.ones(()))
            self.bias = nn.Parameter(torch.zeros(len(graph.outputs)))

    @property
    def dtype(self) -> torch.dtype:
        """What it computes in: float64 where float32 would lose the smallest values."""
        return self.one.dtype

    def truths(self) -> Tensor:
        """Return the truth of each leaf, input not holding and holding; ``[K, 2]`` in 0..1."""
        if not self.config.trainable:
            return self.leaf_truth.to(self.dtype)
        own = torch.sigmoid(self.truth.to(self.dtype))
        return torch.where(self.trained.unsqueeze(1), own, self.leaf_truth.to(self.dtype))

    def weights(self) -> Tensor | None:
        """Return the weights of all edges in 0..1, ``[E]``; None if all are 1."""
        return limited(self.weight).to(self.dtype) if self.config.trainable else None

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the scores of all moves.

        Args:
            inputs: how far the inputs of the circuit hold, 0..1, the constant included;
                ``[B, I]``.

        Returns:
            ``[B, M]``: truths in 0..1, or logarithms of weights if it is trainable.
        """
        held = inputs.t().index_select(0, self.leaf_input).to(self.dtype)
        low, high = self.truths().unsqueeze(2).unbind(dim=1)
        leaves = torch.lerp(low, high, held)
        values = gate_values(self._runs(), leaves, self.weights(), self.outputs).t()
        if not self.config.trainable:
            return values
        return self.factor * torch.log(values + self.config.floor) + self.bias

    def _runs(self) -> list[TorchRun]:
        leaves = self.graph.leaf_count
        return [
            TorchRun(
                first=leaves + run.first,
                last=leaves + run.last,
                kind=run.kind,
                inputs=cast(Tensor, getattr(self, f"inputs_{number}")),
                edge=run.edge,
            )
            for number, run in enumerate(self.graph.runs)
        ]


def least_value(graph: ActionGraph, fluents: int, moves: int) -> float:
    """Return a bound that no output of a graph falls below, unless it is 0 (or the bound is).

    A disjunction one of whose inputs is always large is large, however small the others.

    Args:
        graph: leaves and gates.
        fluents: fluents of the game.
        moves: of all roles together: no legal move is less probable than one in so many.
    """
    truth = graph.leaf_truth
    chance = (graph.leaf_input > fluents) & (truth[:, 0] != truth[:, 1])
    nodes = graph.leaf_count + graph.gate_count
    # Logarithms of the least value, and of the least one that is not 0.
    least, above = np.zeros(nodes), np.zeros(nodes)
    with np.errstate(divide="ignore"):
        least[: graph.leaf_count] = np.log(truth.min(axis=1))
        above[: graph.leaf_count] = np.log(np.where(truth > 0, truth, 1.0).min(axis=1))
    above[: graph.leaf_count][chance] = -np.log(max(moves, 1))
    for run in graph.runs:
        edges = graph.edges_of(run)
        own = slice(graph.leaf_count + run.first, graph.leaf_count + run.last)
        if run.kind == AND:
            least[own], above[own] = least[edges].sum(axis=1), above[edges].sum(axis=1)
        else:
            least[own] = least[edges].max(axis=1)
            above[own] = np.maximum(above[edges].min(axis=1), least[own])
    return float(np.exp(above[graph.outputs].min(initial=0)))
