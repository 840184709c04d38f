"""The folder of a run, and what others may have put into it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from neurogame.errors import CheckpointError
from neurogame.learn.run_folder import RunFolder
from tests.learn.test_trainer import trainer


def test_a_checkpoint_of_another_game_is_not_resumed(tmp_path: Path) -> None:
    run, other = trainer(tmp_path / "run", 100), trainer(tmp_path / "other", 100, "nim")
    for one in (run, other):
        one.save()
        one.folder.close()
    shutil.copyfile(other.folder.latest, run.folder.latest)
    log = run.folder.path / "rounds.jsonl"
    log.write_text("{}\n")
    with pytest.raises(
        CheckpointError, match="is a checkpoint of nim, but the run is of tictactoe"
    ):
        RunFolder(run.folder.path).resume()
    assert log.read_text() == "{}\n"
