"""The outputs of goal networks for a block of lanes: 64 states at once, or a single one.

See :class:`~neurogame.kernels.neural.layout.Layout` for the structure; ``C`` channels per neuron:

``PLAIN``
    one, the output. Nodes: bias. Edges: weight.
``SOUND``
    the deviations from floor and ceiling, and the output of the soft network. A deviation may be
    far smaller than any float: it is a number near 1 and a whole exponent of 2, each in a row of
    its own (:data:`EXPONENT`, :data:`OUTPUT`); logarithms are taken of outputs alone.
    Nodes: floor, ceiling, soft bias. Edges: weight, soft weight. The first two channels of the
    tables hold deviations divided by ``2 ** offsets``.
``THRESHOLD``
    truth and falsity. Nodes: 1 for a conjunction, else 0. Instead of edges the constants of the
    t-norm: ``q``, ``1 / q``, ``t``, ``(1 - t)^q``, the least power, and ``t^q``. The tables hold
    falsities (truths for a disjunction) to the power of q, of literals that fail and of others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from neurogame.array_types import Float32s, Float32s2, Float32s3, Int32s, Int32s1, Int32s2, UInt8s2
from neurogame.kernels.neural.lane_math import (
    lane_exp,
    lane_exp_parts,
    lane_log,
    lane_parts,
    lane_power,
    lane_tanh,
)
from neurogame.kernels.neural.layout import PLAIN, SOUND
from neurogame.kernels.neural.lookup import table_sums
from neurogame.native.compiled import callee
from neurogame.native.struct import Struct

Lanes: TypeAlias = Float32s
"""Numbers of lanes side by side, of any number of dimensions."""

CHANNELS = (1, 3, 2)
"""Numbers per neuron of each kind."""

ROWS = (1, 9, 4)
"""Rows of lanes that are kept per neuron: the channels, and what parents (or, on the way back, the
neuron itself) need besides."""

EXPONENT, OUTPUT = 3, 5
"""Kind SOUND: rows 0 and 1 hold the deviations of the net input, divided by 2 to the power of rows
3 and 4; rows 5 and 6 those of the neuron's output, rows 7 and 8 their exponents."""

_NOTHING = -1e9
_NEAR = 0.5
"""Below it, ``1 - exp(-t)`` is computed as a series: the difference would lose digits."""
_LEAST = 1e-30
LOG_2 = math.log(2.0)


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
        offsets: kind SOUND: the tables' two first channels were divided by 2 to its power; whole
            numbers, per upper neuron; ``[2, N]``.
        ends: kind SOUND: ``2 s(-floor)`` and ``2 s(ceiling)`` with the logistic function ``s``,
            as numbers near 1, and their exponents of 2; ``exp(floor - ceiling)``, 0 where no
            float32 tells it from 0 beside 1; ``[5, N]``.
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
    ends: Float32s2


def make_network(
    structure: Sequence[Int32s], numbers: Sequence[Float32s], kind: int, steep: float
) -> Network:
    """Return networks for compiled code.

    Args:
        structure: :attr:`~neurogame.kernels.neural.layout.Layout.structure`.
        numbers: tables, edges, nodes and offsets.
        kind: of network.
        steep: half the steepness of the activation.
    """
    pattern, table_pattern, table_start, edge_start, edge_child, output = structure
    tables, edges, nodes, offsets = numbers
    outer = np.stack([nodes[0], -nodes[1]] if kind == SOUND else [nodes[0, :0]] * 2)
    logarithm = LOG_2 - np.logaddexp(np.float64(0.0), outer)
    exponent = np.rint(logarithm / LOG_2)
    whole = np.exp(outer.sum(axis=0, dtype=np.float64))
    whole[whole < _LEAST] = 0.0
    ends = np.concatenate([np.exp(logarithm - LOG_2 * exponent), exponent, whole[None]])
    return Network(
        pattern=pattern,
        table_pattern=table_pattern,
        table_start=table_start,
        edge_start=edge_start,
        edge_child=edge_child,
        output=output,
        tables=tables,
        edges=edges,
        nodes=nodes,
        offsets=offsets,
        ends=ends.astype(np.float32),
        steep=float(np.float32(steep)),
        kind=kind,
    )


@callee
def propagate(network: Network, index: UInt8s2, state: Lanes) -> None:
    """Compute all upper neurons.

    Args:
        network: with its weights.
        index: entry to take of each pattern; uint8 ``[P, L]``.
        state: written: kind SOUND, see :data:`OUTPUT`; else the channels, and for kind THRESHOLD
            in rows 2 and 3 the powers of falsity and of truth, negative where it is the lesser of
            the two; ``[N, ROWS[kind], L]``.
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
                neuron[EXPONENT + channel] = offsets[channel, n]
                if first < last:
                    _add_deviations(network, state, n, channel)
            _add_weighted(neuron[2], state, 2, edges[1], edge_child, first, last)
            _deviate(neuron, nodes[0, n], nodes[1, n], network.ends, n)
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
def _add_deviations(network: Network, state: Lanes, n: int, channel: int) -> None:
    """Add deviations of other neurons, relative to the largest."""
    sums, base = state[n, channel], state[n, EXPONENT + channel]
    weights, children = network.edges[0], network.edge_child
    first, last = network.edge_start[n], network.edge_start[n + 1]
    filled = network.table_start[n] < network.table_start[n + 1]
    offset, nothing = network.offsets[channel, n], np.float32(_NOTHING)
    own = state[n, OUTPUT + 2 + channel]
    for lane in range(len(base)):
        sums[lane], exponent = lane_parts(sums[lane])
        own[lane] = base[lane] = offset + exponent if filled else nothing
    for e in range(first, last):
        exponent = state[children[e] >> 1, OUTPUT + 2 + (channel ^ (children[e] & 1))]
        for lane in range(len(base)):
            base[lane] = base[lane] if base[lane] > exponent[lane] else exponent[lane]
    for lane in range(len(base)):
        sums[lane] *= lane_power(own[lane] - base[lane])
    for e in range(first, last):
        weight, row = weights[e], OUTPUT + (channel ^ (children[e] & 1))
        below, exponent = state[children[e] >> 1, row], state[children[e] >> 1, row + 2]
        for lane in range(len(base)):
            sums[lane] += weight * below[lane] * lane_power(exponent[lane] - base[lane])


@callee
def _deviate(
    neuron: Lanes, floor: np.float32, ceiling: np.float32, ends: Float32s2, n: int
) -> None:
    """Compute the output's deviations from the net input's."""
    zero, one, close = np.float32(0.0), np.float32(1.0), np.float32(_NEAR)
    from_floor, from_ceiling, whole = ends[0, n], ends[1, n], ends[4, n]
    floor_exponent, ceiling_exponent = ends[2, n], ends[3, n]
    for lane in range(neuron.shape[1]):
        risen, fallen = neuron[0, lane], neuron[1, lane]
        rise, drop = neuron[3, lane], neuron[4, lane]
        up, down = risen * lane_power(rise), fallen * lane_power(drop)
        lower = up < down
        x = floor + up if lower else ceiling - down
        positive = x > zero
        e, exponent = lane_exp_parts(-x if positive else x)
        total = one + e * lane_power(exponent)
        # 1 - exp(-t) for the nearer end, where it may be tiny, and for the other.
        t = up if lower else down
        fall = lane_exp(-t)
        inverse = one / (total * fall)
        share = inverse * fall
        tiny, place = (risen, rise) if lower else (fallen, drop)
        near = tiny * damping_series(t) if t < close else one - fall
        place = place if t < close else zero
        far = one - whole * inverse * total
        below, above = (one if positive else e), (e if positive else one)
        rising, falling = (near if lower else far), (far if lower else near)
        low, low_exponent = lane_parts(from_floor * rising * share * below)
        high, high_exponent = lane_parts(from_ceiling * falling * share * above)
        neuron[5, lane], neuron[6, lane] = low, high
        low_exponent += floor_exponent + (zero if positive else exponent)
        high_exponent += ceiling_exponent + (exponent if positive else zero)
        neuron[7, lane] = low_exponent + (place if lower else zero)
        neuron[8, lane] = high_exponent + (zero if lower else place)


@callee
def damping_series(t: np.float32) -> Any:
    """Return ``(1 - exp(-t)) / t`` for t between 0 and a half, as a series."""
    one, c2, c3 = np.float32(1.0), np.float32(1.0 / 2.0), np.float32(1.0 / 6.0)
    c4, c5, c6 = np.float32(1.0 / 24.0), np.float32(1.0 / 120.0), np.float32(1.0 / 720.0)
    c7 = np.float32(1.0 / 5040.0)
    return one - t * (c2 - t * (c3 - t * (c4 - t * (c5 - t * (c6 - t * c7)))))


@callee
def read_output(neuron: Lanes, kind: int, channel: int, output: Lanes) -> None:
    """Write a channel of a neuron, deviations as their logarithms; ``[L]``."""
    if kind == SOUND and channel < 2:
        for lane in range(len(output)):
            logarithm = lane_log(neuron[OUTPUT + channel, lane])
            output[lane] = logarithm + np.float32(LOG_2) * neuron[OUTPUT + 2 + channel, lane]
    else:
        for lane in range(len(output)):
            output[lane] = neuron[channel, lane]


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
