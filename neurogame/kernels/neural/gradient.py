"""The way back through the upper neurons of a block of 64 lanes, down to the tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.array_types import UInt8s2
from neurogame.kernels.neural.lane_math import lane_exp, lane_power
from neurogame.kernels.neural.layout import PLAIN
from neurogame.kernels.neural.network import EXPONENT, OUTPUT, Lanes, Network
from neurogame.native.compiled import callee


@callee
def backpropagate(
    network: Network,
    index: UInt8s2,
    state: Lanes,
    flow: Lanes,
    table_flow: Lanes,
    edge_flow: Lanes,
    node_flow: Lanes,
    pulse: Lanes,
    part: Lanes,
) -> None:
    """Add the gradients of tables, edges and nodes to what is there; kinds PLAIN and SOUND.

    Args:
        network: with its weights.
        index: ``[P, L]``.
        state: as :func:`~neurogame.kernels.neural.network.propagate` has left it;
            ``[N, ROWS[kind], L]``.
        flow: gradients of the outputs; changed; ``[N, C, L]``.
        table_flow: added to; channels side by side: ``[T, 32, 1]`` for one channel, else
            ``[T, 32, 4]``.
        edge_flow: added to; like the edges.
        node_flow: added to; like the nodes.
        pulse: memory to work in, zeros; ``[L, C of table_flow]``.
        part: memory to work in; ``[L]``.
    """
    table_pattern, table_start = network.table_pattern, network.table_start
    nodes, offsets = network.nodes, network.offsets
    kind, steep = network.kind, np.float32(network.steep)
    for n in range(len(state) - 1, -1, -1):
        begin, end = table_start[n], table_start[n + 1]
        if kind == PLAIN:
            _unsquash(flow[n, 0], state[n, 0], steep)
            node_flow[0, n] += _total(flow[n, 0])
            _below_weighted(network, flow, state, n, 0, 0, edge_flow)
            for lane in range(len(pulse)):
                pulse[lane, 0] = flow[n, 0, lane]
        else:
            _undeviate(flow[n], state[n], nodes[0, n], nodes[1, n])
            node_flow[0, n] += _total(state[n, OUTPUT])
            node_flow[1, n] += _total(state[n, OUTPUT + 1])
            for channel in range(2):
                _below_deviations(network, flow, state, n, channel, edge_flow[0], part)
            _unsquash(flow[n, 2], state[n, 2], steep)
            node_flow[2, n] += _total(flow[n, 2])
            _below_weighted(network, flow, state, n, 2, 1, edge_flow)
            if begin < end:
                _gather_pulse(flow[n], state[n], offsets[0, n], offsets[1, n], pulse)
        for table in range(begin, end):
            _scatter(table_flow[table], index[table_pattern[table]], pulse)


@callee(sums=True)
def _total(numbers: Lanes) -> Any:
    total = np.float32(0.0)
    for lane in range(len(numbers)):
        total += numbers[lane]
    return total


@callee(sums=True)
def _product(one: Lanes, other: Lanes) -> Any:
    total = np.float32(0.0)
    for lane in range(len(one)):
        total += one[lane] * other[lane]
    return total


@callee
def _unsquash(flow: Lanes, output: Lanes, steep: np.float32) -> None:
    one = np.float32(1.0)
    for lane in range(len(flow)):
        flow[lane] *= steep * (one - output[lane] * output[lane])


@callee
def _below_weighted(
    network: Network, flow: Lanes, state: Lanes, n: int, channel: int, row: int, edge_flow: Lanes
) -> None:
    above, children = flow[n, channel], network.edge_child
    weights, weight_flow = network.edges[row], edge_flow[row]
    for e in range(network.edge_start[n], network.edge_start[n + 1]):
        child = children[e] >> 1
        weight_flow[e] += _product(above, state[child, channel])
        weight, below = weights[e], flow[child, channel]
        for lane in range(len(above)):
            below[lane] += weight * above[lane]


@callee
def _undeviate(flow: Lanes, state: Lanes, floor: np.float32, ceiling: np.float32) -> None:
    """Turn the gradients of both deviations' logarithms into those of the net input's.

    Those of floor and ceiling take the place of the output's deviations.
    """
    zero, one = np.float32(0.0), np.float32(1.0)
    low, high = flow[0], flow[1]
    # The derivatives of log s(-floor) and of log s(ceiling).
    past_floor = one / (one + lane_exp(-floor))
    past_ceiling = one / (one + lane_exp(ceiling))
    for lane in range(len(low)):
        up = state[0, lane] * lane_power(state[3, lane])
        down = state[1, lane] * lane_power(state[4, lane])
        nearer = up < down
        x = floor + up if nearer else ceiling - down
        e = lane_exp(-x if x > zero else x)
        greater = one / (one + e)
        lesser = e * greater
        rising, falling = (lesser, greater) if x > zero else (greater, lesser)
        slope = low[lane] * rising - high[lane] * falling
        from_floor, from_ceiling = (slope, zero) if nearer else (zero, slope)
        state[5, lane] = from_floor - low[lane] * past_floor
        state[6, lane] = from_ceiling + high[lane] * past_ceiling
        low[lane] = from_floor * up + low[lane] * _damping(up)
        high[lane] = high[lane] * _damping(down) - from_ceiling * down


@callee
def _damping(t: np.float32) -> Any:
    """Return ``t / (exp(t) - 1)``, for positive t."""
    one, half, small = np.float32(1.0), np.float32(0.5), np.float32(0.125)
    c2, c4 = np.float32(1.0 / 12.0), np.float32(1.0 / 720.0)
    c6 = np.float32(1.0 / 30240.0)
    square = t * t
    near = one - t * half + square * (c2 - square * (c4 - square * c6))
    e = lane_exp(-t)
    far = t * e / (one - (e if t > small else half))
    return near if t < small else far


@callee
def _below_deviations(
    network: Network,
    flow: Lanes,
    state: Lanes,
    n: int,
    channel: int,
    weight_flow: Lanes,
    part: Lanes,
) -> None:
    above, base, pulse = flow[n, channel], state[n, EXPONENT + channel], state[n, OUTPUT + channel]
    weights, children = network.edges[0], network.edge_child
    for lane in range(len(above)):
        # Of the way from the sum to its logarithm.
        pulse[lane] = above[lane] / state[n, channel, lane]
    for e in range(network.edge_start[n], network.edge_start[n + 1]):
        child, other = children[e] >> 1, channel ^ (children[e] & 1)
        deviation, exponent = state[child, OUTPUT + other], state[child, OUTPUT + 2 + other]
        weight, below = weights[e], flow[child, other]
        for lane in range(len(above)):
            size = deviation[lane] * lane_power(exponent[lane] - base[lane])
            part[lane] = pulse[lane] * size
            below[lane] += weight * part[lane]
        weight_flow[e] += _total(part)


@callee
def _gather_pulse(
    flow: Lanes, state: Lanes, up: np.float32, down: np.float32, pulse: Lanes
) -> None:
    for lane in range(len(pulse)):
        pulse[lane, 0] = state[5, lane] * lane_power(up - state[3, lane])
        pulse[lane, 1] = state[6, lane] * lane_power(down - state[4, lane])
        pulse[lane, 2] = flow[2, lane]


@callee
def _scatter(target: Lanes, entry: Lanes, pulse: Lanes) -> None:
    for lane in range(len(pulse)):
        place = entry[lane]
        target[place, 0] += pulse[lane, 0]
        if target.shape[1] > 1:
            target[place, 1] += pulse[lane, 1]
            target[place, 2] += pulse[lane, 2]
