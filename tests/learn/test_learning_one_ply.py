"""The experiment of Table 2 runs, goes on where it stopped, and reports what was played."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from neurogame.simulate.game import Game
from tests.conftest import REPOSITORY


@pytest.fixture(scope="module")
def experiment() -> ModuleType:
    path = REPOSITORY / "experiments" / "learning_one_ply.py"
    spec = importlib.util.spec_from_file_location("learning_one_ply", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("setting", ["paper", "adam-sound", "until-won", "td-replay-sound"])
def test_runs_are_recorded_and_go_on(experiment: ModuleType, setting: str, tmp_path: Path) -> None:
    game = Game.load("tictactoe")
    for matches in (3, 6):
        experiment.play_run(game, setting, "untrained", 1, matches, tmp_path)
    run = experiment.read_run(tmp_path / f"tictactoe-{setting}-untrained-1")
    assert len(run.scores) == 6
    assert set(run.scores) <= {0.0, 50.0, 100.0}
    assert 1 <= run.distinct <= 6
    assert run.strength[1] <= run.strength[0] <= run.strength[2]
    text = experiment.report(tmp_path)
    mean = np.mean(run.scores)
    assert f"| tictactoe | {setting} | untrained | 1 | 6 | {mean:.1f} " in text


def test_the_learner_changes_seats_and_its_own_goal_is_counted(
    experiment: ModuleType, tmp_path: Path
) -> None:
    names = {"rules": "toy", "setting": "adam", "opponent": "fuzzy", "seed": 4}
    (tmp_path / "config.json").write_text(json.dumps(names))
    rows = [
        {"matches": 1, "mean_goals": [1.0, 0.0], "moves_digest": "a"},
        {"matches": 2, "mean_goals": [1.0, 0.0], "moves_digest": "a"},
        {"matches": 3, "mean_goals": [0.5, 0.5], "moves_digest": "b"},
    ]
    (tmp_path / "rounds.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = experiment.read_run(tmp_path)
    assert run.scores == [100.0, 0.0, 50.0]
    assert run.distinct == 2


def test_moving_windows_cover_the_last_ten_pairs(experiment: ModuleType) -> None:
    scores = [100.0, 0.0] * 10 + [100.0, 100.0]
    low, mean, high = experiment.moving(scores)
    assert low.tolist() == [50.0, 50.0]
    assert high.tolist() == [50.0, 100.0]
    assert mean.tolist() == [50.0, 55.0]
    assert experiment.moving([1.0] * 19).shape == (3, 0)


def test_intervals(experiment: ModuleType) -> None:
    mean, half = experiment.interval([0.0, 100.0] * 100)
    assert mean == 50.0
    assert half == pytest.approx(1.96 * 50.125 / np.sqrt(200), rel=1e-4)
    # Student's t with 2 degrees of freedom: 4.30 standard errors.
    assert experiment.run_interval([1.0, 2.0, 3.0]) == pytest.approx((2.0, 4.30 / np.sqrt(3)))
