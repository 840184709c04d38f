"""The action heuristic of one role as a torch module."""

from __future__ import annotations

from typing import cast, final

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.actions.gate_values import TorchRun, gate_values
from neurogame.evaluators.actions.graph import ActionGraph
from neurogame.evaluators.actions.limited import limited
from neurogame.graph.graph import AND
from neurogame.kernels.actions.limits import SMALL

_MOST_VALUES = 16_000_000
"""Values computed at once at most, where each move is evaluated for itself."""


@final
class RoleCircuit(nn.Module):
    """Scores all moves of one role from one evaluation of their shared gates.

    Where all moves share a formula, that takes one evaluation for each pair of state and move.

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
    leaf_move: Tensor
    trained: Tensor
    outputs: Tensor
    output_of: Tensor
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
        outputs, output_of = np.unique(graph.outputs, return_inverse=True)
        for name, buffer in (
            ("leaf_input", torch.from_numpy(graph.leaf_input)),
            ("leaf_move", torch.from_numpy(graph.leaf_move)),
            ("leaf_truth", truth),
            ("trained", trained),
            ("outputs", torch.from_numpy(outputs)),
            ("output_of", torch.from_numpy(output_of)),
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
        learned_truth = torch.sigmoid(self.truth.to(self.dtype))
        return torch.where(self.trained.unsqueeze(1), learned_truth, self.leaf_truth.to(self.dtype))

    def weights(self) -> Tensor | None:
        """Return the weights of all edges in 0..1, ``[E]``; None if all are 1."""
        return limited(self.weight).to(self.dtype) if self.config.trainable else None

    def forward(self, inputs: Tensor, legal: Tensor | None = None) -> Tensor:
        """Return the scores of all moves.

        Args:
            inputs: how far the inputs of the circuit hold, 0..1, the constant included;
                ``[B, I]``.
            legal: moves of the role that are needed, bool ``[B, M]``; None: all of them. The
                others have truth 0 where all moves share a formula.

        Returns:
            ``[B, M]``: truths in 0..1, or logarithms of weights if it is trainable.
        """
        if self.graph.is_shared:
            values = self._of_pairs(inputs, legal)
        else:
            values = self._values(inputs, None, self.outputs).index_select(0, self.output_of).t()
        if not self.config.trainable:
            return values
        return self.factor * torch.log(values + self.config.floor) + self.bias

    def _of_pairs(self, inputs: Tensor, legal: Tensor | None) -> Tensor:
        """Return the truths of moves, ``[B, M]``, a part of the pairs at a time."""
        shape = len(inputs), len(self.output_of)
        wanted = inputs.new_ones(shape, dtype=torch.bool) if legal is None else legal
        states, moves = wanted.nonzero(as_tuple=True)
        size = max(_MOST_VALUES // (self.graph.leaf_count + self.graph.gate_count), 1)
        # Nothing of a part is kept for its gradients but what it is made from.
        parts = [
            cast(Tensor, checkpoint(self._pairs, inputs, *pair, use_reentrant=False))
            for pair in zip(torch.split(states, size), torch.split(moves, size), strict=True)
        ]
        nothing = torch.zeros(shape, dtype=self.dtype, device=inputs.device)
        return nothing.index_put((states, moves), torch.cat(parts)) if parts else nothing

    def _pairs(self, inputs: Tensor, states: Tensor, moves: Tensor) -> Tensor:
        """Return the truths of some moves, each in a state; ``[P]``."""
        values = self._values(inputs.index_select(0, states), moves, self.outputs)
        return values.gather(0, self.output_of[moves].unsqueeze(0)).squeeze(0)

    def row_truths(self, inputs: Tensor, move: int) -> Tensor:
        """Return the truths of all leaves and gates, ``[K + G, B]``, for one move of the role.

        Args:
            inputs: see :meth:`forward`.
            move: the move that leaves about moves of the role ask for.
        """
        rows = torch.arange(self.graph.leaf_count + self.graph.gate_count)
        moves = torch.full((len(inputs),), move)
        return self._values(inputs, moves, rows.to(self.outputs))

    def _values(self, inputs: Tensor, moves: Tensor | None, rows: Tensor) -> Tensor:
        """Return the truths of some rows, each state with a move of its own; ``[N, B]``."""
        held = inputs.t().index_select(0, self.leaf_input).to(self.dtype)
        if moves is not None:
            held = torch.where(self.leaf_move.unsqueeze(1) == moves, torch.ones_like(held), held)
        low, high = self.truths().unsqueeze(2).unbind(dim=1)
        return gate_values(self._runs(), torch.lerp(low, high, held), self.weights(), rows)

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
        gates = slice(graph.leaf_count + run.first, graph.leaf_count + run.last)
        if run.kind == AND:
            least[gates], above[gates] = least[edges].sum(axis=1), above[edges].sum(axis=1)
        else:
            least[gates] = least[edges].max(axis=1)
            above[gates] = np.maximum(above[edges].min(axis=1), least[gates])
    return float(np.exp(above[graph.outputs].min(initial=0)))
