"""Goal networks as operators of torch, with their gradients.

``neurogame::goal_networks`` keeps nothing of a batch but its words: on the way back the outputs
of 64 states at a time are computed again, so memory is that of one block, whatever the batch.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy.typing as npt
import torch
from torch import Tensor

from neurogame.kernels.neural.blocks import backward_blocks, forward_blocks
from neurogame.kernels.neural.network import CHANNELS, Network, make_network

Given: TypeAlias = tuple[Tensor, Tensor, Tensor, Tensor, list[Tensor], int, float]
"""Networks as torch knows them, in this order.

- tables: what every table holds; float32 ``[T, C, 32]``, like all parameters
- edges: parameters of edges between upper neurons; ``[*, D]``
- nodes: parameters of upper neurons; ``[*, N]``
- offsets: exponents of 2 that tables were divided by; ``[2, N]``, without gradient
- structure: :attr:`~neurogame.kernels.neural.layout.Layout.structure`
- kind: of network; see :mod:`~neurogame.kernels.neural.network`
- steep: half the steepness of the activation
"""

_SCHEMA = (
    "(Tensor words, SymInt size, Tensor tables, Tensor edges, Tensor nodes, Tensor offsets, "
    "Tensor[] structure, int kind, float steep) -> Tensor"
)
_BACKWARD_SCHEMA = (
    "(Tensor gradient, Tensor words, Tensor tables, Tensor edges, Tensor nodes, Tensor offsets, "
    "Tensor[] structure, int kind, float steep) -> (Tensor, Tensor, Tensor)"
)


@torch.library.custom_op("neurogame::goal_networks", mutates_args=(), schema=_SCHEMA)
def goal_networks(words: Tensor, size: int, *given: *Given) -> Tensor:
    """Return the outputs of goal networks.

    Args:
        words: states; int64 ``[columns, W]``.
        size: number of states, ``B <= 64 W``.
        *given: the networks, see :data:`Given`.

    Returns:
        ``[O, C, B]``; gradients flow to tables, edges and nodes.
    """
    outputs: Tensor = _outputs(words, size, *given)
    forward_blocks(_network(*given), _array(words), _array(outputs))
    return outputs


@torch.library.custom_op(
    "neurogame::goal_networks_backward", mutates_args=(), schema=_BACKWARD_SCHEMA
)
def goal_networks_backward(
    gradient: Tensor, words: Tensor, *given: *Given
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of tables, edges and nodes; arguments as of :func:`goal_networks`."""
    tables, edges, nodes, _, _, kind, _ = given
    width = 1 if CHANNELS[kind] == 1 else 4
    table_flow = tables.new_zeros(len(tables), tables.shape[2], width)
    edge_flow = torch.zeros_like(edges, memory_format=torch.contiguous_format)
    node_flow = torch.zeros_like(nodes, memory_format=torch.contiguous_format)
    flows = (words, gradient, table_flow, edge_flow, node_flow)
    backward_blocks(_network(*given), *(_array(tensor) for tensor in flows))
    wide = table_flow[:, :, : tables.shape[1]].transpose(1, 2).contiguous()
    return wide, edge_flow, node_flow


@goal_networks.register_fake
def _outputs(words: Tensor, size: int, *given: *Given) -> Tensor:
    tables, _, _, _, structure, kind, _ = given
    return tables.new_empty(len(structure[5]), CHANNELS[kind], size)


@goal_networks_backward.register_fake
def _gradients(gradient: Tensor, words: Tensor, *given: *Given) -> tuple[Tensor, Tensor, Tensor]:
    return tuple(  # type: ignore[return-value]
        torch.empty_like(tensor, memory_format=torch.contiguous_format) for tensor in given[:3]
    )


def _remember(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    words, _, tables, edges, nodes, offsets, structure, kind, steep = inputs
    ctx.save_for_backward(words, tables, edges, nodes, offsets, *structure)
    ctx.kind, ctx.steep = kind, steep


def _backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
    words, tables, edges, nodes, offsets, *structure = ctx.saved_tensors
    flows = goal_networks_backward(
        gradient, words, tables, edges, nodes, offsets, structure, ctx.kind, ctx.steep
    )
    return None, None, *flows, None, [None] * len(structure), None, None


goal_networks.register_autograd(_backward, setup_context=_remember)


def _array(tensor: Tensor) -> npt.NDArray[Any]:
    """Return a tensor's numbers as a contiguous array, shared where they are so already."""
    return tensor.detach().contiguous().numpy()


def _network(*given: *Given) -> Network:
    """Return the networks for compiled code."""
    tables, edges, nodes, offsets, structure, kind, steep = given
    numbers = (tables, edges, nodes, offsets)
    return make_network([*map(_array, structure)], [*map(_array, numbers)], kind, steep)
