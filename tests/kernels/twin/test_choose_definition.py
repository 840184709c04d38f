"""The choice in bit-slices equals the choice made lane by lane on Python integers."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from neurogame.kernels.twin.choose import choose_uniform
from neurogame.kernels.words.pack import pack, unpack
from neurogame.kernels.words.random_words import RandomWords

STEP, ROLE = 3, 1


def choose(legal: Tensor, seed: int, first_word: int = 0) -> Tensor:
    """Choose for bool ``[B, A]``, whose lane words are numbered from ``first_word``."""
    words = pack(legal)
    lanes = first_word + torch.arange(words.shape[1])
    return unpack(choose_uniform(words, RandomWords(seed, lanes), STEP, ROLE), len(legal))


def slow_choice(legal: list[bool], seed: int, lane: int) -> list[int]:
    """Return the chosen move of one lane: the first drawn rank below the number of moves."""
    moves = [i for i, flag in enumerate(legal) if flag]
    if len(moves) <= 1:
        return moves
    bits = (len(moves) - 1).bit_length()
    words = RandomWords(seed, torch.tensor([lane // 64])).draw(STEP, ROLE, range(60), bits)
    for drawn in words[:, :, 0].tolist():
        rank = sum(((word >> (lane % 64)) & 1) << bit for bit, word in enumerate(drawn))
        if rank < len(moves):
            return [moves[rank]]
    raise AssertionError("sixty rejections, each less likely than not")


def legal_flags(size: int, moves: int, seed: int) -> Tensor:
    """Draw legal moves of all densities, none and all included; bool ``[B, A]``."""
    rng = np.random.default_rng(seed)
    density = rng.choice([0, 0.05, 0.3, 0.7, 1], (size, 1))
    return torch.from_numpy(rng.random((size, moves)) < density)


@given(
    st.sampled_from([1, 63, 64, 65]),
    st.integers(1, 40) | st.sampled_from([64, 65, 129]),
    st.integers(0, 2**32),
)
@settings(max_examples=25)
def test_the_choice_is_the_defined_one(size: int, moves: int, seed: int) -> None:
    legal = legal_flags(size, moves, seed)
    for lane, row in enumerate(choose(legal, seed)):
        assert row.nonzero().view(-1).tolist() == slow_choice(legal[lane].tolist(), seed, lane)


@given(st.integers(1, 20), st.integers(0, 2**32), st.integers(0, 5), st.integers(1, 6))
@settings(max_examples=30)
def test_the_cut_of_the_batch_does_not_matter(
    moves: int, seed: int, begin: int, words: int
) -> None:
    legal = legal_flags(64 * 12, moves, seed)
    lanes = slice(64 * begin, 64 * (begin + words))
    assert torch.equal(choose(legal[lanes], seed, begin), choose(legal, seed)[lanes])


@given(st.integers(2, 12), st.integers(0, 50), st.integers(0, 2**32))
@settings(max_examples=30)
def test_moves_that_nobody_has_do_not_matter(moves: int, more: int, seed: int) -> None:
    legal = legal_flags(100, moves, seed)
    columns = np.sort(np.random.default_rng(seed).permutation(moves + more)[:moves])
    spread = torch.zeros((100, moves + more), dtype=torch.bool)
    spread[:, columns] = legal
    assert torch.equal(choose(spread, seed)[:, columns], choose(legal, seed))
