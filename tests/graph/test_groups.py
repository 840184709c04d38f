"""Sorting by packed words against sorting by keys."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.graph.groups import sorted_in_groups

_VALUES = st.lists(
    st.tuples(st.integers(0, 2**31 - 1) | st.integers(0, 2**60), st.integers(0, 2**32 - 1)),
    max_size=40,
)


@given(_VALUES)
def test_each_group_ascends(pairs: list[tuple[int, int]]) -> None:
    group = np.array(sorted(g for g, _ in pairs), np.int64)
    values = np.array([v for _, v in pairs], np.int64)
    expected = values[np.lexsort((values, group))]
    assert sorted_in_groups(group, values).tolist() == expected.tolist()
