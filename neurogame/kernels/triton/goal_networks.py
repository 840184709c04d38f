"""Goal networks on the GPU: launches the kernels, with the arguments of the CPU's operators.

The numbers are float32. Memory is that of the programs that run at a time, whatever the batch.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from neurogame.errors import ConfigurationError

BLOCK = 128
"""Lanes of a program, one per thread."""

CHANNELS = (1, 3, 2)
"""Numbers per neuron of each kind; see :mod:`neurogame.kernels.neural.network`."""

ROWS = (1, 7, 2)
"""Rows of lanes that are kept per neuron of each kind."""

_MOST_PROGRAMS = 1024


def goal_networks(
    words: Tensor,
    size: int,
    tables: Tensor,
    edges: Tensor,
    nodes: Tensor,
    offsets: Tensor,
    structure: list[Tensor],
    kind: int,
    steep: float,
) -> Tensor:
    """Return the outputs of goal networks; see ``neurogame::goal_networks``.

    Args:
        words: states; int64 ``[columns, W]``.
        size: number of states, ``B <= 64 W``.
        tables: what every table holds; float32 ``[T, C, 32]``.
        edges: parameters of edges between upper neurons; ``[*, D]``.
        nodes: parameters of upper neurons; ``[*, N]``.
        offsets: logarithm of what tables were divided by; ``[2, N]``.
        structure: :attr:`~neurogame.kernels.neural.layout.Layout.structure`.
        kind: of network.
        steep: half the steepness of the activation.

    Returns:
        float32 ``[O, C, B]``.
    """
    from neurogame.kernels.triton.network import forward

    outputs = tables.new_empty(len(structure[5]), CHANNELS[kind], size)
    numbers = _contiguous(tables, edges, nodes, offsets)
    words = _padded(words)
    _, scratch, options = _launch(size, numbers, structure, kind)
    forward[(len(scratch[0]),)](
        *(words, outputs, *numbers, *structure, *scratch),
        *(size, words.shape[1], len(structure[0]), nodes.shape[1], edges.shape[1], len(outputs)),
        steep,
        **options,
    )
    return outputs


def goal_networks_backward(
    gradient: Tensor,
    words: Tensor,
    tables: Tensor,
    edges: Tensor,
    nodes: Tensor,
    offsets: Tensor,
    structure: list[Tensor],
    kind: int,
    steep: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of tables, edges and nodes; arguments as of :func:`goal_networks`.

    Args:
        gradient: of the outputs; ``[O, C, B]``.
        words: see there, like all that follow.
        tables: see there.
        edges: see there.
        nodes: see there.
        offsets: see there.
        structure: see there.
        kind: see there.
        steep: see there.
    """
    from neurogame.kernels.triton.network_gradient import backward

    size, words = gradient.shape[2], _padded(words)
    numbers = _contiguous(tables, edges, nodes, offsets)
    flows = tuple(torch.zeros_like(tensor) for tensor in numbers[:3])
    programs, scratch, options = _launch(size, numbers, structure, kind)
    flow = tables.new_empty(programs, nodes.shape[1] * CHANNELS[kind] * BLOCK)
    backward[(programs,)](
        *(gradient.contiguous(), words, *numbers, *structure, *flows),
        *(*scratch, flow, size, words.shape[1], len(structure[0])),
        *(nodes.shape[1], edges.shape[1], len(gradient), steep),
        **options,
    )
    return flows[0], flows[1], flows[2]


def _contiguous(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return float32 tensors as they must lie in memory."""
    for tensor in tensors:
        if tensor.dtype != torch.float32:
            raise ConfigurationError(
                f"the Triton kernels compute in float32, not in {tensor.dtype}; "
                "convert the evaluator, or use plain torch"
            )
    return tuple(tensor.contiguous() for tensor in tensors)


def _padded(words: Tensor) -> Tensor:
    """Return words of whole blocks, and a last row that is 0, for bits that are missing."""
    blocks = -(-words.shape[1] * 64 // BLOCK)
    return torch.nn.functional.pad(words, (0, blocks * BLOCK // 64 - words.shape[1], 0, 1))


def _launch(
    size: int, numbers: tuple[Tensor, ...], structure: list[Tensor], kind: int
) -> tuple[int, tuple[Tensor, Tensor], dict[str, Any]]:
    """Return the number of programs, their entries and rows, and the options of a launch."""
    tables, _, nodes, _ = numbers
    programs = max(min(-(-size // BLOCK), _MOST_PROGRAMS), 1)
    entries = torch.empty(
        (programs, len(structure[0]) * BLOCK), dtype=torch.int8, device=tables.device
    )
    state = tables.new_empty(programs, nodes.shape[1] * ROWS[kind] * BLOCK)
    options = {
        "KIND": kind,
        "CHANNELS": CHANNELS[kind],
        "ROWS": ROWS[kind],
        "BLOCK": BLOCK,
        "num_warps": BLOCK // 32,
    }
    return programs, (entries, state), options
