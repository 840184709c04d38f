"""``neurogame bench``: rows, figures that belong together, and what is refused."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from neurogame.cli import bench
from neurogame.cli.main import main
from tests.library import Refused

SHORT = ["--seconds", "0.01", "--runs", "2", "--quiet"]


def test_a_row_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    """In new processes, the first one without a cache."""
    before = os.environ["NEUROGAME_CACHE"]
    line = ["bench", "tictactoe", "--backend", "llvm-table", "--json"]
    assert main([*line, *SHORT]) == 0
    assert os.environ["NEUROGAME_CACHE"] == before
    shown = capsys.readouterr()
    assert shown.out.count("\n") == 1
    assert shown.err == ""
    found = json.loads(shown.out)
    host, [row] = found["host"], found["rows"]
    assert host["processor"]
    assert host["costs"]["clock"] > 1e8
    assert (row["game"], row["backend"], row["threads"]) == ("tictactoe", "llvm-table", 1)
    assert len(row["plies_per_second_runs"]) == 2
    slow, fast = sorted(row["plies_per_second_runs"])
    assert 0 < slow <= row["plies_per_second"] <= fast
    assert 7 < row["mean_length"] < 8
    assert row["games_per_second"] == row["plies_per_second"] / row["mean_length"]
    assert 100 < row["gates"] < 400
    assert row["cold_start_seconds"] > row["kernel_seconds"] > 0
    assert row["warm_start_seconds"] > 0
    assert row["cold_start_cpu_seconds"] > row["warm_start_cpu_seconds"] > 0
    assert row["peak_mb"] > 10
    assert row["cycles"] == pytest.approx(host["costs"]["clock"] * 512 / row["plies_per_second"])
    assert row["share_of_bound"] == pytest.approx(row["bound_cycles"] / row["cycles"])


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure in this process, which has what it needs imported."""

    def measure(
        folder: str, name: str, backend: str, options: Any, runs: int
    ) -> tuple[object, object]:
        monkeypatch.setenv("NEUROGAME_CACHE", folder)
        arguments = (options.device, options.seconds, runs, options.threads)
        return bench._measure(folder, name, backend, *arguments)

    monkeypatch.setattr(bench, "_in_new_process", measure)


@pytest.mark.usefixtures("here")
def test_a_table_has_a_line_per_game_and_backend(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["bench", "tictactoe", "nim", "--backend", "llvm", "torch", "--threads", "2"]
    assert main([*line, *SHORT]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    host, head, *rows = shown.out.splitlines()
    assert "GHz; " in host
    assert head.split()[:3] == ["game", "backend", "plies/s"]
    assert [row.split()[:2] for row in rows] == [
        ["tictactoe", "llvm-straight"],
        ["tictactoe", "torch"],
        ["nim", "llvm-straight"],
        ["nim", "torch"],
    ]
    assert len({len(row) for row in (head, *rows)}) == 1
    assert rows[0].endswith("%")
    assert rows[1].split()[5:7] == ["-", "-"], "plain torch tells neither gates nor seconds"
    assert all(float(row.split()[2].replace(",", "")) > 0 for row in rows)


def test_plain_torch_tells_no_gates_and_so_no_cycles(
    capsys: pytest.CaptureFixture[str], here: None
) -> None:
    line = ["bench", "tictactoe", "--backend", "torch", "--json"]
    assert main([*line, *SHORT]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert [row[key] for key in ("gates", "cycles", "bound_cycles")] == [None] * 3
    assert row["plies_per_second"] > 0


def end_at_once(*arguments: object) -> None:
    """Stand in for a process that the system ends."""
    os._exit(9)


def test_a_process_that_is_ended_by_the_system_is_one_line_and_1(
    monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    monkeypatch.setattr(bench, "_measure", end_at_once)
    said = refused("bench", "tictactoe", "--backend", "torch", "--json", *SHORT)
    assert said.startswith("error: measuring tictactoe on torch was ended by the system")
