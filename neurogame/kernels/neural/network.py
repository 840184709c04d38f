"""The outputs of goal networks for a block of lanes: 64 states at once, or a single one.

See :class:`~neurogame.kernels.neural.layout.Layout` for the structure; ``C`` channels per neuron:

``PLAIN``
    one, the output. Nodes: bias. Edges: weight.
``SOUND``
    the logarithms of the deviations from floor and ceiling, and the output of the soft network.
    Nodes: floor, ceiling, soft bias. Edges: logarithmic weight, soft weight. The first two
    channels of the tables hold deviations divided by ``exp(offsets)``.
``THRESHOLD``
    truth and falsity. Nodes: 1 for a conjunction, else 0. Instead of edges the constants of the
    t-norm: ``q``, ``1 / q``, ``t``, ``(1 - t)^q``, the least power, and ``t^q``. The tables hold
    falsities (truths for a disjunction) to the power of q, of literals that fail and of others.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from neurogame.array_types import Float32s, Float32s2, Float32s3, Int32s1, Int32s2, UInt8s2
from neurogame.kernels.neural.lane_math import lane_exp, lane_log, lane_tanh
from neurogame.kernels.neural.layout import PLAIN, SOUND
from neurogame.kernels.neural.lookup import table_sums
from neurogame.native.compiled import callee
from neurogame.native.struct import Struct

Lanes: TypeAlias = Float32s
"""Numbers of lanes side by side, of any number of dimensions."""

CHANNELS = (1, 3, 2)
"""Numbers per neuron of each kind."""

ROWS = (1, 7, 4)
"""Rows of lanes that are kept per neuron: the channels, and what parents (or, on the way back, the
neuron itself) need besides."""

_NOTHING = -1e30
_NEAR = 0.5
"""Below it, ``1 - exp(-t)`` is computed as a series: the difference would lose digits."""
_LOG_2 = math.log(2.0)


class Network(Struct):
    """Networks with their weights.

    ``P`` patterns, ``T`` tables, ``N`` upper neurons, ``D`` edges between them, ``O`` outputs;
    structure as in :class:`~neurogame.kernels.neural.layout.Layout`.

    Attributes:
        pattern: leaves of each pattern; int32 ``[P, 5]``.
        table_pattern: pattern of each table; int32 ``[T]``.
        table_start: first table of each upper neuron; int32 ``[N + 1]``.
        edge_start: first edge of each upper neuron; int32 ``[N + 1]``.
        edge_child: what each edge reads; int32 ``[D]``.
        output: upper neuron of each output; int32 ``[O]``.
        steep: half the steepness of the activation.
        kind: of network.
        tables: what each table holds; ``[T, C, 32]``.
        edges: parameters of edges between upper neurons; ``[*, D]``.
        nodes: parameters of upper neurons; ``[*, N]``.
        offsets: kind SOUND: logarithm of what the tables' two first channels were divided by,
            per upper neuron; ``[2, N]``.
    """

    pattern: Int32s2
    table_pattern: Int32s1
    table_start: Int32s1
    edge_start: Int32s1
    edge_child: Int32s1
    output: Int32s1
    steep: float
    kind: int
    tables: Float32s3
    edges: Float32s2
    nodes: Float32s2
    offsets: Float32s2


@callee
def propagate(network: Network, index: UInt8s2, state: Lanes) -> None:
    """Compute all upper neurons.

    Args:
        network: with its weights.
        index: entry to take of each pattern; uint8 ``[P, L]``.
        state: written: the channels, and for kind SOUND in rows 3 and 4 the deviations of the
            net input divided by ``exp`` of rows 5 and 6, for kind THRESHOLD in rows 2 and 3 the
            powers of falsity and of truth, negative where it is the lesser of the two;
            ``[N, ROWS[kind], L]``.
    """
    table_pattern, table_start = network.table_pattern, network.table_start
    edge_start, edge_child = network.edge_start, network.edge_child
    tables, edges, nodes, offsets = network.tables, network.edges, network.nodes, network.offsets
    kind, channels = network.kind, tables.shape[1]
    steep = np.float32(network.steep)
    for n in range(len(state)):
        neuron = state[n]
        first, last = edge_start[n], edge_start[n + 1]
        begin, end = table_start[n], table_start[n + 1]
        table_sums(tables, table_pattern, begin, end, index, neuron[:channels])
        if kind == PLAIN:
            _add_weighted(neuron[0], state, 0, edges[0], edge_child, first, last)
            _squash(neuron[0], nodes[0, n], steep)
        elif kind == SOUND:
            for channel in range(2):
                if first < last:
                    _add_logarithms(network, state, n, channel)
                else:
                    _scale(neuron, channel, offsets[channel, n])
            _add_weighted(neuron[2], state, 2, edges[1], edge_child, first, last)
            _deviate(neuron, nodes[0, n], nodes[1, n])
            _squash(neuron[2], nodes[2, n], steep)
        else:
            conjunction = nodes[0, n] != 0
            _add_powers(neuron, state, conjunction, edge_child, first, last)
            _join(neuron, conjunction, edges[0])


@callee
def _add_weighted(
    sums: Lanes,
    state: Lanes,
    channel: int,
    weights: Lanes,
    children: Int32s1,
    first: int,
    last: int,
) -> None:
    for e in range(first, last):
        weight, below = weights[e], state[children[e] >> 1, channel]
        for lane in range(len(sums)):
            sums[lane] += weight * below[lane]


@callee
def _squash(sums: Lanes, bias: np.float32, steep: np.float32) -> None:
    for lane in range(len(sums)):
        sums[lane] = lane_tanh(steep * (sums[lane] + bias))


@callee
def _scale(neuron: Lanes, channel: int, offset: np.float32) -> None:
    """Keep a sum and its divisor, and write the deviation itself."""
    sums, kept, base = neuron[channel], neuron[3 + channel], neuron[5 + channel]
    factor = lane_exp(offset)
    for lane in range(len(sums)):
        kept[lane] = sums[lane]
        base[lane] = offset
        sums[lane] *= factor


@callee
def _add_logarithms(network: Network, state: Lanes, n: int, channel: int) -> None:
    """Add deviations that are given by their logarithms, relative to the largest."""
    sums, kept, base = state[n, channel], state[n, 3 + channel], state[n, 5 + channel]
    weights, children, offset = network.edges[0], network.edge_child, network.offsets[channel, n]
    first, last = network.edge_start[n], network.edge_start[n + 1]
    filled = network.table_start[n] < network.table_start[n + 1]
    nothing = np.float32(_NOTHING)
    for lane in range(len(sums)):
        rise = lane_log(sums[lane]) + offset if filled else nothing
        kept[lane] = rise
        base[lane] = rise
    for e in range(first, last):
        weight, below = weights[e], state[children[e] >> 1, channel ^ (children[e] & 1)]
        for lane in range(len(base)):
            other = weight + below[lane]
            base[lane] = base[lane] if base[lane] > other else other
    for lane in range(len(base)):
        kept[lane] = lane_exp(kept[lane] - base[lane])
    for e in range(first, last):
        weight, below = weights[e], state[children[e] >> 1, channel ^ (children[e] & 1)]
        for lane in range(len(base)):
            kept[lane] += lane_exp(weight + below[lane] - base[lane])
    for lane in range(len(base)):
        sums[lane] = kept[lane] * lane_exp(base[lane])


@callee
def _deviate(neuron: Lanes, floor: np.float32, ceiling: np.float32) -> None:
    """Turn the net input's deviations into the logarithms of the output's.

    The logistic function and the last factor of ``low`` share one logarithm.
    """
    low, high = neuron[0], neuron[1]
    zero, one, near = (
        np.float32(0.0),
        np.float32(1.0),
        np.float32(_NEAR),
    )
    from_floor = np.float32(_LOG_2) + log_sigmoid(-floor)
    from_ceiling = np.float32(_LOG_2) + log_sigmoid(ceiling)
    for lane in range(len(low)):
        up, down = low[lane], high[lane]
        x = floor + up if up < down else ceiling - down
        total = one + lane_exp(-x if x > zero else x)
        below, above = (zero, x) if x > zero else (x, zero)
        rising = neuron[3, lane] if up < near else one - lane_exp(-up)
        falling = neuron[4, lane] if down < near else one - lane_exp(-down)
        more = neuron[5, lane] + log_damping(up) if up < near else zero
        less = neuron[6, lane] + log_damping(down) if down < near else zero
        low[lane] = from_floor + below + lane_log(rising / total) + more
        high[lane] = from_ceiling - above + lane_log(falling / total) + less


@callee
def log_damping(t: np.float32) -> Any:
    """Return ``log((1 - exp(-t)) / t)`` for t between 0 and a half, as a series."""
    half, c1 = np.float32(0.5), np.float32(1.0 / 24.0)
    c2, c3 = np.float32(1.0 / 2880.0), np.float32(1.0 / 181440.0)
    c4, square = np.float32(1.0 / 9676800.0), t * t
    return t * (t * (c1 - square * (c2 - square * (c3 - square * c4))) - half)


@callee
def log_sigmoid(x: np.float32) -> Any:
    """Return ``log(1 / (1 + exp(-x)))``."""
    zero, one = np.float32(0.0), np.float32(1.0)
    size = x if x > zero else -x
    return (x if x < zero else zero) - lane_log(one + lane_exp(-size))


@callee
def _add_powers(
    sums: Lanes, state: Lanes, conjunction: bool, children: Int32s1, first: int, last: int
) -> None:
    """Add the powers of literals: those that fail to the first sum, the others to the second."""
    strong, weak = sums[0], sums[1]
    zero = np.float32(0.0)
    turned = 0 if conjunction else 1
    for e in range(first, last):
        below = state[children[e] >> 1, 2 + ((children[e] & 1) ^ turned)]
        for lane in range(len(strong)):
            power = below[lane]
            strong[lane] += power if power > zero else zero
            weak[lane] -= power if power < zero else zero


@callee
def _join(neuron: Lanes, conjunction: bool, constants: Lanes) -> None:
    """Turn sums of powers into truth, falsity and their powers under the threshold t-norm.

    What is written is a conjunction's, whose negation a disjunction is.
    """
    q, root, t, unit = constants[0], constants[1], constants[2], constants[3]
    least, lowest, zero, one = (
        constants[4],
        constants[5],
        np.float32(0.0),
        np.float32(1.0),
    )
    rest, tiny = one - t, np.float32(1e-30)
    for lane in range(neuron.shape[1]):
        fails = neuron[0, lane] > zero
        total = neuron[0, lane] + neuron[1, lane] * unit if fails else neuron[1, lane]
        size = lane_exp(root * lane_log(total))
        size = size if fails else size * rest
        bottom, top = t if fails else zero, one if fails else rest
        size = size if size > bottom else bottom
        falsity = size if size < top else top
        bottom = lowest if fails else least
        power = total if total > bottom else bottom
        power = power if power < one else one
        truth = one - falsity
        share = truth / rest if fails else truth
        other = lane_exp(q * lane_log(share if share > tiny else tiny))
        less = other if other > least else least
        neuron[0, lane], neuron[1, lane] = truth, falsity
        neuron[2, lane] = power if fails else -power
        neuron[3, lane] = -less if fails else other
    if not conjunction:
        for lane in range(neuron.shape[1]):
            neuron[0, lane], neuron[1, lane] = neuron[1, lane], neuron[0, lane]
            neuron[2, lane], neuron[3, lane] = neuron[3, lane], neuron[2, lane]
