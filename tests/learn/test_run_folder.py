"""The folder of a run on a disk that is full."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from neurogame.errors import LimitError
from neurogame.learn.checkpoint import load_checkpoint
from neurogame.learn.recipe import fitted
from neurogame.learn.run_folder import LOGS, RunFolder
from neurogame.learn.train_config import TrainConfig
from neurogame.learn.trainer import Trainer
from neurogame.simulate.game import Game


def test_a_full_disk_ends_a_run_that_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, folder = Game.load("tictactoe"), RunFolder(tmp_path / "run")
    config = TrainConfig(games=3000, learner=fitted(game, {"lanes": 64}))
    folder.create({})
    trainer = Trainer(game, config, folder)
    trainer.save()
    before = folder.latest.read_bytes()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("neurogame.files.os.fsync", full)
        with pytest.raises(LimitError, match=r"No space left on device.*--resume"):
            trainer.run()
        other = RunFolder(tmp_path / "other")
        with pytest.raises(LimitError, match="start again"):
            other.create({})
    assert folder.latest.read_bytes() == before
    assert {path.name for path in folder.path.iterdir()} <= {
        "config.json",
        "latest.pt",
        *LOGS,
    }
    again = Trainer(game, config, folder, folder.resume())
    again.run()
    assert load_checkpoint(folder.latest).counters["matches"] >= 3000
