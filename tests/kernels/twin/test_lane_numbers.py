"""Bit-sliced numbers against one Python integer per lane."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.kernels.twin.lane_numbers import equals, increment, numbers_of, set_lanes
from neurogame.kernels.words.pack import pack


@given(
    st.integers(1, 3),
    st.integers(1, 6),
    st.lists(st.integers(0, 2**32), min_size=1, max_size=30),
)
def test_counting_lane_by_lane(words: int, bits: int, seeds: list[int]) -> None:
    planes = torch.zeros((bits, words), dtype=torch.int64)
    expected = torch.zeros(64 * words, dtype=torch.int64)
    for seed in seeds:
        flags = torch.rand(64 * words, generator=torch.Generator().manual_seed(seed)) < 0.7
        increment(planes, pack(flags[:, None])[0])
        expected = (expected + flags) % (1 << bits)
    every = torch.arange(64 * words)
    assert torch.equal(numbers_of(planes, every), expected)
    some = every[seeds[0] % 7 :: 5].flip(0)
    assert torch.equal(numbers_of(planes, some), expected[some])
    for number in range(1 << bits):
        assert torch.equal(set_lanes(equals(planes, number)), every[expected == number])


def test_numbers_of_no_bits_are_zero() -> None:
    planes = torch.zeros((0, 2), dtype=torch.int64)
    increment(planes, torch.full((2,), -1))
    assert equals(planes, 0).tolist() == [-1, -1]
    assert numbers_of(planes, torch.arange(128)).tolist() == [0] * 128
