"""The way back through goal networks; see :mod:`neurogame.kernels.neural.gradient`.

Gradients of parameters are added up by atomic additions, so their last digits may differ from run
to run.
"""

# mypy: disable-error-code="untyped-decorator,no-any-return"
from __future__ import annotations

import triton
import triton.language as tl

from neurogame.kernels.triton.lane_math import damping, lane_exp
from neurogame.kernels.triton.network import index_patterns, propagate


@triton.jit
def add_total(target: tl.tensor, numbers: tl.tensor) -> None:
    """Add the sum over all lanes to one number."""
    tl.atomic_add(target, tl.sum(numbers, axis=0))


@triton.jit
def add_row(row: tl.tensor, numbers: tl.tensor) -> None:
    """Add to a row of the block."""
    tl.store(row, tl.load(row) + numbers)


@triton.jit
def below_weighted(
    own: tl.tensor,
    state: tl.tensor,
    flow: tl.tensor,
    channel: tl.tensor,
    weights: tl.tensor,
    weight_flow: tl.tensor,
    children: tl.tensor,
    first: tl.tensor,
    last: tl.tensor,
    CHANNELS: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
) -> None:
    """Pass the gradient of a weighted sum to the neurons below and to the weights."""
    for e in range(first, last):
        child = tl.load(children + e) >> 1
        output = tl.load(state + (child * ROWS + channel) * BLOCK)
        add_total(weight_flow + e, own * output)
        add_row(flow + (child * CHANNELS + channel) * BLOCK, tl.load(weights + e) * own)


@triton.jit
def below_deviations(
    pulse: tl.tensor,
    base: tl.tensor,
    state: tl.tensor,
    flow: tl.tensor,
    channel: tl.tensor,
    weights: tl.tensor,
    weight_flow: tl.tensor,
    children: tl.tensor,
    first: tl.tensor,
    last: tl.tensor,
    BLOCK: tl.constexpr,
) -> None:
    """Pass the gradient of a sum of deviations to their logarithms below and to the weights."""
    for e in range(first, last):
        child = tl.load(children + e)
        other = channel ^ (child & 1)
        deviation = tl.load(state + ((child >> 1) * 7 + other) * BLOCK)
        part = pulse * lane_exp(tl.load(weights + e) + deviation - base)
        add_row(flow + ((child >> 1) * 3 + other) * BLOCK, part)
        add_total(weight_flow + e, part)


@triton.jit
def scatter(
    table_flow: tl.tensor,
    table_pattern: tl.tensor,
    begin: tl.tensor,
    end: tl.tensor,
    entries: tl.tensor,
    channel: tl.tensor,
    pulse: tl.tensor,
    CHANNELS: tl.constexpr,
    BLOCK: tl.constexpr,
) -> None:
    """Add the gradient of a sum of tables to the entries that were taken."""
    for table in range(begin, end):
        entry = tl.load(entries + tl.load(table_pattern + table) * BLOCK).to(tl.int32)
        tl.atomic_add(table_flow + (table * CHANNELS + channel) * 32 + entry, pulse)


@triton.jit
def undeviate(
    own: tl.tensor, flow: tl.tensor, floor: tl.tensor, ceiling: tl.tensor, BLOCK: tl.constexpr
) -> tl.tensor:
    """Turn the gradients of both deviations' logarithms into those of the net input's.

    Those of floor and ceiling take the place of rows 0 and 1 of the state.
    """
    low, high = tl.load(flow), tl.load(flow + BLOCK)
    past_floor = 1.0 / (1.0 + lane_exp(-floor))
    past_ceiling = 1.0 / (1.0 + lane_exp(ceiling))
    up = tl.load(own + 3 * BLOCK) * lane_exp(tl.load(own + 5 * BLOCK))
    down = tl.load(own + 4 * BLOCK) * lane_exp(tl.load(own + 6 * BLOCK))
    nearer = up < down
    x = tl.where(nearer, floor + up, ceiling - down)
    e = lane_exp(-tl.abs(x))
    greater = 1.0 / (1.0 + e)
    lesser = e * greater
    rising = tl.where(x > 0.0, lesser, greater)
    falling = tl.where(x > 0.0, greater, lesser)
    slope = low * rising - high * falling
    from_floor = tl.where(nearer, slope, 0.0)
    from_ceiling = tl.where(nearer, 0.0, slope)
    tl.store(own, from_floor - low * past_floor)
    tl.store(own + BLOCK, from_ceiling + high * past_ceiling)
    tl.store(flow, from_floor * up + low * damping(up))
    tl.store(flow + BLOCK, high * damping(down) - from_ceiling * down)


@triton.jit
def disconnect(
    state: tl.tensor, flow: tl.tensor, conjunction: tl.tensor, BLOCK: tl.constexpr
) -> None:
    """Turn the gradients of truth's and falsity's logarithms into those of their sums."""
    true, false = tl.load(flow), tl.load(flow + BLOCK)
    here = tl.where(conjunction, true, false)
    there = tl.where(conjunction, false, true)
    t = -tl.where(conjunction, tl.load(state), tl.load(state + BLOCK))
    slope = tl.where(t > 1e-30, -damping(t) / tl.maximum(t, 1e-30), 0.0)
    here += there * slope
    tl.store(flow, tl.where(conjunction, here, 0.0))
    tl.store(flow + BLOCK, tl.where(conjunction, 0.0, here))


@triton.jit
def below_truth(
    own: tl.tensor,
    flow: tl.tensor,
    channel: tl.tensor,
    children: tl.tensor,
    first: tl.tensor,
    last: tl.tensor,
    BLOCK: tl.constexpr,
) -> None:
    """Pass the gradient of a sum of logarithms to the neurons below."""
    for e in range(first, last):
        child = tl.load(children + e)
        add_row(flow + ((child >> 1) * 2 + (channel ^ (child & 1))) * BLOCK, own)


@triton.jit
def back_plain(
    n: tl.tensor,
    state: tl.tensor,
    flow: tl.tensor,
    edges: tl.tensor,
    edge_flow: tl.tensor,
    node_flow: tl.tensor,
    children: tl.tensor,
    first: tl.tensor,
    last: tl.tensor,
    steep: tl.tensor,
    BLOCK: tl.constexpr,
) -> tl.tensor:
    """Go back through one neuron of kind 0; return the gradient of its net input."""
    output = tl.load(state + n * BLOCK)
    own = tl.load(flow + n * BLOCK) * steep * (1.0 - output * output)
    add_total(node_flow + n, own)
    below_weighted(own, state, flow, 0, edges, edge_flow, children, first, last, 1, 1, BLOCK)
    return own


@triton.jit
def back_sound(
    n: tl.tensor,
    state: tl.tensor,
    flow: tl.tensor,
    edges: tl.tensor,
    edge_count: tl.tensor,
    edge_flow: tl.tensor,
    nodes: tl.tensor,
    node_count: tl.tensor,
    node_flow: tl.tensor,
    children: tl.tensor,
    first: tl.tensor,
    last: tl.tensor,
    steep: tl.tensor,
    BLOCK: tl.constexpr,
) -> tl.tensor:
    """Go back through one neuron of kind 1; return the gradients of its three sums.

    The first two are divided by what the sums are relative to, ``exp`` of rows 5 and 6.
    """
    own, own_flow = state + n * 7 * BLOCK, flow + n * 3 * BLOCK
    undeviate(own, own_flow, tl.load(nodes + n), tl.load(nodes + node_count + n), BLOCK)
    add_total(node_flow + n, tl.load(own))
    add_total(node_flow + node_count + n, tl.load(own + BLOCK))
    low = tl.load(own_flow) / tl.load(own + 3 * BLOCK)
    high = tl.load(own_flow + BLOCK) / tl.load(own + 4 * BLOCK)
    base = tl.load(own + 5 * BLOCK)
    below_deviations(low, base, state, flow, 0, edges, edge_flow, children, first, last, BLOCK)
    base = tl.load(own + 6 * BLOCK)
    below_deviations(high, base, state, flow, 1, edges, edge_flow, children, first, last, BLOCK)
    output = tl.load(own + 2 * BLOCK)
    soft = tl.load(own_flow + 2 * BLOCK) * steep * (1.0 - output * output)
    add_total(node_flow + 2 * node_count + n, soft)
    weights, weight_flow = edges + edge_count, edge_flow + edge_count
    below_weighted(soft, state, flow, 2, weights, weight_flow, children, first, last, 3, 7, BLOCK)
    return low, high, soft


@triton.jit(do_not_specialize=["size"])
def backward(
    gradient: tl.tensor,
    words: tl.tensor,
    tables: tl.tensor,
    edges: tl.tensor,
    nodes: tl.tensor,
    offsets: tl.tensor,
    pattern: tl.tensor,
    table_pattern: tl.tensor,
    table_start: tl.tensor,
    edge_start: tl.tensor,
    children: tl.tensor,
    output: tl.tensor,
    table_flow: tl.tensor,
    edge_flow: tl.tensor,
    node_flow: tl.tensor,
    entries: tl.tensor,
    state: tl.tensor,
    flow: tl.tensor,
    size: tl.tensor,
    width: tl.tensor,
    pattern_count: tl.tensor,
    node_count: tl.tensor,
    edge_count: tl.tensor,
    output_count: tl.tensor,
    steep: tl.tensor,
    KIND: tl.constexpr,
    CHANNELS: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
) -> None:
    """Add up the gradients of all states; the outputs are computed again, block by block."""
    stride = size.to(tl.int64)
    offset = tl.arange(0, BLOCK)
    program = tl.program_id(0).to(tl.int64)
    own_entries = entries + program * pattern_count * BLOCK + offset
    own_state = state + program * node_count * ROWS * BLOCK + offset
    own_flow = flow + program * node_count * CHANNELS * BLOCK + offset
    for block in range(tl.program_id(0), tl.cdiv(size, BLOCK), tl.num_programs(0)):
        lane = block * BLOCK + offset
        index_patterns(words, width, pattern, pattern_count, own_entries, lane, BLOCK)
        propagate(
            tables,
            table_pattern,
            table_start,
            edge_start,
            children,
            edges,
            edge_count,
            nodes,
            node_count,
            offsets,
            steep,
            own_entries,
            own_state,
            KIND,
            BLOCK,
        )
        for row in range(node_count * CHANNELS):
            tl.store(own_flow + row * BLOCK, tl.zeros((BLOCK,), tl.float32))
        for o in range(output_count):
            row = tl.load(output + o)
            if row >= 0:
                for channel in range(CHANNELS):
                    place = gradient + (o * CHANNELS + channel) * stride + lane
                    part = tl.load(place, mask=lane < size, other=0.0)
                    add_row(own_flow + (row * CHANNELS + channel) * BLOCK, part)
        for place in range(node_count):
            n = node_count - 1 - place
            first, last = tl.load(edge_start + n), tl.load(edge_start + n + 1)
            begin, end = tl.load(table_start + n), tl.load(table_start + n + 1)
            if KIND == 0:
                pulse = back_plain(
                    n,
                    own_state,
                    own_flow,
                    edges,
                    edge_flow,
                    node_flow,
                    children,
                    first,
                    last,
                    steep,
                    BLOCK,
                )
                scatter(table_flow, table_pattern, begin, end, own_entries, 0, pulse, 1, BLOCK)
            elif KIND == 1:
                low, high, soft = back_sound(
                    n,
                    own_state,
                    own_flow,
                    edges,
                    edge_count,
                    edge_flow,
                    nodes,
                    node_count,
                    node_flow,
                    children,
                    first,
                    last,
                    steep,
                    BLOCK,
                )
                own = own_state + n * 7 * BLOCK
                up = tl.load(offsets + n)
                low *= lane_exp(up - tl.load(own + 5 * BLOCK))
                down = tl.load(offsets + node_count + n)
                high *= lane_exp(down - tl.load(own + 6 * BLOCK))
                scatter(table_flow, table_pattern, begin, end, own_entries, 0, low, 3, BLOCK)
                scatter(table_flow, table_pattern, begin, end, own_entries, 1, high, 3, BLOCK)
                scatter(table_flow, table_pattern, begin, end, own_entries, 2, soft, 3, BLOCK)
            else:
                here = own_flow + n * 2 * BLOCK
                conjunction = tl.load(nodes + n) != 0.0
                disconnect(own_state + n * 2 * BLOCK, here, conjunction, BLOCK)
                true, false = tl.load(here), tl.load(here + BLOCK)
                below_truth(true, own_flow, 0, children, first, last, BLOCK)
                below_truth(false, own_flow, 1, children, first, last, BLOCK)
                scatter(table_flow, table_pattern, begin, end, own_entries, 0, true, 2, BLOCK)
                scatter(table_flow, table_pattern, begin, end, own_entries, 1, false, 2, BLOCK)
