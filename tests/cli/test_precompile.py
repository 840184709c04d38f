"""Compiling ahead, and what a person is told before compiling makes them wait."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from neurogame import first_use
from neurogame.cli import precompile
from neurogame.cli.main import main


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the note that a version has been compiled in a folder of the test."""
    monkeypatch.setenv("NEUROGAME_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def fake(monkeypatch: pytest.MonkeyPatch, codes: dict[str, int]) -> list[str]:
    """Let jobs end at once with the given exit codes; return the list of those that ran."""
    ran: list[str] = []

    def begin(job: str) -> subprocess.Popen[bytes]:
        ran.append(job)
        return subprocess.Popen([sys.executable, "-c", f"raise SystemExit({codes.get(job, 0)})"])

    monkeypatch.setattr(precompile, "_begin", begin)
    monkeypatch.setattr(precompile, "_LOOK", 0.01)
    return ran


def test_each_job_runs_once_and_then_never_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = fake(monkeypatch, {})
    assert main(["precompile", "--quiet", "--jobs", "2"]) == 0
    assert ran == list(precompile.JOBS)
    assert main(["precompile", "--quiet"]) == 0
    assert ran == list(precompile.JOBS)
    assert main(["precompile", "--quiet", "--force"]) == 0
    assert ran == 2 * list(precompile.JOBS)


def test_what_failed_is_named_and_tried_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = fake(monkeypatch, {"training": 3})
    assert main(["precompile", "--quiet"]) == 1
    assert "training" in capsys.readouterr().err
    fake(monkeypatch, {})
    assert main(["precompile", "--quiet"]) == 0
    assert len(ran) == len(precompile.JOBS)


def test_an_interrupt_ends_the_jobs(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[subprocess.Popen[bytes]] = []

    def begin(_: str) -> subprocess.Popen[bytes]:
        begun.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]))
        return begun[-1]

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(precompile, "_begin", begin)
    monkeypatch.setattr("time.sleep", interrupt)
    assert main(["precompile", "--quiet"]) == 130
    assert [job.poll() is None for job in begun] == [False]
    assert not list(cache.glob("precompiled-*"))


def test_no_processes_are_no_choice(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["precompile", "--jobs", "0"]) == 1
    assert "--jobs 0" in capsys.readouterr().err


@pytest.mark.parametrize(("options", "told"), [([], 1), (["--quiet"], 0), (["--json"], 0)])
def test_a_command_says_once_that_it_compiles(
    options: list[str],
    told: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from neurogame.cli import match

    def run(_: object) -> int:
        first_use.compiling()
        first_use.compiling()
        return 0

    monkeypatch.setattr(match, "run", run)
    assert main(["match", "nim", "--players", "mcts", "random", *options]) == 0
    said = capsys.readouterr().err
    assert said.count("compiling") == told
    assert said.count("\n") == told
    # After the command nobody is told.
    first_use.compiling()
    assert not capsys.readouterr().err
