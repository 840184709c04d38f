"""Correlations from sums, against numpy's of all rows at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from neurogame.features.correlation import Correlations, fisher_interval


@example(seed=7135347, rows=2, blocks=1)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 5))
def test_blocks_add_up_to_numpys_correlation(seed: int, rows: int, blocks: int) -> None:
    random = np.random.default_rng(seed)
    mixed = random.normal(size=(5, 5)) + 3 * np.eye(5)
    data = (random.normal(size=(rows, 5)) @ mixed + 1000 * random.normal(size=5)).astype(np.float32)
    # What hardly varies beside its size is taken for rounding.
    assume((data.std(axis=0) > 0.02).all())
    found = Correlations(3, 2)
    for block in np.array_split(data, blocks):
        found.add(block[:, :3], block[:, 3:])
    whole = np.atleast_2d(np.corrcoef(data.astype(np.float64), rowvar=False))
    assert found.with_results() == pytest.approx(whole[:3, 3:], abs=1e-6)
    assert found.correlations()[:3, :3] == pytest.approx(whole[:3, :3], abs=1e-6)
    assert found.mean() == pytest.approx(data.mean(axis=0, dtype=np.float64), rel=1e-6)
    covariance = np.cov(data.astype(np.float64), rowvar=False, bias=True)
    assert found.covariance() == pytest.approx(covariance, rel=1e-6, abs=1e-6)


def test_what_never_changes_has_no_correlation() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(100, 2)).astype(np.float32)
    rows[:, 0] = 0.1
    found = Correlations(1, 1)
    found.add(rows[:, :1], rows[:, 1:])
    assert found.with_results() == 0


def test_nothing_was_seen() -> None:
    found = Correlations(2, 1)
    found.add(np.zeros((0, 2), np.float32), np.zeros((0, 1), np.float32))
    assert found.count == 0
    assert (found.with_results() == 0).all()


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    random, held, turns = np.random.default_rng(2), 0, 400
    for _ in range(turns):
        x = random.normal(size=80)
        y = 0.6 * x + 0.8 * random.normal(size=80)
        low, high = fisher_interval(np.array([np.corrcoef(x, y)[0, 1]]), 80, 1.645)
        held += int(low[0] <= 0.6 <= high[0])
    # 90 % of 400, give or take four standard deviations.
    assert 336 <= held <= 384
    low, high = fisher_interval(np.array([0.9]), 3, 1.645)
    assert (low[0], high[0]) == (-1, 1)
