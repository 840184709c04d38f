"""``--workers`` and ``--cluster``: the same results, and clear refusals."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from neurogame.cli.main import main
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.workers.settings import WorkerSettings
from neurogame.workers.workplace import Workplace
from tests.processes import PATIENCE, PROGRAM, started, wait_until


def _trained(folder: Path, *options: str) -> dict[str, torch.Tensor]:
    arguments = ["train", "tictactoe", "--out", str(folder), "--quiet", "--no-strength", "--json"]
    assert main([*arguments, "--games", "12000", "--release-matches", "2", *options]) == 0
    kept = load_checkpoint(folder / "latest.pt").optimiser
    assert kept is not None
    state: dict[str, torch.Tensor] = kept["averaged"] | kept["state"]
    return state


def test_training_is_the_same_with_one_worker_and_with_two(tmp_path: Path) -> None:
    one = _trained(tmp_path / "one", "--workers", "1")
    two = _trained(tmp_path / "two", "--workers", "2")
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert load_checkpoint(tmp_path / "two" / "latest.pt").config["learner"]["cores"] == 4


def test_a_run_that_is_killed_goes_on_with_other_workers(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    options = ["--games", "400000", "--release-matches", "2", "--quiet", "--no-strength"]
    command = [*PROGRAM, "train", "tictactoe", "--out", str(folder), "--workers", "2", *options]
    with started(command) as program:
        wait_until((folder / "latest.pt").exists, program)
        os.kill(program.pid, signal.SIGKILL)
        # The workers have the same output: it ends when all have gone.
        program.communicate(timeout=PATIENCE)
    resumed = ["train", "--resume", str(folder), "--games", "12000", "--quiet", "--no-strength"]
    assert main([*resumed, "--workers", "1"]) == 0
    assert load_checkpoint(folder / "latest.pt").counters["matches"] >= 12000


def test_the_bar_of_training_shows_workers_and_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def threads(settings: WorkerSettings) -> Iterator[Workplace]:
        with ThreadPoolExecutor(settings.workers) as executor:
            yield Workplace(executor, workers=settings.workers)

    line = ["train", "tictactoe", "--games", "3000", "--no-strength", "--release-matches", "2"]
    line += ["--lanes", "64", "--round-plies", "64"]
    assert main([*line, "--out", str(tmp_path / "alone"), "--workers", "1"]) == 0
    told = capsys.readouterr().err
    assert "games=" in told
    assert "workers" not in told
    monkeypatch.setattr("neurogame.workers.workplace.open_workplace", threads)
    # Elsewhere bars are lines now and then.
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main([*line, "--out", str(tmp_path / "run"), "--workers", "2", "--cores", "3"]) == 0
    shown = re.findall(r"workers=(\d+), pieces=(\d+)", capsys.readouterr().err)
    assert {workers for workers, _ in shown} == {"2"}
    # Before the first round is over it is known who works.
    assert shown[0][1] == "0"
    rounds = load_checkpoint(tmp_path / "run" / "latest.pt").counters["rounds"]
    assert int(shown[-1][1]) == 3 * rounds > 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--workers", "0"], "workers=0; allowed: a whole number (at least 1)"),
        (["--workers", "2", "--cluster", "tcp://x:1"], "name one"),
        (["--recipe", "paper", "--workers", "2"], "--workers: only with --recipe fitted"),
    ],
)
def test_what_makes_no_sense_is_refused(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["train", "nim", "--out", str(tmp_path / "run"), *arguments]) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
