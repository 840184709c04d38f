"""The outputs of goal networks, one lane per thread; see :mod:`neurogame.kernels.neural.network`.

All that a program keeps of a block of lanes lies in scratch memory of its own: the entry of each
pattern and :data:`ROWS` rows per upper neuron. Each thread reads only what it wrote itself.
"""

# mypy: disable-error-code="untyped-decorator,no-any-return"
from __future__ import annotations

import triton
import triton.language as tl

from neurogame.kernels.triton.lane_math import (
    LOG_2,
    NEAR,
    lane_exp,
    lane_tanh,
    log_damping,
    log_one_minus_exp,
    log_sigmoid,
)

NOTHING = tl.constexpr(-1e30)


@triton.jit
def index_patterns(
    words: tl.tensor,
    width: tl.tensor,
    pattern: tl.tensor,
    pattern_count: tl.tensor,
    entries: tl.tensor,
    lane: tl.tensor,
    BLOCK: tl.constexpr,
) -> None:
    """Gather the bits of every pattern into the entry of its tables."""
    for p in range(pattern_count):
        entry = tl.zeros((BLOCK,), tl.int64)
        for bit in range(5):
            column = tl.load(pattern + 5 * p + bit)
            word = tl.load(words + column.to(tl.int64) * width + (lane >> 6))
            entry |= (word >> (lane & 63) & 1) << bit
        tl.store(entries + p * BLOCK, entry.to(tl.int8))


@triton.jit
def table_sum(
    tables: tl.tensor,
    table_pattern: tl.tensor,
    begin: tl.tensor,
    end: tl.tensor,
    entries: tl.tensor,
    channel: tl.tensor,
    CHANNELS: tl.constexpr,
    BLOCK: tl.constexpr,
) -> tl.tensor:
    """Return the sum of what tables ``begin`` up to ``end`` hold for each lane."""
    total = tl.zeros((BLOCK,), tl.float32)
    for table in range(begin, end):
        entry = tl.load(entries + tl.load(table_pattern + table) * BLOCK).to(tl.int32)
        total += tl.load(tables + (table * CHANNELS + channel) * 32 + entry)
    return total


@triton.jit
def weighted_sum(
    total: tl.tensor,
    state: tl.tensor,
    channel: tl.tensor,
    weights: tl.tensor,
    children: tl.tensor,
    first: tl.tensor,
    last: tl.tensor,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
) -> tl.tensor:
    """Return a sum with what the edges ``first`` up to ``last`` add to it."""
    for e in range(first, last):
        child = tl.load(children + e) >> 1
        below = tl.load(state + (child * ROWS + channel) * BLOCK)
        total += tl.load(weights + e) * below
    return total


@triton.jit
def sum_deviations(
    own: tl.tensor,
    sums: tl.tensor,
    filled: tl.tensor,
    offset: tl.tensor,
    state: tl.tensor,
    channel: tl.tensor,
    weights: tl.tensor,
    children: tl.tensor,
    first: tl.tensor,
    last: tl.tensor,
    BLOCK: tl.constexpr,
) -> tl.tensor:
    """Return the sum of deviations; it is also kept as ``row 3 * exp(row 5)`` of its channel."""
    base = sums * 0.0 + offset
    kept = sums
    if first < last:
        rise = tl.where(filled, tl.log(tl.where(filled, sums, 1.0)) + offset, NOTHING)
        base = rise
        for e in range(first, last):
            child = tl.load(children + e)
            below = tl.load(state + ((child >> 1) * 7 + (channel ^ (child & 1))) * BLOCK)
            base = tl.maximum(base, tl.load(weights + e) + below)
        kept = lane_exp(rise - base)
        for e in range(first, last):
            child = tl.load(children + e)
            below = tl.load(state + ((child >> 1) * 7 + (channel ^ (child & 1))) * BLOCK)
            kept += lane_exp(tl.load(weights + e) + below - base)
    tl.store(own + (3 + channel) * BLOCK, kept)
    tl.store(own + (5 + channel) * BLOCK, base)
    return kept * lane_exp(base)


@triton.jit
def deviate(
    own: tl.tensor,
    up: tl.tensor,
    down: tl.tensor,
    floor: tl.tensor,
    ceiling: tl.tensor,
    BLOCK: tl.constexpr,
) -> None:
    """Turn the net input's deviations into the logarithms of the output's, rows 0 and 1."""
    x = tl.where(up < down, floor + up, ceiling - down)
    total = 1.0 + lane_exp(-tl.abs(x))
    rising = tl.where(up < NEAR, tl.load(own + 3 * BLOCK), 1.0 - lane_exp(-up))
    falling = tl.where(down < NEAR, tl.load(own + 4 * BLOCK), 1.0 - lane_exp(-down))
    more = tl.load(own + 5 * BLOCK) + log_damping(tl.minimum(up, NEAR))
    less = tl.load(own + 6 * BLOCK) + log_damping(tl.minimum(down, NEAR))
    low = LOG_2 + log_sigmoid(-floor) + tl.minimum(x, 0.0) + tl.log(rising / total)
    high = LOG_2 + log_sigmoid(ceiling) - tl.maximum(x, 0.0) + tl.log(falling / total)
    tl.store(own, low + tl.where(up < NEAR, more, 0.0))
    tl.store(own + BLOCK, high + tl.where(down < NEAR, less, 0.0))


@triton.jit
def sum_truth(
    total: tl.tensor,
    state: tl.tensor,
    channel: tl.tensor,
    children: tl.tensor,
    first: tl.tensor,
    last: tl.tensor,
    BLOCK: tl.constexpr,
) -> tl.tensor:
    """Return a sum of logarithms of truth or falsity with what the edges add to it."""
    for e in range(first, last):
        child = tl.load(children + e)
        total += tl.load(state + ((child >> 1) * 2 + (channel ^ (child & 1))) * BLOCK)
    return total


@triton.jit
def propagate(
    tables: tl.tensor,
    table_pattern: tl.tensor,
    table_start: tl.tensor,
    edge_start: tl.tensor,
    children: tl.tensor,
    edges: tl.tensor,
    edge_count: tl.tensor,
    nodes: tl.tensor,
    node_count: tl.tensor,
    offsets: tl.tensor,
    steep: tl.tensor,
    entries: tl.tensor,
    state: tl.tensor,
    KIND: tl.constexpr,
    BLOCK: tl.constexpr,
) -> None:
    """Compute all upper neurons of one block.

    Args:
        tables: ``[T, C, 32]``.
        table_pattern: with the following, see ``Layout.structure``.
        table_start: see there.
        edge_start: see there.
        children: ``edge_child``, see there.
        edges: ``[*, D]``.
        edge_count: ``D``.
        nodes: ``[*, N]``.
        node_count: ``N``.
        offsets: kind 1: ``[2, N]``.
        steep: half the steepness of the activation.
        entries: addresses of the block's entries; int8 ``[P, BLOCK]``.
        state: addresses of the block's rows; ``[N, ROWS, BLOCK]``.
        KIND: of network.
        BLOCK: lanes of a block.
    """
    for n in range(node_count):
        first, last = tl.load(edge_start + n), tl.load(edge_start + n + 1)
        begin, end = tl.load(table_start + n), tl.load(table_start + n + 1)
        if KIND == 0:
            sums = table_sum(tables, table_pattern, begin, end, entries, 0, 1, BLOCK)
            sums = weighted_sum(sums, state, 0, edges, children, first, last, 1, BLOCK)
            tl.store(state + n * BLOCK, lane_tanh(steep * (sums + tl.load(nodes + n))))
        elif KIND == 1:
            own = state + n * 7 * BLOCK
            sums = table_sum(tables, table_pattern, begin, end, entries, 0, 3, BLOCK)
            up = sum_deviations(
                own,
                sums,
                begin < end,
                tl.load(offsets + n),
                state,
                0,
                edges,
                children,
                first,
                last,
                BLOCK,
            )
            sums = table_sum(tables, table_pattern, begin, end, entries, 1, 3, BLOCK)
            down = sum_deviations(
                own,
                sums,
                begin < end,
                tl.load(offsets + node_count + n),
                state,
                1,
                edges,
                children,
                first,
                last,
                BLOCK,
            )
            deviate(own, up, down, tl.load(nodes + n), tl.load(nodes + node_count + n), BLOCK)
            sums = table_sum(tables, table_pattern, begin, end, entries, 2, 3, BLOCK)
            soft = edges + edge_count
            sums = weighted_sum(sums, state, 2, soft, children, first, last, 7, BLOCK)
            sums += tl.load(nodes + 2 * node_count + n)
            tl.store(own + 2 * BLOCK, lane_tanh(steep * sums))
        else:
            true = table_sum(tables, table_pattern, begin, end, entries, 0, 2, BLOCK)
            true = sum_truth(true, state, 0, children, first, last, BLOCK)
            false = table_sum(tables, table_pattern, begin, end, entries, 1, 2, BLOCK)
            false = sum_truth(false, state, 1, children, first, last, BLOCK)
            conjunction = tl.load(nodes + n) != 0.0
            product = tl.where(conjunction, true, false)
            rest = log_one_minus_exp(product)
            tl.store(state + n * 2 * BLOCK, tl.where(conjunction, product, rest))
            tl.store(state + (n * 2 + 1) * BLOCK, tl.where(conjunction, rest, product))


@triton.jit(do_not_specialize=["size"])
def forward(
    words: tl.tensor,
    outputs: tl.tensor,
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
    entries: tl.tensor,
    state: tl.tensor,
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
    """Compute the outputs of all states; see ``goal_networks``."""
    stride = size.to(tl.int64)
    offset = tl.arange(0, BLOCK)
    own_entries = entries + tl.program_id(0).to(tl.int64) * pattern_count * BLOCK + offset
    own_state = state + tl.program_id(0).to(tl.int64) * node_count * ROWS * BLOCK + offset
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
        for o in range(output_count):
            row = tl.load(output + o)
            for channel in range(CHANNELS):
                value = tl.load(own_state + (tl.maximum(row, 0) * ROWS + channel) * BLOCK)
                value = tl.where(row < 0, 0.0, value)
                place = outputs + (o * CHANNELS + channel) * stride + lane
                tl.store(place, value, mask=lane < size)
