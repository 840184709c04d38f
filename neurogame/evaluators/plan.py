"""Evaluates all neurons of a wiring in batches, layer by layer, with gradients.

Neurons of one level and one padded fan-in form a *group* and are computed together. All outputs
lie in one node-major buffer; the backward pass computes one group at a time again instead of
keeping what autograd would, so memory is linear in the number of neurons, not of levels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple, cast

import numpy as np
import torch
from torch import Tensor, nn

from neurogame.evaluators.wiring import Wiring

GATHER_LIMIT = 1 << 19
"""Numbers that one gather should hold, to stay in cache; larger batches are cut into pieces."""

STATE_LIMIT = 1 << 26
"""Numbers that the outputs of all neurons of one piece should hold at most, to bound memory."""

SMALLEST_PIECE = 32
"""States evaluated at a time in networks that exceed the limit even so."""


class NeuronGroup(NamedTuple):
    """Neurons ``first`` up to ``last`` and what they read, padded to one fan-in ``k``.

    Attributes:
        first: first neuron.
        last: one past the last neuron.
        leaves_only: whether all of them read nothing but leaves.
        pick: ``2 * row + negated`` of each edge; padding reads row 0; int64 ``[n, k]``.
        edge: index of each edge; padding has index ``E``; int64 ``[n, k]``.
    """

    first: int
    last: int
    leaves_only: bool
    pick: Tensor
    edge: Tensor


class Unit(ABC):
    """What one kind of neuron computes, for a whole group at once.

    Attributes:
        channels: numbers per neuron, 1 or 2. With two channels an edge that reads a negation
            finds them exchanged.
    """

    channels: int

    @abstractmethod
    def __call__(
        self, children: Tensor, group: NeuronGroup, edges: Tensor, nodes: Tensor
    ) -> Tensor:
        """Return the outputs of a group.

        Args:
            children: what the neurons read, as :meth:`leaf_inputs` gives it where
                ``group.leaves_only``; ``[C, n, k, B]``.
            group: the group.
            edges: edge parameters; ``[n, k]``, padding has 0.
            nodes: neuron parameters; ``[P, n]``.

        Returns:
            ``[n, C, B]``.
        """

    def leaf_inputs(self, leaves: Tensor) -> Tensor:
        """Return the form in which neurons that read leaves only want them; any shape."""
        return leaves


class Plan(nn.Module):
    """The groups of a wiring as index buffers; holds no parameters.

    Args:
        wiring: neurons and edges.
    """

    def __init__(self, wiring: Wiring) -> None:
        super().__init__()
        self.wiring = wiring
        self._ranges: list[tuple[int, int, bool]] = []
        for first, last, width in _group_ranges(wiring):
            pick, edge = _padded(wiring, first, last, width)
            name = str(len(self._ranges))
            self.register_buffer(f"pick_{name}", torch.from_numpy(pick), persistent=False)
            self.register_buffer(f"edge_{name}", torch.from_numpy(edge), persistent=False)
            leaves_only = bool((pick >> 1).max() < wiring.first_unit_row)
            self._ranges.append((first, last, leaves_only))
        self.register_buffer("leaf_index", torch.from_numpy(wiring.leaves), persistent=False)
        self._widest = max((self._edges(g).numel() for g in range(len(self._ranges))), default=1)

    def _edges(self, index: int) -> Tensor:
        return cast(Tensor, getattr(self, f"edge_{index}"))

    def groups(self, units: int) -> list[NeuronGroup]:
        """Return the groups that compute the first ``units`` neurons."""
        return [
            NeuronGroup(first, last, leaves_only, getattr(self, f"pick_{i}"), self._edges(i))
            for i, (first, last, leaves_only) in enumerate(self._ranges)
            if first < units
        ]

    def pieces(self, batch: int) -> int:
        """Return how many states of a batch to evaluate at a time."""
        rows = self.wiring.first_unit_row + self.wiring.unit_count
        best = min(GATHER_LIMIT // (2 * self._widest), STATE_LIMIT // (2 * rows))
        return max(min(batch, max(best, SMALLEST_PIECE)), 1)

    def leaf_truth(self, leaves: Tensor, dtype: torch.dtype) -> Tensor:
        """Return the truth of the leaves in use, 0..1; ``[K, B]`` from leaves ``[B, F + X]``."""
        index = cast(Tensor, self.leaf_index)
        return leaves.t().index_select(0, index).to(dtype)

    def run(
        self, unit: Unit, leaves: Tensor, edges: Tensor, nodes: Tensor, rows: Tensor, units: int
    ) -> Tensor:
        """Evaluate neurons and return the outputs that are asked for.

        Args:
            unit: what a neuron computes.
            leaves: rows ``0..K``: the filler and the leaves; ``[1 + K, C, B]``.
            edges: edge parameters; ``[E]``.
            nodes: neuron parameters; ``[P, U]``.
            rows: rows to return; int64 ``[O]``.
            units: how many neurons to evaluate.

        Returns:
            ``[O, C, B]``; gradients flow to leaves, edges and nodes.
        """
        padded = torch.cat([edges, edges.new_zeros(1)])
        propagate = cast(Callable[..., Tensor], _Propagate.apply)
        return propagate(self.groups(units), unit, units, leaves, padded, nodes, rows)


class _Propagate(torch.autograd.Function):
    """The forward pass through all groups, and its backward pass group by group."""

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx,
        groups: list[NeuronGroup],
        unit: Unit,
        units: int,
        leaves: Tensor,
        edges: Tensor,
        nodes: Tensor,
        rows: Tensor,
    ) -> Tensor:
        """Fill the buffer of all rows and return the rows that are asked for."""
        first_row, channels, batch = leaves.shape
        state = leaves.new_empty(first_row + units, channels, batch)
        state[:first_row] = leaves
        direct = unit.leaf_inputs(leaves)
        for group in groups:
            children = _gather(direct if group.leaves_only else state, group, channels)
            values = unit(children, group, edges[group.edge], nodes[:, group.first : group.last])
            state[first_row + group.first : first_row + group.last] = values
        ctx.save_for_backward(state, edges, nodes, rows)
        ctx.groups, ctx.unit, ctx.first_row = groups, unit, first_row  # type: ignore[attr-defined]
        return state.index_select(0, rows)

    @staticmethod
    def backward(
        ctx: torch.autograd.function.FunctionCtx, gradient: Tensor
    ) -> tuple[Tensor | None, ...]:
        """Return the gradients of leaves, edges and nodes."""
        state, edges, nodes, rows = ctx.saved_tensors  # type: ignore[attr-defined]
        groups: list[NeuronGroup] = ctx.groups  # type: ignore[attr-defined]
        unit: Unit = ctx.unit  # type: ignore[attr-defined]
        first_row: int = ctx.first_row  # type: ignore[attr-defined]
        channels = state.shape[1]
        flow = torch.zeros_like(state)
        flow.index_add_(0, rows, gradient)
        with torch.enable_grad():
            leaves = state[:first_row].detach().requires_grad_()
            direct = unit.leaf_inputs(leaves)
        direct_flow = torch.zeros_like(leaves)
        edge_flow, node_flow = torch.zeros_like(edges), torch.zeros_like(nodes)
        for group in reversed(groups):
            place = slice(group.first, group.last)
            with torch.enable_grad():
                source = direct.detach() if group.leaves_only else state
                children = _gather(source, group, channels).requires_grad_()
                weights = edges[group.edge].detach().requires_grad_()
                neurons = nodes[:, place].detach().requires_grad_()
                values = unit(children, group, weights, neurons)
            below = torch.autograd.grad(
                values,
                (children, weights, neurons),
                flow[first_row + group.first : first_row + group.last],
                allow_unused=True,
            )
            if below[0] is not None:
                target = (direct_flow if group.leaves_only else flow).flatten(0, 1)
                target.index_add_(0, _picks(group, channels), below[0].flatten(0, 2))
            if below[1] is not None:
                edge_flow.index_add_(0, group.edge.reshape(-1), below[1].reshape(-1))
            if below[2] is not None:
                node_flow[:, place] += below[2]
        leaf_flow = flow[:first_row] + _pulled_back(direct, leaves, direct_flow)
        return None, None, None, leaf_flow, edge_flow, node_flow, None


def _pulled_back(direct: Tensor, leaves: Tensor, flow: Tensor) -> Tensor:
    """Return the gradient of leaves from that of their direct form."""
    return flow if direct is leaves else torch.autograd.grad(direct, leaves, flow)[0]


def _picks(group: NeuronGroup, channels: int) -> Tensor:
    """Return rows of the flattened buffer ``[rows * C, B]`` for each channel and edge."""
    if channels == 1:
        return (group.pick >> 1).reshape(-1)
    return torch.stack([group.pick, group.pick ^ 1]).reshape(-1)


def _gather(state: Tensor, group: NeuronGroup, channels: int) -> Tensor:
    flat = state.flatten(0, 1)
    n, k = group.pick.shape
    return flat.index_select(0, _picks(group, channels)).view(channels, n, k, flat.shape[1])


def _group_ranges(wiring: Wiring) -> list[tuple[int, int, int]]:
    """Return the groups as (first, last, padded fan-in): at most a quarter is padding."""
    if wiring.unit_count == 0:
        return []
    # Fan-ins are rounded up to three significant bits.
    bits = np.frexp(wiring.fan_in)[1].astype(np.int64)
    step = 1 << np.maximum(bits - 3, 0)
    width = -(-wiring.fan_in // step) * step
    new = (np.diff(width) != 0) | (np.diff(wiring.graph.level) != 0)
    # The valued neurons must end with a group, so that a value needs no others.
    new |= np.arange(1, wiring.unit_count) == wiring.valued_units
    first = np.append(0, 1 + np.flatnonzero(new))
    last = np.append(first[1:], wiring.unit_count)
    return list(zip(first.tolist(), last.tolist(), width[first].tolist(), strict=True))


def _padded(
    wiring: Wiring, first: int, last: int, width: int
) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], ...]:
    """Return ``2 * row + negated`` and the edge index of a group's edges; ``[n, width]``."""
    edge = wiring.start[first:last, None] + np.arange(width)[None, :]
    real = edge < wiring.start[first + 1 : last + 1, None]
    safe = np.where(real, edge, 0)
    pick = np.where(real, wiring.graph.inputs[safe], 0).astype(np.int64)
    return pick, np.where(real, edge, wiring.edge_count).astype(np.int64)
