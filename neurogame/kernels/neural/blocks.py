"""Goal networks on batches of packed states, 64 lanes at a time."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s2
from neurogame.kernels.neural.gradient import backpropagate
from neurogame.kernels.neural.lookup import LANES, index_lanes
from neurogame.kernels.neural.network import ROWS, AnyNetwork, Lanes2, Lanes3, propagate
from neurogame.native.compiled import counted


@counted
def forward_blocks(
    network: AnyNetwork,
    words: Int64s2,
    outputs: Lanes3,
) -> None:
    """Compute the outputs of all states.

    Args:
        network: with its weights.
        words: states; int64 ``[columns, W]``.
        outputs: written; ``[O, C, B]``.
    """
    pattern, output, tables = network.pattern, network.output, network.tables
    nodes, kind = network.nodes, network.kind
    index = np.empty((len(pattern), LANES), np.uint8)
    column = np.zeros(len(words) + 1, np.int64)
    state = np.empty((nodes.shape[1], ROWS[kind], LANES), tables.dtype)
    size, channels = outputs.shape[2], outputs.shape[1]
    for word in range(words.shape[1]):
        for signal in range(len(words)):
            column[signal] = words[signal, word]
        index_lanes(column, pattern, index)
        propagate(network, index, state)
        first = word * LANES
        last = min(first + LANES, size)
        for o in range(len(output)):
            for channel in range(channels):
                for lane in range(last - first):
                    value = state[max(output[o], 0), channel, lane]
                    outputs[o, channel, first + lane] = value if output[o] >= 0 else 0.0


@counted
def backward_blocks(
    network: AnyNetwork,
    words: Int64s2,
    gradient: Lanes3,
    table_flow: Lanes3,
    edge_flow: Lanes2,
    node_flow: Lanes2,
) -> None:
    """Add up the gradients of all states; the outputs are computed again, block by block.

    Args:
        network: with its weights.
        words: states; int64 ``[columns, W]``.
        gradient: of the outputs; ``[O, C, B]``.
        table_flow: added to; see :func:`~neurogame.kernels.neural.gradient.backpropagate`.
        edge_flow: added to; like the edges.
        node_flow: added to; like the nodes.
    """
    pattern, output, tables = network.pattern, network.output, network.tables
    nodes, kind = network.nodes, network.kind
    index = np.empty((len(pattern), LANES), np.uint8)
    column = np.zeros(len(words) + 1, np.int64)
    state = np.empty((nodes.shape[1], ROWS[kind], LANES), tables.dtype)
    size, channels = gradient.shape[2], gradient.shape[1]
    flow = np.empty((nodes.shape[1], channels, LANES), tables.dtype)
    pulse = np.zeros((LANES, table_flow.shape[2]), tables.dtype)
    part = np.empty(LANES, tables.dtype)
    for word in range(words.shape[1]):
        for signal in range(len(words)):
            column[signal] = words[signal, word]
        index_lanes(column, pattern, index)
        propagate(network, index, state)
        first = word * LANES
        last = min(first + LANES, size)
        flow[:] = 0
        for o in range(len(output)):
            for channel in range(channels):
                if output[o] >= 0:
                    for lane in range(last - first):
                        flow[output[o], channel, lane] += gradient[o, channel, first + lane]
        backpropagate(network, index, state, flow, table_flow, edge_flow, node_flow, pulse, part)
