"""The folder of a run: on a disk that is full, and for one process at a time."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from neurogame.cli.main import main
from neurogame.errors import ConfigurationError, LimitError
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.recipe import fitted
from neurogame.learn.run_folder import LOGS, RunFolder
from neurogame.learn.run_lock import LOCK
from neurogame.learn.train_config import TrainConfig
from neurogame.learn.trainer import Trainer
from neurogame.simulate.game import Game
from tests.processes import PATIENCE, started


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
        LOCK,
        *LOGS,
    }
    again = Trainer(game, config, folder, folder.resume())
    again.run()
    assert load_checkpoint(folder.latest).counters["matches"] >= 3000


def test_one_process_trains_in_a_folder_and_its_death_lets_the_next_one_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second one is told so, whether it would begin or go on; a kill leaves nothing behind."""
    out = tmp_path / "run"
    code = (
        "import sys; from neurogame.learn.run_folder import RunFolder\n"
        "folder = RunFolder(sys.argv[1]); folder.create({'recipe': 'fitted'})\n"
        "folder.latest.write_bytes(b''); print('there', flush=True); sys.stdin.read()"
    )
    with started([sys.executable, "-c", code, out], stdin=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        folder = RunFolder(out)
        for attempt in (folder.check_free, lambda: folder.create({}), folder.resume):
            with pytest.raises(ConfigurationError, match=r"another process is training in .*/run"):
                attempt()
        for line in (["tictactoe", "--out", str(out)], ["--resume", str(out)]):
            assert main(["train", *line, "--games", "10"]) == 1
            assert "another process is training in" in capsys.readouterr().err
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=PATIENCE)
    folder.latest.unlink()
    folder.create({})
    RunFolder(out).check_free()
