"""The lowest and the highest net input of every neuron, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast, final

import torch
from torch import Tensor

from neurogame.evaluators.activation import bipolar
from neurogame.evaluators.plan import NeuronGroup, Plan


def net_input_ends(
    plan: Plan, weights: Tensor, biases: Tensor, beta: float, reserve: float
) -> Tensor:
    """Return each neuron's lowest and highest net input, times beta.

    Args:
        plan: the groups.
        weights: positive weight of each edge; ``[E]``.
        biases: bias weight of each neuron; ``[U]``.
        beta: steepness.
        reserve: how far beyond -1 and +1 leaves are thought to reach.

    Returns:
        ``[2, U]`` in the dtype of the weights; use float64, the cost is one state's.
    """
    ends = cast(Callable[..., Tensor], _Ends.apply)
    groups = plan.groups(plan.wiring.unit_count)
    padded = torch.cat([weights, weights.new_zeros(1)])
    nets = ends(groups, plan.wiring.first_unit_row, beta, reserve, padded, biases)
    return beta * torch.stack([nets[:, 0], -nets[:, 1]])


@final
class _Ends(torch.autograd.Function):
    """Net inputs at the lowest end, and at the highest times -1; ``[U, 2]``.

    Of each row the lowest output and the highest times -1 lie side by side. For a negation they
    are exchanged, and so the number ``pick`` of an edge is the place of its lowest output.
    """

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx,
        groups: list[NeuronGroup],
        first_row: int,
        beta: float,
        reserve: float,
        weights: Tensor,
        biases: Tensor,
    ) -> Tensor:
        """Go through the groups, children first."""
        outputs = weights.new_full((first_row + len(biases), 2), -1.0 - reserve)
        outputs[0] = 0.0
        places = outputs.view(-1)
        nets = weights.new_empty(len(biases), 2)
        sides = torch.stack([biases, -biases], dim=1)
        for group in groups:
            neurons = slice(group.first, group.last)
            weight = weights[group.edge]
            low = (weight * places[group.pick]).sum(dim=1)
            high = (weight * places[group.pick ^ 1]).sum(dim=1)
            nets[neurons] = torch.stack([low, high], dim=1) + sides[neurons]
            outputs[first_row + group.first : first_row + group.last] = bipolar(nets[neurons], beta)
        ctx.save_for_backward(outputs, weights)
        ctx.groups, ctx.first_row, ctx.beta = groups, first_row, beta  # type: ignore[attr-defined]
        return nets

    @staticmethod
    def backward(
        ctx: torch.autograd.function.FunctionCtx, gradient: Tensor
    ) -> tuple[Tensor | None, ...]:
        """Return the gradients of weights and biases."""
        outputs, weights = ctx.saved_tensors  # type: ignore[attr-defined]
        groups: list[NeuronGroup] = ctx.groups  # type: ignore[attr-defined]
        first_row: int = ctx.first_row  # type: ignore[attr-defined]
        places = outputs.view(-1)
        flow = torch.zeros_like(places)
        slope = ctx.beta / 2.0 * (1.0 - outputs[first_row:].square())  # type: ignore[attr-defined]
        net_flow, weight_flow = gradient.clone(), torch.zeros_like(weights)
        for group in reversed(groups):
            neurons = slice(group.first, group.last)
            above = flow[2 * (first_row + group.first) : 2 * (first_row + group.last)]
            net_flow[neurons] += slope[neurons] * above.view(-1, 2)
            low, high = net_flow[neurons, :1], net_flow[neurons, 1:]
            lowest, highest = group.pick.reshape(-1), (group.pick ^ 1).reshape(-1)
            weight = weights[group.edge]
            # Padding shares one index; what ends up there is not used.
            weight_flow[group.edge] = low * places[group.pick] + high * places[group.pick ^ 1]
            flow.index_add_(0, lowest, (low * weight).reshape(-1))
            flow.index_add_(0, highest, (high * weight).reshape(-1))
        return None, None, None, None, weight_flow, net_flow[:, 0] - net_flow[:, 1]
