"""``torchrun -m neurogame train``: the weights of one process, one voice, one end for all."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import distributed

from neurogame.cli.main import main
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.lanes import ranks as lane_ranks
from neurogame.machine_memory import share_memory
from tests.processes import PATIENCE, PROGRAM, environment, started

TRAIN = ["train", "tictactoe", "--no-strength", "--release-matches", "2"]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
AS_MANY = ["--cores", "4", "--round-plies", "128"]
"""What torchrun and --workers choose, said to one process."""

Beside = Callable[[int], subprocess.Popen[str] | None]


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Iterator[Beside]:
    """Make this process the first of those that torchrun starts, and start the second one."""
    threads, processes = torch.get_num_threads(), ExitStack()

    def start(count: int) -> subprocess.Popen[str] | None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]
        common = {
            "TORCHELASTIC_RUN_ID": "test",
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(port),
            "WORLD_SIZE": str(count),
            "LOCAL_WORLD_SIZE": str(count),
            "NUMBA_NUM_THREADS": "1",
        }
        for name, value in {**common, "RANK": "0", "LOCAL_RANK": "0"}.items():
            monkeypatch.setenv(name, value)
        if count == 1:
            return None
        # What it is to train, the first one says.
        env = environment(**common, RANK="1", LOCAL_RANK="1")
        return processes.enter_context(started([*PROGRAM, "train", "nim"], env=env))

    with processes:
        yield start
        # A command that has failed leaves it to the end of its process.
        if distributed.is_initialized():
            distributed.destroy_process_group()
    torch.set_num_threads(threads)
    share_memory(1)


def _learned(folder: Path) -> dict[str, Any]:
    """Return all that a run has learned and goes on from."""
    kept = load_checkpoint(folder / "latest.pt").optimiser
    assert kept is not None
    state: dict[str, Any] = kept["averaged"] | kept["state"]
    return state


def _same(first: Path, second: Path) -> bool:
    one, two = _learned(first), _learned(second)
    assert one["0.weights.tables"].abs().sum() > 0
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)


def test_two_processes_learn_what_one_does_and_stop_together(tmp_path: Path) -> None:
    """Torchrun is told to end; the run is saved after a round of both, and goes on in one."""
    two, one = tmp_path / "two", tmp_path / "one"
    command: list[str | Path] = [
        *TORCHRUN,
        "-m",
        "neurogame",
        *TRAIN,
        "--out",
        two,
        "--games",
        "10000000",
    ]
    with started(command) as program:
        assert program.stderr is not None
        shown = ""
        while "games=" not in shown:
            letter = program.stderr.read(1)
            assert letter, shown
            shown += letter
        program.send_signal(signal.SIGTERM)
        # Its processes have the same output: it ends when all have.
        output, errors = program.communicate(timeout=PATIENCE)
    assert program.returncode != 0
    assert output.count("go on with:  neurogame train --resume") == 1, errors
    assert errors.count("stopping, then saving") == 1
    games = load_checkpoint(two / "latest.pt").counters["matches"]
    assert games > 0
    assert main([*TRAIN, "--out", str(one), "--games", str(games), "--quiet", *AS_MANY]) == 0
    assert _same(one, two)
    for folder in (one, two):
        more = ["--games", str(games + 20000), "--quiet", "--no-strength"]
        assert main(["train", "--resume", str(folder), *more]) == 0
    assert _same(one, two)


def test_a_run_of_one_process_goes_on_in_two(
    beside: Beside, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    common = ["--quiet", "--json", "--no-strength"]
    assert main([*TRAIN, "--out", str(one), "--games", "100", *common, *AS_MANY]) == 0
    shutil.copytree(one, two)
    assert main(["train", "--resume", str(one), "--games", "30000", *common]) == 0
    other = beside(2)
    assert other is not None
    assert main(["train", "--resume", str(two), "--games", "30000", *common]) == 0
    assert other.communicate(timeout=PATIENCE) == ("", "")
    assert other.returncode == 0
    assert _same(one, two)
    first, second = map(json.loads, capsys.readouterr().out.splitlines()[1:])
    assert second["matches"] == first["matches"] >= 30000
    assert second["releases"][-1]["loss"] == pytest.approx(first["releases"][-1]["loss"])


def test_an_error_of_the_other_process_is_told_by_the_first(
    beside: Beside,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(lane_ranks, "source_version", lambda: "other")
    other = beside(2)
    assert other is not None
    assert main([*TRAIN, "--out", str(tmp_path / "run"), "--games", "9", "--quiet"]) == 1
    assert "install the same files on all machines" in capsys.readouterr().err
    distributed.destroy_process_group()
    assert other.communicate(timeout=PATIENCE) == ("", "")
    assert other.returncode == 1


def test_a_process_that_dies_ends_the_others(
    beside: Beside,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    other = beside(2)
    assert other is not None
    lead = lane_ranks.lead

    def killing(*learner_and_ranks: Any) -> None:
        lead(*learner_and_ranks)
        os.kill(other.pid, signal.SIGKILL)

    monkeypatch.setattr(lane_ranks, "lead", killing)
    assert main([*TRAIN, "--out", str(tmp_path / "run"), "--games", "9", "--quiet"]) == 1
    assert "another process that torchrun started has ended" in capsys.readouterr().err
    assert (tmp_path / "run" / "latest.pt").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--workers", "2"], "--workers: not under torchrun"),
        (["--cluster", "tcp://x:1"], "--cluster: not under torchrun"),
        (["--recipe", "paper"], "the recipe paper cannot be started by torchrun"),
        (["--asynchronous"], "asynchronous: not with torchrun"),
    ],
)
def test_what_makes_no_sense_is_refused(
    beside: Beside,
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    beside(1)
    assert main(["train", "nim", "--out", str(tmp_path / "run"), *arguments]) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
