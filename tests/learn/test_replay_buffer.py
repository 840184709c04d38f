"""The replay buffer keeps the newest examples and gives them back unchanged."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.learn.replay_buffer import ReplayBuffer
from neurogame.learn.targets import Examples


def numbered(first: int, count: int, fluents: int) -> Examples:
    """Return examples whose target is their number, with the number's bits as fluents."""
    numbers = torch.arange(first, first + count)
    bits = (numbers[:, None] >> torch.arange(fluents)[None, :]) & 1
    return Examples(bits.to(torch.bool), numbers[:, None].to(torch.float32))


@settings(deadline=None)
@given(st.integers(1, 20), st.lists(st.integers(0, 25), max_size=6), st.integers(1, 19))
def test_it_holds_exactly_the_newest(capacity: int, counts: list[int], fluents: int) -> None:
    buffer = ReplayBuffer(capacity, fluents, 1)
    first = 0
    for count in counts:
        buffer.add(numbered(first, count, fluents))
        first += count
    held = buffer.at(torch.arange(len(buffer)))
    order = held.targets.flatten().argsort()
    wanted = numbered(max(0, first - capacity), min(first, capacity), fluents)
    assert torch.equal(held.targets[order], wanted.targets)
    assert torch.equal(held.fluents[order], wanted.fluents)


def test_a_restored_buffer_goes_on_like_the_original() -> None:
    one, two = ReplayBuffer(7, 9, 1), ReplayBuffer(7, 9, 1)
    one.add(numbered(0, 11, 9))
    two.restore(one.state())
    for buffer in (one, two):
        buffer.add(numbered(11, 3, 9))
    draws = [b.draw(50, np.random.default_rng(3)) for b in (one, two)]
    assert torch.equal(draws[0].targets, draws[1].targets)
    assert torch.equal(draws[0].fluents, draws[1].fluents)
    assert set(draws[0].targets.flatten().tolist()) == set(range(7, 14))
