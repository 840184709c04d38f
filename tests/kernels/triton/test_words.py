"""Blocks of words: the same random words, counts and functions as in plain torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from neurogame.circuit.netlist.netlist import lookup
from neurogame.kernels.popcount import popcount
from neurogame.kernels.random_words import (
    ATTEMPT_FIELD,
    ROLE_FIELD,
    RandomWords,
    plane_factor,
    signed,
)
from neurogame.kernels.triton.cells import normal_form
from neurogame.kernels.triton.straight import formula

BLOCK = 32


@pytest.fixture(name="kernels", scope="module")
def _kernels() -> Any:
    pytest.importorskip("triton", reason="Triton (extra: test) is not installed")
    from tests.kernels.triton import word_kernels

    return word_kernels


def random_words(*shape: int) -> Tensor:
    return torch.randint(-(2**63), 2**63 - 1, shape, generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize(
    ("step", "stream", "attempt", "bit"),
    [(0, 0, 0, 0), (7, 1, 3, 2), (2**30 - 1, 255, 2**20 - 1, 31)],
)
def test_random_words_are_those_of_the_definition(
    kernels: Any, step: int, stream: int, attempt: int, bit: int
) -> None:
    random = RandomWords(11, torch.arange(BLOCK))
    found = torch.empty(BLOCK, dtype=torch.int64)
    counter = torch.tensor(((step << ROLE_FIELD) | stream) << ATTEMPT_FIELD | attempt)
    factor = torch.tensor(signed(plane_factor(bit)))
    kernels.draw[(1,)](random.base, found, counter, factor, BLOCK=BLOCK)
    expected = random.draw(step, stream, range(attempt, attempt + 1), bit + 1)[0, bit]
    assert torch.equal(found, expected)


def test_ones_are_counted(kernels: Any) -> None:
    words = random_words(BLOCK)
    words[:3] = torch.tensor([0, -1, -(2**63)])
    found = torch.empty_like(words)
    kernels.count[(1,)](words, found, BLOCK=BLOCK)
    assert torch.equal(found, popcount(words))


def test_lookup_and_formula_are_the_truth_table(kernels: Any) -> None:
    inputs = random_words(3, BLOCK)
    a, b, c = (row.numpy().view(np.uint64) for row in inputs)
    found = torch.empty(256, BLOCK, dtype=torch.int64)
    forms = torch.tensor([normal_form(table) for table in range(256)])
    kernels.functions[(1,)](inputs, forms, found, BLOCK=BLOCK)
    names = {"a": inputs[0], "b": inputs[1], "c": inputs[2], "zero": torch.zeros(BLOCK).long()}
    for table in range(256):
        expected = lookup(table, a, b, c).view(np.int64)
        assert (found[table].numpy() == expected).all()
        value: Tensor = eval(formula(table, "a", "b", "c"), names)
        assert (value.numpy() == expected).all()
