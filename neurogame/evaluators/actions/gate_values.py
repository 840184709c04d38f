"""The values of all gates of a graph for a batch of states, with gradients.

A conjunction is the product of its inputs, a disjunction its dual, accumulated as
``s + x (1 - s)`` so that small values keep all their digits. Each edge may have a weight ``w``:
a conjunction reads ``1 - w (1 - x)``, a disjunction ``w x``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, cast

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from neurogame.graph.graph import AND


class TorchRun(NamedTuple):
    """A run of gates whose inputs are a tensor; see :class:`~.graph.Run`.

    Attributes:
        first: row of its first gate.
        last: one past the row of its last gate.
        kind: ``AND`` (0) or ``OR`` (1).
        inputs: rows, input by input; int64 ``[k, n]``.
        edge: their first edge; gate by gate the edges of all of them follow it.
    """

    first: int
    last: int
    kind: int
    inputs: Tensor
    edge: int


def gate_values(
    runs: list[TorchRun], leaves: Tensor, weights: Tensor | None, rows: Tensor
) -> Tensor:
    """Evaluate all gates and return some rows; gradients flow to leaves and weights.

    Args:
        runs: the gates, in order.
        leaves: truth of the leaves; ``[K, B]``.
        weights: of the edges, in 0..1, ``[E]``; None if all are 1.
        rows: rows to return; int64 ``[O]``.

    Returns:
        ``[O, B]``.
    """
    return cast(Callable[..., Tensor], _Propagate.apply)(runs, leaves, weights, rows)


class _Propagate(torch.autograd.Function):
    """One buffer of all values, level by level forward, and backward in reverse."""

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx,
        runs: list[TorchRun],
        leaves: Tensor,
        weights: Tensor | None,
        rows: Tensor,
    ) -> Tensor:
        """Fill the buffer and return the rows that are asked for."""
        count = runs[-1].last if runs else len(leaves)
        values = leaves.new_empty(count, leaves.shape[1])
        values[: len(leaves)] = leaves
        for run in runs:
            parts = _read(run, values, weights)
            total = parts[0]
            for part in parts[1:]:
                total = total * part if run.kind == AND else total + part * (1 - total)
            values[run.first : run.last] = total
        ctx.save_for_backward(values, rows, *([] if weights is None else [weights]))
        ctx.runs, ctx.leaves = runs, len(leaves)  # type: ignore[attr-defined]
        return values.index_select(0, rows)

    @staticmethod
    @once_differentiable
    def backward(
        ctx: torch.autograd.function.FunctionCtx, gradient: Tensor
    ) -> tuple[Tensor | None, ...]:
        """Return the gradients of leaves and weights."""
        values, rows, *rest = ctx.saved_tensors  # type: ignore[attr-defined]
        weights: Tensor | None = rest[0] if rest else None
        runs: list[TorchRun] = ctx.runs  # type: ignore[attr-defined]
        flow = torch.zeros_like(values)
        flow.index_add_(0, rows, gradient)
        below = None if weights is None else torch.zeros_like(weights)
        for run in reversed(runs):
            parts = _read(run, values, weights)
            factors = parts if run.kind == AND else [1 - part for part in parts]
            run_flow = flow[run.first : run.last]
            for k in range(len(parts)):
                reach = run_flow
                for other in factors[:k] + factors[k + 1 :]:
                    reach = reach * other
                if weights is not None and below is not None:
                    value = values.index_select(0, run.inputs[k])
                    change = (value - 1 if run.kind == AND else value) * reach
                    _weights_of(run, below)[:, k] = change.sum(dim=1)
                    reach = reach * _weights_of(run, weights)[:, k : k + 1]
                flow.index_add_(0, run.inputs[k], reach)
        return None, flow[: ctx.leaves], below, None  # type: ignore[attr-defined]


def _read(run: TorchRun, values: Tensor, weights: Tensor | None) -> list[Tensor]:
    """Return what the gates of a run read, input by input; ``[n, B]`` each."""
    parts = [values.index_select(0, index) for index in run.inputs]
    if weights is None:
        return parts
    columns = torch.split(_weights_of(run, weights), 1, dim=1)
    if run.kind == AND:
        return [part * w + (1 - w) for part, w in zip(parts, columns, strict=True)]
    return [part * w for part, w in zip(parts, columns, strict=True)]


def _weights_of(run: TorchRun, weights: Tensor) -> Tensor:
    """Return the part of the edges' numbers that belongs to a run; ``[n, k]``."""
    width, count = run.inputs.shape
    return weights[run.edge : run.edge + width * count].view(count, width)
