"""Uniform choice in bit-slices: always one legal move, every move equally often."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.kernels.twin.choose import choose_uniform, uniform_below
from neurogame.kernels.words.pack import pack, unpack
from neurogame.kernels.words.random_words import RandomWords


def chi_square(counts: torch.Tensor) -> float:
    """Return the normalised excess of chi-square over its mean, in standard deviations."""
    expected = float(counts.sum()) / len(counts)
    value = float(((counts.to(torch.float64) - expected) ** 2 / expected).sum())
    freedom = len(counts) - 1
    return (value - freedom) / math.sqrt(2 * freedom)


@given(st.integers(1, 70), st.sampled_from([1, 63, 64, 65, 200]), st.integers(0, 2**31))
def test_exactly_one_legal_move_is_chosen(moves: int, size: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    density = float(torch.rand((), generator=generator))
    flags = torch.rand((size, moves), generator=generator) < density
    words = pack(flags)
    random = RandomWords(seed, torch.arange(words.shape[1]))
    chosen = unpack(choose_uniform(words, random, 3, 0), size)
    assert torch.equal(chosen.sum(dim=1), flags.any(dim=1).long())
    assert not bool((chosen & ~flags).any())


@pytest.mark.parametrize("moves", [2, 3, 5, 9, 17, 33, 64, 100])
def test_choice_is_uniform(moves: int) -> None:
    """Chi-square over all moves within 5 sigma; 2^k + 1 is the worst case of rejection."""
    width = 1024
    legal = torch.full((moves, width), -1)
    total = torch.zeros(moves, dtype=torch.int64)
    for step in range(2):
        random = RandomWords(11, torch.arange(width))
        total += unpack(choose_uniform(legal, random, step, 1), 64 * width).sum(dim=0)
    assert int(total.sum()) == 2 * 64 * width
    assert chi_square(total) < 5


def test_choice_among_some_of_the_moves_is_uniform() -> None:
    """Lanes with different legal sets side by side do not disturb one another."""
    width, moves = 1024, 12
    size = 64 * width
    flags = torch.zeros((size, moves), dtype=torch.bool)
    sets = [[0, 5, 11], [2], [1, 2, 3, 4, 6, 7, 8], list(range(12)), [3, 9]]
    for lane, legal in enumerate(sets):
        flags[lane :: len(sets), legal] = True
    chosen = unpack(choose_uniform(pack(flags), RandomWords(5, torch.arange(width)), 0, 0), size)
    for lane, legal in enumerate(sets):
        counts = chosen[lane :: len(sets)].sum(dim=0)
        assert int(counts[legal].sum()) == int(counts.sum())
        if len(legal) > 1:
            assert chi_square(counts[legal]) < 5


@given(st.lists(st.integers(0, 21), min_size=64, max_size=64), st.integers(0, 2**31))
def test_ranks_lie_below_the_total(totals: list[int], seed: int) -> None:
    total = torch.tensor(totals)
    rank = uniform_below(total, RandomWords(seed, torch.arange(1)), 0, 0)
    assert bool((rank < total.clamp(min=1)).all())


def test_the_result_does_not_depend_on_neighbours() -> None:
    generator = torch.Generator().manual_seed(1)
    legal = pack(torch.rand((640, 33), generator=generator) < 0.3)
    random = RandomWords(4, torch.arange(10))
    expected = choose_uniform(legal, random, 2, 0)
    alone = choose_uniform(legal[:, 3:4], random.select(torch.tensor([3])), 2, 0)
    assert torch.equal(alone, expected[:, 3:4])
