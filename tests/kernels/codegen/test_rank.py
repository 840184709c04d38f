"""Compiled draws: the same numbers as the definition's, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from neurogame.array_types import Int64s
from neurogame.kernels.codegen.host import host
from neurogame.kernels.codegen.rank import Draw, first_attempt, write_rank
from neurogame.kernels.codegen.text import Text
from neurogame.kernels.twin.choose import uniform_below
from neurogame.kernels.words.random_words import RandomWords
from tests.kernels.codegen.compiling import run_vectors

_WORDS = sorted({2, host().words})


def planes_of(numbers: Int64s, bits: int) -> Int64s:
    """Return numbers ``[64 W]`` in bit-slices; int64 ``[bits, W]``."""
    flags = (numbers >> np.arange(bits)[:, None] & 1).astype(np.uint8)
    packed = np.packbits(flags, axis=1, bitorder="little")
    return packed.view(np.int64)


def masks_of(totals: Int64s, bits: int) -> Int64s:
    """Return the smallest ``2^j - 1 >= total - 1`` of each lane in bit-slices."""
    masks = [(1 << int(max(total - 1, 0)).bit_length()) - 1 for total in totals.tolist()]
    return planes_of(np.array(masks), bits)


def draw(words: int, vectors: int, totals: Int64s, slots: int, key: tuple[int, int, int]) -> Int64s:
    """Return compiled draws for ``vectors`` vectors of lanes; int64 ``[bits, W]``."""
    seed, step, stream = key
    bits = (slots - 1).bit_length()
    total_bits = slots.bit_length()
    width = words * vectors
    base = RandomWords(seed, torch.arange(width)).base.numpy()
    columns = np.concatenate(
        [
            base[None],
            planes_of(totals, total_bits),
            masks_of(totals, bits),
            planes_of(np.minimum(totals, 1), 1),
        ]
    )
    each = len(columns)
    # One vector's rows after another's.
    rows = np.concatenate([columns[:, v * words : (v + 1) * words] for v in range(vectors)])

    def write(text: Text, names: list[str]) -> list[str]:
        number = text.let(f"add i64 {step}, 0")
        draws = []
        for vector in range(vectors):
            own = names[vector * each : (vector + 1) * each]
            source = first_attempt(text, own[0], number, stream)
            total, mask = own[1 : 1 + total_bits], own[1 + total_bits : -1]
            draws.append(Draw(source, total, mask, own[-1]))
        return [plane for rank in write_rank(text, draws) for plane in rank]

    found = run_vectors(words, rows, vectors * bits, write)
    return np.concatenate(found.reshape(vectors, bits, words).transpose(0, 1, 2), axis=1)


@pytest.mark.parametrize("words", _WORDS)
@pytest.mark.parametrize("vectors", [1, 2])
@pytest.mark.parametrize("slots", [2, 3, 9, 64, 300])
def test_draws_are_those_of_the_definition(words: int, vectors: int, slots: int) -> None:
    """Totals of all sizes, and small ones in all lanes, for which fewer planes are drawn."""
    lanes = 64 * words * vectors
    random = np.random.default_rng(slots)
    bits = (slots - 1).bit_length()
    for most in {slots, max(slots // 2, 1), max(slots // 9, 1), 1, 0}:
        totals = random.integers(0, most + 1, lanes)
        key = (
            int(random.integers(-9, 9)),
            int(random.integers(0, 1000)),
            int(random.integers(0, 5)),
        )
        seed, step, stream = key
        expected = uniform_below(
            torch.from_numpy(totals),
            RandomWords(seed, torch.arange(words * vectors)),
            step,
            stream,
        ).numpy()
        found = draw(words, vectors, totals, slots, key)
        assert len(found) == bits
        np.testing.assert_array_equal(found, planes_of(expected, bits))
        if most == slots:
            assert found.any()
