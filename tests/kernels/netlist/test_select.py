"""The choice among slots against counting in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from neurogame.array_types import Bools
from neurogame.graph.lanes import pack_lanes, unpack_lanes
from neurogame.kernels.netlist.builder import Builder
from neurogame.kernels.netlist.select import Selection, rank_bits


def check(legal: Bools, rank: np.ndarray) -> int:
    """Compare one choice on many lanes; return the number of gates."""
    slots, lanes = legal.shape
    width = rank_bits(slots)
    builder = Builder(1 + slots + width)
    selection = Selection(builder, [2 * (1 + slot) for slot in range(slots)])
    counting = builder.row_count
    active = selection.descend([2 * (1 + slots + bit) for bit in range(width)])
    netlist = builder.netlist()
    rows = np.zeros((netlist.row_count, -(-lanes // 64)), np.uint64)
    rows[1 : 1 + slots] = pack_lanes(legal)
    for bit in range(width):
        rows[1 + slots + bit] = pack_lanes((rank >> bit & 1 == 1)[None])[0]
    netlist.run(rows)
    flags = unpack_lanes(rows, lanes)

    def value(literal: int) -> Bools:
        result: Bools = flags[literal >> 1] ^ bool(literal & 1)
        return result

    def number(literals: list[int]) -> np.ndarray:
        return sum(
            (value(own).astype(np.int64) << bit for bit, own in enumerate(literals)),
            np.zeros(lanes, np.int64),
        )

    total = legal.sum(axis=0)
    assert all(literal >> 1 < counting for literal in (*selection.total, *selection.mask))
    assert (number(selection.total) == total).all()
    assert (value(selection.some) == (total > 0)).all()
    expected = [(1 << int(max(count - 1, 0)).bit_length()) - 1 for count in total]
    assert len(selection.mask) == width
    assert (number(selection.mask) == expected).all()
    chosen = np.stack([value(literal) for literal in active])
    assert (chosen == (legal & (np.cumsum(legal, axis=0) == rank + 1))).all()
    return netlist.gate_count


@pytest.mark.parametrize("slots", range(1, 9))
def test_every_set_of_slots_and_every_rank(slots: int) -> None:
    lanes = [
        (legal, rank) for legal in range(1 << slots) for rank in range(max(legal.bit_count(), 1))
    ]
    flags = np.array([[legal >> slot & 1 == 1 for legal, _ in lanes] for slot in range(slots)])
    check(flags, np.array([rank for _, rank in lanes]))


@pytest.mark.parametrize("slots", [9, 16, 31, 45, 64, 100, 154, 500])
def test_random_sets(slots: int) -> None:
    rng = np.random.default_rng(slots)
    lanes = 256
    legal = rng.random((slots, lanes)) < rng.random(lanes)
    rank = (rng.random(lanes) * legal.sum(axis=0)).astype(np.int64)
    gates = check(legal, rank)
    assert gates < 8 * slots
