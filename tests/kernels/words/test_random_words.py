"""The random words: known answers, balance, independence, and no state."""

from __future__ import annotations

import math

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
from neurogame.kernels.words.random_words import RandomWords
from tests.kernels.words.slow_random_words import ALL, slow_mix, slow_word


def test_finaliser_is_that_of_splitmix64() -> None:
    """First outputs of the published generator with seed 0."""
    gamma = 0x9E3779B97F4A7C15
    assert slow_mix(gamma) == 0xE220A8397B1DCDAF
    assert slow_mix(2 * gamma & ALL) == 0x6E789E6AA1B965F4


@given(
    st.integers(-(2**63), 2**64 - 1),
    st.integers(0, 2**40),
    st.integers(0, 2**31 - 1),
    st.integers(0, 8191),
    st.integers(0, 2**20 - 3),
)
def test_words_equal_integer_arithmetic(
    seed: int, lane_word: int, step: int, role: int, attempt: int
) -> None:
    random = RandomWords(seed, torch.tensor([lane_word, lane_word + 7]))
    words = random.draw(step, role, range(attempt, attempt + 2), 3)
    assert words.shape == (2, 3, 2)
    for a in range(2):
        for bit in range(3):
            for column, number in enumerate((lane_word, lane_word + 7)):
                expected = slow_word(seed, number, step, role, attempt + a, bit)
                assert int(words[a, bit, column]) & ALL == expected


def test_selection_and_order_do_not_matter() -> None:
    random = RandomWords(3, torch.arange(10))
    later = random.draw(9, 1, range(4, 6), 5)
    random.draw(0, 0, range(3), 7)
    assert torch.equal(random.draw(9, 1, range(4, 6), 5), later)
    chosen = torch.tensor([7, 2])
    assert torch.equal(RandomWords(3, chosen).draw(9, 1, range(4, 6), 5), later[..., chosen])
    assert torch.equal(random.draw(9, 1, range(5, 6), 2)[0], later[1, :2])


def test_no_role_draws_what_another_draws_in_another_step() -> None:
    random = RandomWords(3, torch.arange(1))
    draws = {
        int(random.draw(step, role, range(1), 1))
        for step in range(4)
        for role in range(0, 1024, 64)
    }
    assert len(draws) == 4 * 16


def test_bits_are_balanced_and_independent() -> None:
    """Every two of many streams differ in half of their bits, within five sigma."""
    random = RandomWords(1, torch.arange(4096))
    streams = [
        random.draw(step, role, range(attempt, attempt + 1), 2)[0, bit]
        for step in (0, 1, 77)
        for role in (0, 1)
        for attempt in (0, 3)
        for bit in (0, 1)
    ]
    streams.append(RandomWords(2, torch.arange(4096)).draw(0, 0, range(1), 1)[0, 0])
    streams.append(RandomWords(1, torch.arange(1, 4097)).draw(0, 0, range(1), 1)[0, 0])
    size = 64 * 4096
    margin = 5 * math.sqrt(size) / 2
    for i, stream in enumerate(streams):
        assert abs(_ones(stream) - size / 2) < margin
        for other in streams[:i]:
            assert abs(_ones(stream ^ other) - size / 2) < margin
    # Each of the 64 lanes on its own, and neighbouring lanes.
    lanes = unpack(streams[0][:, None], 64)
    assert (lanes.sum(dim=1) - 2048).abs().max() < 5 * 32
    agree = (lanes[1:] == lanes[:-1]).sum(dim=1)
    assert (agree - 2048).abs().max() < 5 * 32


def test_any_two_lanes_of_a_word_draw_independently() -> None:
    """Chi-square over the pairs of numbers of three bits, for every two of the 64 lanes.

    All 64 lanes share one source word, so this is not a matter of course.
    """
    size, values = 16384, 8
    planes = RandomWords(1, torch.arange(size)).draw(5, 0, range(1), 3)[0]
    bits = planes[:, :, None] >> torch.arange(64) & 1
    numbers = (bits << torch.arange(3)[:, None, None]).sum(dim=0)
    shown = torch.nn.functional.one_hot(numbers, values).reshape(size, -1).float()
    pairs = (shown.T @ shown).reshape(64, values, 64, values)
    expected = size / values**2
    chi = ((pairs - expected) ** 2 / expected).sum(dim=(1, 3))
    freedom = values**2 - 1
    normal = (chi - freedom) / math.sqrt(2 * freedom)
    normal.fill_diagonal_(0)
    # Below one in 10^6 for the largest of 2016 pairs.
    assert float(normal.max()) < 8.5


def _ones(words: torch.Tensor) -> int:
    return sum((word & (2**64 - 1)).bit_count() for word in words.tolist())


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
