"""What the experiments on learning make of their results."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tests.library import experiment


def test_a_finished_cell_is_kept_whole(tmp_path: Path) -> None:
    cells = experiment("cells").Cells(tmp_path)
    assert not cells.has("nim-1")
    cells.put("nim-1", {"seed": 1})
    again = experiment("cells").Cells(tmp_path)
    assert again.has("nim-1")
    assert again.all() == [{"seed": 1}]


def test_intervals_of_seeds_are_pooled_as_independent() -> None:
    module = experiment("cells")
    rows = [
        {"x": {"score": 0.6, "low": 0.56, "high": 0.64}},
        {"x": {"score": 0.7, "low": 0.67, "high": 0.73}},
    ]
    # The mean of two numbers known to 4 and 3 points is known to half of 5.
    assert module.share(rows, "x") == "65.0 ± 2.5"
    assert module.pooled(rows, "x") == "65.0 ± 2.5 [60, 70]"
    assert module.pooled([*rows, {}], "x") == "not released"


def test_games_needed_are_interpolated() -> None:
    needed = experiment("learning_logic").needed

    def curve(*scores: float) -> list[dict[str, object]]:
        return [
            {"games": 10 * 100**place, "untrained": {"score": score}}
            for place, score in enumerate(scores)
        ]

    assert needed(curve(0.8, 0.9), "games") == 10
    assert needed(curve(0.5, 1.0), "games") == pytest.approx(100)  # Half way between 10 and 1000.
    assert needed(curve(0.5, 0.6, 0.75), "games") == pytest.approx(100_000)
    assert math.isinf(needed(curve(0.5, 0.7), "games"))


def test_seconds_with_features_are_compared_seed_by_seed(tmp_path: Path) -> None:
    module = experiment("learning_with_features")
    cells = experiment("cells").Cells(tmp_path)
    for start, factor, spent in (("without", 2.0, 0.0), ("with", 1.0, 0.25)):
        for seed in (1, 2):
            curve = [
                {
                    "seconds": factor * seed * 4**place,
                    "games": 1000,
                    "rival": {"score": score, "low": score - 0.1, "high": score + 0.1},
                }
                for place, score in enumerate((0.25, 0.75, 0.8, 0.8, 0.9))
            ]
            one = {"game": "hex5", "start": start, "seed": seed, "spent": spent, "curve": curve}
            cells.put(f"hex5-{start}-{seed}", one)
    lines = module.report(cells).splitlines()
    # 50 % is half way between 25 and 75, so 2 and 4 seconds with, 4 and 8 without.
    assert lines[2].startswith("| hex5 | without | 25.0 ± 7.1 | 75.0 ± 7.1 |")
    assert "| 6.0 |  |" in lines[2]
    assert "| 3.0 | 0.50 |" in lines[3]
    assert lines[-1] == "Finding features took 0.25 to 0.25 s."


def test_the_deepest_fall_is_that_of_ten_pairs() -> None:
    module = experiment("learning_across_matches")
    rising = np.repeat(np.linspace(0, 1, 40), 2)[None, :]
    assert module.deepest_fall(rising) == 0
    # Ten pairs won, then ten of which one half is won: the mean falls from 1 to a half.
    falling = np.array([[1.0] * 20 + [1.0, 0.0] * 10])
    assert module.deepest_fall(falling) == pytest.approx(0.5)
    assert module.deepest_fall(np.repeat(falling, 3, axis=0)) == pytest.approx(0.5)
    assert math.isnan(module.deepest_fall(falling[:, :18]))
