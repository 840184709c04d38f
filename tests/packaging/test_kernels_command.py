"""The command of the table of kernel targets: rows kept, failures survived, differences seen."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from neurogame.gdl.library import library_path
from neurogame.kernels.codegen.playouts import LlvmPlayouts
from neurogame.kernels.playout import PlayoutRun, Tally
from tests.processes import run

kernels: Any = importlib.import_module("benchmarks.kernels")

SPEED = {
    "plies_per_second": 3e9,
    "backend": "llvm-straight",
    "gates": 1169,
    "cycles": 500.4,
    "share_of_bound": 0.4,
    "cold_start_cpu_seconds": 1.25,
    "warm_start_cpu_seconds": 0.1,
    "peak_mb": 300.0,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one rulesheet and one that is broken."""
    found = tmp_path_factory.mktemp("games")
    shutil.copy(library_path("tictactoe"), found / "ticTacToe.kif")
    (found / "broken.kif").write_text("(role r) (<= (legal r go) (not (true ?x)))")
    return found


def options(folder: Path, **changes: object) -> argparse.Namespace:
    values = {"folder": folder, "limit": 60, "equal_seconds": 0.01, "resume": None, **changes}
    return argparse.Namespace(**values)


def test_backends_are_compared_in_processes_of_their_own(folder: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    command = [sys.executable, "-m", "benchmarks.kernels", str(folder), "--equal", "--markdown"]
    command += ["--games", "ticTacToe", "broken", "none"]
    command += ["--equal-seconds", "0.01", "--resume", str(rows)]
    done = run(command)
    head, rule, good, broken, missing = done.stdout.splitlines()
    assert head.startswith("| game | games |")
    assert set(rule) == set("| -")
    assert "llvm-straight, llvm-table | 0 |" in good
    assert "RulesError" in broken or "broken.kif" in broken
    assert "there is no none.kif" in missing
    kept = [json.loads(line) for line in rows.read_text().splitlines()]
    assert [row["key"] for row in kept] == ["ticTacToe", "broken", "none"]
    assert kept[0]["games"] >= 512
    assert kept[0]["plies"] > 5 * kept[0]["games"]


def test_a_count_that_differs_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = LlvmPlayouts.run

    def wrong(self: LlvmPlayouts, plan: PlayoutRun) -> Tally:
        return dataclasses.replace(run(self, plan), cut=1)

    monkeypatch.setattr(LlvmPlayouts, "run", wrong)
    row = kernels.equal(folder / "ticTacToe.kif", 0.01)
    assert row["differences"] == {"llvm-straight": ["cut"], "llvm-table": ["cut"]}
    assert kernels._show_equal(["t"], {("equal", "t"): row}, markdown=False) == 1
    assert "llvm-table: cut" in capsys.readouterr().out


def test_rows_are_kept_and_not_measured_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def measure(kind: str, game: str, _: argparse.Namespace) -> dict[str, Any]:
        asked.append(game)
        return {"ratio": 2.0}

    monkeypatch.setattr(kernels, "_measure", measure)
    chosen = options(folder, resume=tmp_path / "rows.jsonl")
    kernels._collect([("threads", "a")], chosen)
    rows = kernels._collect([("threads", "a"), ("threads", "b")], chosen)
    assert asked == ["a", "b"]
    assert [row["ratio"] for row in rows.values()] == [2.0, 2.0]
    assert len(chosen.resume.read_text().splitlines()) == 2


def test_a_process_that_takes_too_long_is_ended(folder: Path) -> None:
    found = kernels._in_new_process(["timeit", "-n", "1", "import time; time.sleep(60)"], 0.3)
    assert found == {"error": "not done in 0.3 s"}


@pytest.mark.parametrize(
    ("rate", "reached"), [(5.1e9, "yes"), (4.9e9, "no")], ids=["reached", "missed"]
)
def test_a_target_is_compared(rate: float, reached: str) -> None:
    rows: dict[Any, dict[str, Any]] = {
        ("speed", "ticTacToe"): {**SPEED, "plies_per_second": rate},
        ("speed", "amazons"): SPEED,
        ("speed", "chess"): {"error": "not done in 900 s"},
    }
    head, *lines = kernels._speed_table(["ticTacToe", "amazons", "chess"], rows)
    assert [len(line) for line in lines] == [len(head)] * 3
    found = [dict(zip(head, line, strict=True)) for line in lines]
    assert found[0]["reached"] == reached
    assert found[0]["target M/s"] == "5,000"
    assert found[0]["of the rival"] == f"{rate / 29.7e6:.3g} ×"
    assert found[0]["cold CPU s"] == "1.25 (> 1)"
    assert found[0]["warm CPU s"] == "0.10"
    assert (found[1]["reached"], found[1]["cold CPU s"]) == ("runs", "1.25")
    assert found[2]["MB"] == "not done in 900 s"


def test_one_game_is_measured_for_threads_and_expansion(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = folder / "ticTacToe.kif"
    rows = {("threads", "t"): {"error": "none"}, ("expansion", "t"): kernels.expansion(rules)}
    found = rows["expansion", "t"]
    assert found["states"] == 1024
    assert found["children"] == 1024 * 5, "after four plies five cells are left"
    assert min(found["many_states_seconds_per_child"], found["one_state_seconds_per_child"]) > 0
    kernels._show_more(rows, "t")
    assert "µs per child" in capsys.readouterr().out
