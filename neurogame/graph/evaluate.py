"""What the outputs of a graph are, by Boolean logic, 64 assignments at a time."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools, Int64s, UInt64s
from neurogame.errors import GameError
from neurogame.graph.graph import AND, Graph
from neurogame.graph.lanes import pack_lanes, unpack_lanes
from neurogame.graph.levels import steps


def holds(graph: Graph, inputs: Bools) -> Bools:
    """Return which outputs hold.

    Args:
        graph: any.
        inputs: truth of the inputs without the constant; bool ``[B, I - 1]``.

    Returns:
        Bool ``[B, N]``.

    Raises:
        GameError: the assignments have another number of inputs.
    """
    if inputs.ndim != 2 or inputs.shape[1] != graph.input_count - 1:
        raise GameError(
            f"inputs of shape {inputs.shape} do not fit: [B, {graph.input_count - 1}] is needed"
        )
    # Bits are packed along rows; along columns of another order it takes ten times as long.
    lanes = pack_lanes(np.ascontiguousarray(inputs.T))
    words = np.zeros((graph.node_count, lanes.shape[1]), np.uint64)
    words[1 : graph.input_count] = lanes

    def value(literals: Int64s) -> UInt64s:
        flip = -(literals & 1)
        result: UInt64s = words[literals >> 1] ^ flip.view(np.uint64)[:, None]
        return result

    for kind, gates in steps(graph):
        read, start = graph.inputs_of(gates)
        operation = np.bitwise_and if kind == AND else np.bitwise_or
        words[graph.input_count + gates] = operation.reduceat(value(read), start[:-1], axis=0)
    return unpack_lanes(value(graph.outputs), len(inputs)).T
