"""States as rows of bits: what is picked out of them is what `StateBatch.select` picks."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.simulate.state_rows import rows_of, states_of
from neurogame.simulate.states import StateBatch


@given(
    states=st.integers(1, 200),
    fluents=st.integers(1, 200),
    chosen=st.lists(st.integers(0, 10**6), max_size=200),
    seed=st.integers(0, 2**32),
)
def test_rows_are_the_states_and_are_picked_in_any_order(
    states: int, fluents: int, chosen: list[int], seed: int
) -> None:
    flags = np.random.default_rng(seed).random((states, fluents)) < 0.5
    batch = StateBatch.from_bool(torch.from_numpy(flags))
    rows = rows_of(batch)
    bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
    assert (bits[:, :fluents] == flags).all()
    assert not bits[:, fluents:].any()
    index = np.array(chosen, np.int64) % states
    picked = states_of(rows, index, fluents)
    assert len(picked) == len(index)
    assert torch.equal(picked.words, batch.select(torch.from_numpy(index)).words)
