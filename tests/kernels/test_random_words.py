"""The random words: known answers, balance, independence, and no state."""

from __future__ import annotations

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.kernels.pack import unpack
from neurogame.kernels.popcount import popcount
from neurogame.kernels.random_words import RandomWords

ALL = 2**64 - 1


def slow_mix(word: int) -> int:
    """The finaliser of splitmix64 on unsigned Python integers."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & ALL
    word = (word ^ word >> 27) * 0x94D049BB133111EB & ALL
    return word ^ word >> 31


def slow_word(seed: int, lane_word: int, step: int, role: int, attempt: int, bit: int) -> int:
    base = slow_mix((slow_mix(seed & ALL) + (lane_word + 1) * 0x9E3779B97F4A7C15) & ALL)
    counter = step << 33 | role << 25 | attempt << 5 | bit
    return slow_mix((base + (counter + 1) * 0xD1342543DE82EF95) & ALL)


def test_finaliser_is_that_of_splitmix64() -> None:
    """First outputs of the published generator with seed 0."""
    gamma = 0x9E3779B97F4A7C15
    assert slow_mix(gamma) == 0xE220A8397B1DCDAF
    assert slow_mix(2 * gamma & ALL) == 0x6E789E6AA1B965F4


@given(
    st.integers(-(2**63), 2**64 - 1),
    st.integers(0, 2**40),
    st.integers(0, 2**30 - 1),
    st.integers(0, 255),
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
    assert torch.equal(random.select(chosen).draw(9, 1, range(4, 6), 5), later[..., chosen])
    assert torch.equal(random.draw(9, 1, range(5, 6), 2)[0], later[1, :2])


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
        assert abs(int(popcount(stream).sum()) - size / 2) < margin
        for other in streams[:i]:
            assert abs(int(popcount(stream ^ other).sum()) - size / 2) < margin
    # Each of the 64 lanes on its own, and neighbouring lanes.
    lanes = unpack(streams[0][:, None], 64)
    assert (lanes.sum(dim=1) - 2048).abs().max() < 5 * 32
    agree = (lanes[1:] == lanes[:-1]).sum(dim=1)
    assert (agree - 2048).abs().max() < 5 * 32
