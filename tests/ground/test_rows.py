"""The row set against a Python dictionary, and collisions of its hash."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.ground import rows as rows_module
from neurogame.ground.rows import RowSet

BATCHES = st.integers(0, 4).flatmap(
    lambda arity: st.lists(
        st.lists(st.lists(st.integers(0, 5), min_size=arity, max_size=arity), max_size=12),
        max_size=5,
    ).map(lambda batches: (arity, batches))
)


def check_against_dictionary(arity: int, batches: list[list[list[int]]]) -> None:
    rows, twin = RowSet(arity), dict[tuple[int, ...], int]()
    for batch in batches:
        array = np.array(batch, np.int64).reshape(len(batch), arity)
        before = [twin.get(tuple(r), -1) for r in batch]
        assert rows.find(array).tolist() == before
        expected = [twin.setdefault(tuple(r), len(twin)) for r in batch]
        assert rows.add(array).tolist() == expected
    assert rows.count == len(twin)
    assert [tuple(r) for r in rows.rows.tolist()] == list(twin)


@given(BATCHES)
def test_numbers_rows_in_order_of_arrival(case: tuple[int, list[list[list[int]]]]) -> None:
    check_against_dictionary(*case)


def test_survives_collisions_of_its_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    def weak(columns: np.ndarray) -> np.ndarray:
        total: np.ndarray = columns.sum(axis=1).astype(np.uint64) << np.uint64(61)
        return total

    monkeypatch.setattr(rows_module, "_scatter", weak)
    batches = [[[i % 7, i % 3, i % 5] for i in range(k, k + 40)] for k in (0, 20, 60)]
    check_against_dictionary(3, batches)
    check_against_dictionary(0, [[[]], [[], []]])
