"""Packing by the compiled kernel is packing by torch."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("numba")

from neurogame.kernels.neural.pack_flags import pack_flags
from neurogame.kernels.words.pack import pack


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 1000])
@pytest.mark.parametrize("signals", [0, 1, 63, 64, 65, 130])
def test_words_are_those_of_torch(size: int, signals: int) -> None:
    generator = torch.Generator().manual_seed(size + signals)
    flags = torch.rand(size, signals, generator=generator) < 0.4
    assert torch.equal(pack_flags(flags), pack(flags))
    assert torch.equal(pack_flags(flags.to(torch.uint8) * 7), pack(flags))


def test_flags_need_not_be_contiguous() -> None:
    flags = torch.rand(130, 70, generator=torch.Generator().manual_seed(1)) < 0.5
    assert torch.equal(pack_flags(flags.t()), pack(flags.t()))
    assert torch.equal(pack_flags(flags[::3, 5:]), pack(flags[::3, 5:]))
