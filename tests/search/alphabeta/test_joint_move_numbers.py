"""Joint moves in compiled code against the product of lists."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.native.compiled import compiled
from neurogame.search.alphabeta.compiled.memory import make_choices
from neurogame.search.alphabeta.compiled.moves import MOST, joint_count, joint_move, list_moves
from neurogame.search.packing import state_words


@compiled
def _count(legal: Any, offsets: Any) -> int:
    return joint_count(legal, offsets)


@compiled
def _all_rows(choices: Any, legal: Any, joint: Any) -> None:
    list_moves(choices, legal)
    for row in range(len(joint)):
        joint_move(choices, row, joint[row])


@given(
    sizes=st.lists(st.integers(1, 140), min_size=1, max_size=4),
    seed=st.integers(0, 2**32 - 1),
    role=st.integers(0, 3),
)
def test_rows_are_the_product_of_the_roles_moves(sizes: list[int], seed: int, role: int) -> None:
    random = np.random.default_rng(seed)
    role %= len(sizes)
    flags = np.concatenate([random.random(n) < min(0.5, 5 / n) for n in sizes])
    offsets = np.cumsum([0, *sizes])
    order = [role, *(r for r in range(len(sizes)) if r != role)]
    own = [[m for m in range(offsets[r], offsets[r + 1]) if flags[m]] for r in range(len(sizes))]
    expected = list(itertools.product(*(own[r] for r in order)))
    assert _count(state_words(flags), offsets) == len(expected)
    if expected:
        joint = np.zeros((len(expected), len(sizes)), np.int32)
        _all_rows(make_choices(offsets, role), state_words(flags), joint)
        assert [tuple(row) for row in joint[:, order].tolist()] == expected


def test_very_many_joint_moves_are_not_counted_on() -> None:
    offsets = np.arange(0, 641, 64)
    assert _count(np.full(10, 2**64 - 1, np.uint64), offsets) == MOST
    one_role_stuck = np.full(10, 2**64 - 1, np.uint64)
    one_role_stuck[7] = 0
    assert _count(one_role_stuck, offsets) == 0
