"""The rows of a run are whole, each once, whatever happened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.trainer import PaperTrainer
from neurogame.learn.recipe import fitted
from neurogame.learn.run_folder import LOGS, RunFolder
from neurogame.learn.train_config import TrainConfig
from neurogame.learn.trainer import Trainer, train
from neurogame.learn.training_run import TrainingRun
from neurogame.simulate.game import Game


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return what a log says."""
    path = folder / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def paper(folder: RunFolder, *, goes_on: bool) -> TrainingRun:
    """Return a run of 24 matches by the paper's rule."""
    config = PaperConfig(games=24, seed=3)
    resumed = folder.resume() if goes_on else None
    if resumed is None:
        folder.create({})
    return PaperTrainer(Game.load("tictactoe"), config, folder, resumed)


def lanes(folder: RunFolder, *, goes_on: bool) -> TrainingRun:
    """Return a run of a few rounds in lanes."""
    game = Game.load("tictactoe")
    settings = {"lanes": 64, "network": {"hidden": 16, "lookups": 8}}
    config = TrainConfig(learner=fitted(game, settings), games=4000, release_matches=2)
    resumed = folder.resume() if goes_on else None
    if resumed is None:
        folder.create({"recipe": "fitted"})
    return Trainer(game, config, folder, resumed)


@pytest.mark.parametrize("make", [paper, lanes])
def test_kills_neither_double_a_row_nor_lose_one(
    make: Callable[..., TrainingRun], tmp_path: Path
) -> None:
    random = np.random.default_rng(7)
    run = make(RunFolder(tmp_path), goes_on=False)
    kills = 0
    while not run.finished():
        for _ in range(int(random.integers(1, 5))):
            if not run.finished():
                run.round()
        run.save()
        # After the last save a round is logged that the kill takes back, and half of another.
        if kills < 4 and not run.finished():
            run.round()
            run.folder.close()
            for path in (tmp_path / name for name in LOGS):
                if path.exists():
                    path.write_bytes(path.read_bytes() + b'{"torn')
            kills += 1
            run = make(RunFolder(tmp_path), goes_on=True)
    run.folder.close()
    assert kills == 4
    assert [row["round"] for row in rows_of(tmp_path, "rounds")] == list(
        range(1, run.counters.rounds + 1)
    )


def test_training_from_python_writes_them(tmp_path: Path) -> None:
    config = TrainConfig(games=100, release_matches=2)
    train(Game.load("tictactoe"), config, tmp_path)
    assert rows_of(tmp_path, "evaluations")[0]["matches"] == 2


def test_the_loss_of_an_evaluation_is_that_of_its_rounds(tmp_path: Path) -> None:
    run = lanes(RunFolder(tmp_path), goes_on=False)
    assert isinstance(run, Trainer)
    learned = [0]
    run.run(lambda row: learned.append(run.learner.losses()[1]))
    rows = rows_of(tmp_path, "rounds")
    evaluations = rows_of(tmp_path, "evaluations")
    losses = np.array([row["loss"] or 0.0 for row in rows])
    games, weights, before = np.array([row["games"] for row in rows]), np.diff(learned), 0
    assert len(rows) > 3
    assert len(evaluations) > 1
    for evaluation in evaluations:
        since = (before < games) & (games <= evaluation["games"])
        wanted = np.average(losses[since], weights=weights[since])
        assert evaluation["loss"] == pytest.approx(wanted, rel=1e-9)
        before = evaluation["games"]
    assert before == games[-1]
