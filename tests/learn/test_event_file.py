"""One record, two formats: what the logs say is what TensorBoard reads, whatever happened."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from neurogame.cli.main import main
from neurogame.learn.event_file import event_files
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.trainer import PaperTrainer
from neurogame.learn.recipe import fitted
from neurogame.learn.run_files import LOGS
from neurogame.learn.run_folder import RunFolder
from neurogame.learn.train_config import TrainConfig
from neurogame.learn.trainer import Trainer, train
from neurogame.learn.training_run import TrainingRun
from neurogame.simulate.game import Game

GROUPS = {"rounds": "train", "evaluations": "eval"}
LINE = ["--quiet", "--no-strength", "--lanes", "64", "--release-matches", "2"]


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return what a log says."""
    path = folder / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def written(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Return the curves that the logs describe: steps and values by tag."""
    found: dict[str, list[tuple[int, float]]] = {}
    for name, group in GROUPS.items():
        for row in rows_of(folder, name):
            for column, value in row.items():
                if column != "games" and type(value) in (bool, int, float):
                    curve = found.setdefault(f"{group}/{column}", [])
                    curve.append((row["games"], float(np.float32(value))))
    return found


def read(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Return the curves that TensorBoard reads."""
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    return {
        tag: [(event.step, event.value) for event in events.Scalars(tag)]
        for tag in events.Tags()["scalars"]
    }


def assert_one_record(folder: Path) -> None:
    """Check that both formats hold the same rows."""
    assert read(folder) == written(folder)
    assert len(event_files(folder)) == 1


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
def test_kills_neither_double_an_event_nor_lose_one(
    make: Callable[..., TrainingRun], tmp_path: Path
) -> None:
    random = np.random.default_rng(7)
    run = make(RunFolder(tmp_path, tensorboard=True), goes_on=False)
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
            for path in [*(tmp_path / name for name in LOGS), *event_files(tmp_path)]:
                if path.exists():
                    path.write_bytes(path.read_bytes() + b'{"torn')
            kills += 1
            run = make(RunFolder(tmp_path), goes_on=True)
            assert_one_record(tmp_path)
    run.folder.close()
    assert kills == 4
    assert_one_record(tmp_path)
    rounds = [step for step, _ in read(tmp_path)["train/round"]]
    assert rounds == [row["games"] for row in rows_of(tmp_path, "rounds")]
    assert [row["round"] for row in rows_of(tmp_path, "rounds")] == list(
        range(1, run.counters.rounds + 1)
    )


def test_the_command_writes_them_and_a_run_that_goes_on_keeps_them(tmp_path: Path) -> None:
    out = str(tmp_path)
    assert main(["train", "tictactoe", "--out", out, "--games", "600", *LINE]) == 0
    assert event_files(tmp_path) == []
    for games, options in (("1200", ["--tensorboard"]), ("1800", [])):
        assert (
            main(["train", "--resume", out, "--games", games, "--quiet", "--no-strength", *options])
            == 0
        )
        assert_one_record(tmp_path)
    curves = read(tmp_path)
    # What was learned before they were asked for is there, too.
    assert len(curves["train/loss"]) == len(rows_of(tmp_path, "rounds"))
    assert len(curves["eval/score"]) == len(rows_of(tmp_path, "evaluations")) >= 3
    assert {value for _, value in curves["eval/released"]} <= {0.0, 1.0}


def test_training_from_python_writes_them(tmp_path: Path) -> None:
    config = TrainConfig(games=100, release_matches=2)
    train(Game.load("tictactoe"), config, tmp_path, tensorboard=True)
    assert_one_record(tmp_path)
    assert read(tmp_path)["eval/matches"][0][1] == 2


def test_a_new_run_in_the_place_of_one_that_never_began_has_no_events_of_it(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, tensorboard=True)
    folder.create({})
    folder.log_round(
        {"games": 5, "seconds": 1.0, "loss": float("nan"), "goals": [1.0], "none": None}
    )
    folder.close()
    assert read(tmp_path) == {"train/seconds": [(5, 1.0)]}
    RunFolder(tmp_path).create({})
    assert event_files(tmp_path) == []


def test_time_is_that_of_learning(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, tensorboard=True)
    folder.create({})
    for seconds in (0.5, 2.0, 7200.0):
        folder.log_round({"games": 1, "seconds": seconds})
    folder.close()
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    times = [event.wall_time for event in events.Scalars("train/seconds")]
    begun = (tmp_path / "config.json").stat().st_mtime
    assert np.allclose(np.array(times) - begun, [0.5, 2.0, 7200.0], atol=1e-3)


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


def test_without_the_package_nothing_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run, new = tmp_path / "run", tmp_path / "new"
    folder = RunFolder(run, tensorboard=True)
    lanes(folder, goes_on=False).save()
    folder.log_round({"games": 1, "seconds": 1.0})  # Would be cut off by going on.
    folder.close()
    before = {path: path.read_bytes() for path in run.iterdir()}
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    for line in (["tictactoe", "--out", str(new), "--tensorboard"], ["--resume", str(run)]):
        assert main(["train", *line, "--quiet", "--no-strength", "--games", "9"]) == 1
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert "pip install 'neurogame[tensorboard]'" in told
        assert "--tensorboard" in told
    assert f"remove {run}" in told
    assert not new.exists()
    assert {path: path.read_bytes() for path in run.iterdir()} == before
