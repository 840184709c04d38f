"""The tables of a layout, made from weights by the same units that define the networks.

Making them is plain torch and differentiable, so the compiled kernel needs no formula of its own
for the neurons that read leaves only, and gradients reach their weights through the tables.
"""

from __future__ import annotations

from typing import NamedTuple, final

import torch
from torch import Tensor

from neurogame.evaluators.logspace import LOG_2
from neurogame.evaluators.plan import NeuronGroup, Unit
from neurogame.kernels.neural.layout import Layout
from neurogame.kernels.neural.merge import ENTRIES

LARGEST = 64
"""Exponent of 2 that the largest summand of a neuron is given: what is far smaller is a float32,
too, and sums of summands are none that is infinite."""

WIDEST = 120.0
"""Natural logarithm of the widest range of sums that float32 then holds with all digits, with room
for gradients to be summed."""


class KernelInputs(NamedTuple):
    """The parameters of a network as the kernel takes them; see :mod:`neurogame.kernels.neural`.

    Attributes:
        tables: ``[T, C, 32]``.
        edges: ``[*, D]``.
        nodes: ``[*, N]``.
        offsets: ``[2, N]``; kinds that divide no tables: ``[0, N]``.
    """

    tables: Tensor
    edges: Tensor
    nodes: Tensor
    offsets: Tensor


@final
class UnitTables:
    """What one kind of neuron makes of every combination of the leaves that a table depends on.

    Args:
        layout: tables and what they consist of.
        unit: what a neuron computes.
        leaves: filler and one leaf, in a state in which it does not hold and in one in which it
            does; ``[2, C, 2]``.

    Attributes:
        leaf: what leaves read directly are, for each entry; ``[J, C, 32]``.
    """

    def __init__(self, layout: Layout, unit: Unit, leaves: Tensor) -> None:
        self._layout, self._unit = layout, unit
        self._children = _chosen(unit.leaf_inputs(leaves), layout.small_choice)
        self.leaf = _chosen(leaves, layout.leaf_choice).transpose(0, 1)
        picks = layout.small_inner
        self._group = NeuronGroup(0, len(picks), True, pick=picks, edge=picks)

    def small(self, edges: Tensor, nodes: Tensor) -> Tensor:
        """Return the small neurons' outputs for each entry, exchanged where read negated.

        Args:
            edges: edge parameters; ``[E]``.
            nodes: neuron parameters; ``[P, U]``.

        Returns:
            ``[I, C, 32]``.
        """
        layout, group = self._layout, self._group
        weights = torch.cat([edges, edges.new_zeros(1)])[group.edge]
        outputs = self._unit(self._children, group, weights, nodes[:, layout.small_unit])
        if self._unit.channels == 1:
            return outputs
        return torch.where(layout.small_negated[:, None, None], outputs.flip(1), outputs)


def plain_inputs(
    layout: Layout, tables: UnitTables, weights: Tensor, nodes: Tensor
) -> KernelInputs:
    """Return the parameters of networks whose neurons sum what they read times weights.

    Args:
        layout: tables and upper neurons.
        tables: of :class:`~neurogame.evaluators.activation.PlainUnit`.
        weights: signed weight of each edge; ``[E]``.
        nodes: bias of each neuron; ``[1, U]``.
    """
    small = tables.small(weights, nodes) * weights[layout.small_edge][:, None, None]
    leaf = tables.leaf * weights[layout.leaf_edge][:, None, None]
    sums = summed(layout, small, leaf)
    with torch.no_grad():
        # What tables have in common with the bias goes there, where most of it cancels out.
        usual = sums[:, 0, 0].clone()
        bias = nodes[0, layout.unit].double().index_add_(0, layout.table_parent, usual.double())
        change = bias.to(nodes.dtype) - nodes[0, layout.unit]
    return KernelInputs(
        sums - usual[:, None, None],
        weights[layout.edge].unsqueeze(0),
        nodes[:, layout.unit] + change,
        nodes.new_empty(0, len(layout.unit)),
    )


def log_inputs(
    layout: Layout, tables: UnitTables, log_weights: Tensor, ends: Tensor
) -> KernelInputs | None:
    """Return the parameters of networks in log space, or None where float32 is too narrow.

    What an upper neuron sums is divided by a power of 2, so that the largest summand that it can
    have is near 2 ** :data:`LARGEST`; then the sum must never be so small that digits are lost.

    Args:
        layout: tables and upper neurons.
        tables: of :class:`~neurogame.evaluators.logspace.LogSpaceUnit`.
        log_weights: ``log(beta w)`` of each edge; ``[E]``.
        ends: net inputs at both ends; ``[2, U]``.
    """
    small = tables.small(log_weights, ends) + log_weights[layout.small_edge][:, None, None]
    leaf = tables.leaf + log_weights[layout.leaf_edge][:, None, None]
    with torch.no_grad():
        highest, lowest = ends_of_sums(layout, small, leaf)
        if bool((highest - lowest > WIDEST).any()):
            return None
        offsets = torch.ceil(highest / LOG_2) - LARGEST
    parts = [
        # In float32 the difference would round off digits that the exponential needs.
        (part.double() - LOG_2 * offsets.double().t()[parent, :, None]).exp().to(part.dtype)
        for part, parent in ((small, layout.small_parent), (leaf, layout.leaf_parent))
    ]
    return KernelInputs(
        summed(layout, *parts),
        log_weights[layout.edge].exp().unsqueeze(0),
        ends[:, layout.unit],
        offsets,
    )


def summed(layout: Layout, small: Tensor, leaf: Tensor) -> Tensor:
    """Return the tables: sums of contributions.

    Args:
        layout: tables and what they consist of.
        small: contributions of small neurons; ``[I, C, 32]``.
        leaf: contributions of leaves; ``[J, C, 32]``.

    Returns:
        ``[T, C, 32]``.
    """
    tables = small.new_zeros(len(layout.table_pattern), small.shape[1], ENTRIES)
    tables = tables.index_add(0, layout.small_table, small)
    return tables.index_add(0, layout.leaf_table, leaf)


def ends_of_sums(layout: Layout, small: Tensor, leaf: Tensor) -> tuple[Tensor, Tensor]:
    """Return how large the largest summand of an upper neuron can be, and how small.

    Args:
        layout: tables and what they consist of.
        small: contributions of small neurons, as logarithms; ``[I, C, 32]``.
        leaf: contributions of leaves, as logarithms; ``[J, C, 32]``.

    Returns:
        The largest entry of any contribution, and a number that some contribution never falls
        below; ``[C, N]`` each, 0 where there is no contribution.
    """
    parts = torch.cat([small, leaf])
    parent = torch.cat([layout.small_parent, layout.leaf_parent])
    index = parent[:, None].expand(-1, parts.shape[1])
    ends = [
        parts.new_zeros(len(layout.unit), parts.shape[1]).scatter_reduce(
            0, index, most, "amax", include_self=False
        )
        for most in (parts.amax(dim=2), parts.amin(dim=2))
    ]
    return ends[0].t().contiguous(), ends[1].t()


def _chosen(leaves: Tensor, choice: Tensor) -> Tensor:
    """Return what is read, by :data:`~neurogame.kernels.neural.layout.FILLER` and so on.

    Args:
        leaves: ``[2, C, 2]``.
        choice: uint8, any shape.

    Returns:
        ``[C, *choice.shape]``.
    """
    filler, leaf = leaves[0, :, :1], leaves[1]
    values = torch.cat([filler, leaf, leaf.flip(0)], dim=1)
    return values[:, choice.long()]
