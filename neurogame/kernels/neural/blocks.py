"""Goal networks on batches of packed states, 64 lanes at a time."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s2, Float32s3, Int64s2
from neurogame.kernels.neural.gradient import backpropagate
from neurogame.kernels.neural.lookup import LANES, index_lanes
from neurogame.kernels.neural.network import ROWS, Network, propagate, read_output
from neurogame.native.compiled import compiled


@compiled(arrays=True)
def forward_blocks(
    network: Network,
    words: Int64s2,
    outputs: Float32s3,
) -> None:
    """Compute the outputs of all states.

    Args:
        network: with its weights.
        words: states; int64 ``[columns, W]``.
        outputs: written; ``[O, C, B]``.
    """
    pattern, output = network.pattern, network.output
    nodes, kind = network.nodes, network.kind
    index = np.empty((len(pattern), LANES), np.uint8)
    column = np.zeros(len(words) + 1, np.int64)
    state = np.empty((nodes.shape[1], ROWS[kind], LANES), np.float32)
    part = np.empty(LANES, np.float32)
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
                read_output(state[max(output[o], 0)], kind, channel, part)
                for lane in range(last - first):
                    outputs[o, channel, first + lane] = part[lane] if output[o] >= 0 else 0.0


@compiled(arrays=True)
def backward_blocks(
    network: Network,
    words: Int64s2,
    gradient: Float32s3,
    table_flow: Float32s3,
    edge_flow: Float32s2,
    node_flow: Float32s2,
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
    pattern, output = network.pattern, network.output
    nodes, kind = network.nodes, network.kind
    index = np.empty((len(pattern), LANES), np.uint8)
    column = np.zeros(len(words) + 1, np.int64)
    state = np.empty((nodes.shape[1], ROWS[kind], LANES), np.float32)
    size, channels = gradient.shape[2], gradient.shape[1]
    flow = np.empty((nodes.shape[1], channels, LANES), np.float32)
    pulse = np.zeros((LANES, table_flow.shape[2]), np.float32)
    part = np.empty(LANES, np.float32)
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
