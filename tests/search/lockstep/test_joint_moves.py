"""Joint moves of many states against itertools, and counter-based random numbers."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.search.lockstep.counter_random import derive, uniform
from neurogame.search.lockstep.joint_moves import JOINT_LIMIT, joint_moves


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(0, 6))
def test_all_joint_moves_in_order(seed: int, roles: int, states: int) -> None:
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 6, size=roles)
    offsets = [0, *np.cumsum(sizes).tolist()]
    legal = random.random((states, offsets[-1])) < 0.6
    for first in offsets[:-1]:
        legal[:, first] = True
    joint = joint_moves(legal, offsets, np.zeros(states, dtype=np.int64))
    twin = [
        (state, *moves)
        for state in range(states)
        for moves in itertools.product(
            *(np.flatnonzero(legal[state, a:b]).tolist() for a, b in itertools.pairwise(offsets))
        )
    ]
    found = np.concatenate([joint.parent[:, None], joint.moves], axis=1).tolist()
    assert found == [list(row) for row in twin]
    for role, table in enumerate(joint.table):
        assert (table[joint.parent, joint.rank[:, role]] == joint.moves[:, role]).all()


def test_too_many_joint_moves_are_sampled_with_every_move_in_random_company() -> None:
    legal = np.ones((2, 400), dtype=bool)
    legal[1, 1:] = False
    legal[1, 300] = True
    joint = joint_moves(legal, [0, 300, 400], np.array([5, 6]))
    assert np.bincount(joint.parent).tolist() == [JOINT_LIMIT, 1]
    sampled = joint.moves[joint.parent == 0]
    assert set(sampled[:, 0].tolist()) == set(range(300))
    assert set(sampled[:, 1].tolist()) == set(range(100))
    company = {tuple(pair) for pair in sampled.tolist()}
    assert len(company) > JOINT_LIMIT / 2


def test_derived_words_depend_on_every_part_and_are_uniform() -> None:
    words = derive(7, np.arange(20000))
    assert len(set(words.tolist())) == 20000
    assert not (words == derive(8, np.arange(20000))).any()
    assert not (words == derive(np.arange(20000), 7)).all()
    values = uniform(words)
    assert values.min() >= 0
    assert values.max() < 1
    counts, _ = np.histogram(values, bins=20, range=(0, 1))
    # Chi-square with 19 degrees of freedom: above 43.8 in 0.1 % of cases; the words are fixed.
    assert ((counts - 1000.0) ** 2 / 1000.0).sum() < 43.8
