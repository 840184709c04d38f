"""Bits and random words of compiled code, against Python's integers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.native.bits import first_ones, lowest_bit, ones
from neurogame.native.compiled import compiled
from neurogame.native.random import below, fraction, hashed, mixed, random_word
from neurogame.splitmix import G1
from tests.kernels.words.slow_random_words import ALL, slow_mix

WORDS = st.integers(0, ALL)


@compiled
def bits(word: np.uint64, count: int) -> tuple[int, int, np.uint64]:
    return lowest_bit(word), ones(word), first_ones(count)


@compiled
def scrambled(word: np.uint64, number: int) -> tuple[np.uint64, np.uint64]:
    return mixed(word), hashed(word, number)


@compiled
def drawn(seed: int, number: int, draw: int, bound: int) -> tuple[np.uint64, int, float]:
    word = random_word(seed, number, draw)
    return word, below(word, bound), fraction(number)


@given(WORDS, st.integers(-3, 70))
def test_bits_are_counted_and_found(word: int, count: int) -> None:
    lowest, number, first = bits(np.uint64(word), count)
    assert lowest == ((word & -word).bit_length() - 1 if word else 64)
    assert number == word.bit_count()
    assert first == (1 << min(max(count, 0), 64)) - 1


@given(WORDS, st.integers(0, 1 << 40))
def test_words_are_scrambled_as_by_the_definition(word: int, number: int) -> None:
    found, hash_ = scrambled(np.uint64(word), number)
    assert found == slow_mix(word)
    assert hash_ == (slow_mix(word + (number + 1) * G1 & ALL) or G1)


@given(st.integers(0, 1 << 62), st.integers(0, 1 << 40), st.integers(0, 999), st.integers(1, 999))
def test_random_words_are_functions_of_their_numbers(
    seed: int, number: int, draw: int, bound: int
) -> None:
    word, chosen, part = drawn(seed, number, draw, bound)
    start = slow_mix(seed + (number + 1) * G1 & ALL)
    assert word == slow_mix(start + (draw + 1) * G1 & ALL)
    assert chosen == (int(word) >> 32) * bound >> 32
    assert part == (number * G1 & ALL) / 2**64 or abs(part - (number * G1 & ALL) / 2**64) < 1e-15
