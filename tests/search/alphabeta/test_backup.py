"""Values of nodes from those of their children, against the definitions in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.native.compiled import compiled
from neurogame.search.alphabeta.compiled.backup import (
    best_reply,
    equilibrium,
    final_bounds,
    is_certain,
    proved_bounds,
)
from neurogame.search.alphabeta.compiled.records import Child, Row, layout

SHAPES = st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32 - 1))


@compiled
def _reply(rows: Any, first: int, own: int, answers: int) -> Any:
    return best_reply(rows, first, own, answers)


@compiled
def _proved(rows: Any, first: int, own: int, answers: int, opposed: bool) -> Any:
    return proved_bounds(rows, first, own, answers, opposed)


@compiled
def _final(rows: Any, first: int, own: int, answers: int, opposed: bool) -> Any:
    return final_bounds(rows, first, own, answers, opposed)


@compiled
def _equilibrium(values: Any, first: int, order: Any, starts: Any, picked: Any) -> Any:
    best = equilibrium(values, first, order, starts, picked)
    return best, is_certain(values, first, best, order, starts)


@given(shape=SHAPES)
def test_static_children(shape: tuple[int, int, int]) -> None:
    own, answers, seed = shape
    random = np.random.default_rng(seed)
    rows = np.zeros(3 + own * answers, layout(Child))
    rows["static"] = random.integers(0, 5, len(rows)) / 4
    rows["terminal"] = random.random(len(rows)) < 0.5
    grid = rows["static"][3:].reshape(own, answers)
    value, row = _reply(rows, 3, own, answers)
    assert value == grid.min(axis=1).max()
    assert grid[row // answers].min() == grid.reshape(-1)[row] == value
    ends = rows["terminal"][3:].reshape(own, answers) != 0
    low, high = np.where(ends, grid, 0), np.where(ends, grid, 1)
    expected = low.min(axis=1).max(), high.max(axis=0).min()
    assert _final(rows, 3, own, answers, True) == expected
    assert _final(rows, 3, own, answers, False) == (expected[0], high.min(axis=1).max())


@given(shape=SHAPES)
def test_proved_bounds(shape: tuple[int, int, int]) -> None:
    own, answers, seed = shape
    random = np.random.default_rng(seed)
    rows = np.zeros(2 + own * answers, layout(Row))
    ends = np.sort(random.integers(0, 5, (len(rows), 2)) / 4, axis=1)
    rows["low"], rows["high"] = ends[:, 0], ends[:, 1]
    low = rows["low"][2:].reshape(own, answers)
    high = rows["high"][2:].reshape(own, answers)
    sure = low.min(axis=1).max()
    assert _proved(rows, 2, own, answers, True) == (sure, high.max(axis=0).min())
    assert _proved(rows, 2, own, answers, False) == (sure, high.min(axis=1).max())


def _slow_equilibrium(values: Any, counts: list[int]) -> int:
    """Return the row that is played, by backward induction on a grid of rows; role 0 first."""
    rows = np.arange(len(values)).reshape(counts)
    for role in reversed(range(len(counts))):
        own = values[rows, role]
        tied = own == own.max(axis=role, keepdims=True)
        choice = np.where(tied, values[rows, 0], np.inf).argmin(axis=role)
        rows = np.take_along_axis(rows, np.expand_dims(choice, role), axis=role)
    return int(rows.reshape(-1)[0])


@given(
    counts=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    seed=st.integers(0, 2**32 - 1),
)
def test_equilibrium(counts: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    roles, rows = len(counts), int(np.prod(counts))
    values = (random.integers(0, 4, (rows + 5, roles)) / 4).astype(np.float32)
    starts = np.cumsum([0, *counts])
    best, certain = _equilibrium(values, 5, np.arange(roles), starts, np.zeros(roles, np.int64))
    own = values[5:]
    assert best == _slow_equilibrium(own, counts)
    choosers = [role for role in range(roles) if counts[role] > 1]
    if len(choosers) > 1:
        assert not certain
    else:
        equal = own[:, choosers[0]] == own[best, choosers[0]] if choosers else [True] * rows
        assert certain == (own[equal] == own[best]).all()
