"""Packing: every lane comes back, the sign bit and odd sizes included."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.kernels.words.pack import (
    gather_lanes,
    lane_mask,
    pack,
    pack_one_hot,
    unpack,
    word_count,
)

SIZES = st.one_of(st.sampled_from([0, 1, 63, 64, 65, 127, 128, 200]), st.integers(0, 300))
SEEDS = st.integers(0, 2**31)


def flags(size: int, signals: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.rand((size, signals), generator=generator) < 0.5


def slow_words(rows: torch.Tensor) -> list[list[int]]:
    """Pack by arithmetic on Python integers."""
    words = []
    for column in rows.t().tolist():
        bits = sum(1 << lane for lane, bit in enumerate(column) if bit)
        unsigned = [bits >> (64 * w) & (2**64 - 1) for w in range(word_count(len(rows)))]
        words.append([word - (word >> 63 << 64) for word in unsigned])
    return words


@given(SIZES, st.integers(0, 9), SEEDS)
def test_pack_follows_its_definition(size: int, signals: int, seed: int) -> None:
    rows = flags(size, signals, seed)
    words = pack(rows)
    assert words.shape == (signals, word_count(size))
    assert words.dtype == torch.int64
    assert words.tolist() == slow_words(rows)
    assert torch.equal(unpack(words, size), rows)


@given(st.integers(1, 300), SEEDS, st.integers(0, 400))
def test_gathered_lanes_are_the_chosen_ones(size: int, seed: int, count: int) -> None:
    rows = flags(size, 5, seed)
    lanes = torch.randint(size, (count,), generator=torch.Generator().manual_seed(seed))
    words = gather_lanes(pack(rows), lanes)
    assert words.tolist() == slow_words(rows[lanes])


def test_few_of_many_lanes_take_the_other_path() -> None:
    rows = flags(4096, 5, 1)
    lanes = torch.tensor([4095, 0, 63, 64, 63])
    assert gather_lanes(pack(rows), lanes).tolist() == slow_words(rows[lanes])


@given(SIZES, SEEDS)
def test_one_hot_rows_are_packed(size: int, seed: int) -> None:
    rows = torch.randint(-1, 6, (size, 2), generator=torch.Generator().manual_seed(seed))
    expected = torch.zeros((size, 6), dtype=torch.bool)
    for lane, held in enumerate(rows.tolist()):
        for row in held:
            if row >= 0:
                expected[lane, row] = True
    assert pack_one_hot(rows, 6).tolist() == slow_words(expected)


@given(SIZES)
def test_lane_mask_covers_exactly_the_lanes(size: int) -> None:
    assert lane_mask(size).tolist() == pack(torch.ones((size, 1), dtype=torch.bool))[0].tolist()
