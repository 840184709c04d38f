"""The command of the table of kernel targets: rows kept, failures survived, differences seen."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from neurogame.gdl.library import library_folder, library_path
from neurogame.kernels.codegen.playouts import LlvmPlayouts
from neurogame.kernels.cuda.playouts import CudaPlayouts
from neurogame.kernels.playout import PlayoutRun, Tally
from tests import processes
from tests.conftest import REPOSITORY, shared
from tests.kernels.cuda.fake_gpu import fake_driver
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


benchmark: Any = importlib.import_module("benchmarks.cuda_playouts")


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    line = ["cuda_playouts", str(REPOSITORY / "games"), "--games", "tictactoe", *arguments]
    monkeypatch.setattr(sys, "argv", line)
    return int(benchmark.main())


def pretend_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "find_missing", lambda device: "")
    monkeypatch.setattr(benchmark, "open_driver", lambda device: fake_driver()[0])
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "A GPU")
    monkeypatch.setattr(benchmark, "EQUAL_LANES", 100)
    monkeypatch.setattr(benchmark, "CORE_LANES", 512)


def test_without_a_gpu_it_says_so_and_shows_the_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(benchmark, "find_missing", lambda device: "there is none")
    monkeypatch.setattr(benchmark.shutil, "which", lambda name: None)
    assert call(monkeypatch) == 0
    said = capsys.readouterr()
    assert said.err == "No speed is measured on cuda: there is none.\n"
    head, columns, row = said.out.splitlines()
    assert "PTX for sm_90" in head
    assert "plies" not in columns
    cells = row.replace(",", "").split()
    gates, logic = map(int, cells[1:3])
    assert cells[0] == "tictactoe"
    assert gates < logic < 5 * gates
    assert cells[3:5] == ["0", "0"], "all cells are registers"
    assert cells[7:9] == ["unknown", "unknown"]


def test_with_a_gpu_it_plays_the_same_games_and_measures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_gpu(monkeypatch)
    arguments = ("--lanes", "64", "640", "--seconds", "0.001", "--runs", "1", "--torch")
    assert call(monkeypatch, *arguments) == 0
    head, _, *lines = capsys.readouterr().out.splitlines()
    assert head == "A GPU, beside one core"
    rows, torchs = lines[::2], lines[1::2]
    assert [line.split()[1] for line in torchs if line.endswith("by plain torch")] == ["64", "640"]
    assert [row.split()[1] for row in rows] == ["64", "640"]
    for row in rows:
        cells = row.replace(",", "").split()
        assert float(cells[2]) > 0
        assert cells[5:7] == ["96", "16"], "registers and bytes, as the driver says"
        assert cells[-1] == "same"


def test_other_games_are_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_gpu(monkeypatch)
    run = CudaPlayouts.run

    def wrong(self: CudaPlayouts, plan: PlayoutRun) -> Tally:
        tally = run(self, plan)
        tally.goals[0] += 1
        return tally

    monkeypatch.setattr(CudaPlayouts, "run", wrong)
    assert call(monkeypatch, "--lanes", "64", "--seconds", "0.001", "--runs", "1") == 1
    assert "OTHER GAMES" in capsys.readouterr().out


BROKEN = "(role r) (<= (legal r go) (not (true ?x)))"


def examine(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(REPOSITORY / "benchmarks" / "rulesheets.py"), *arguments]
    return processes.run(command, cwd=folder, check=False)


def test_rows_are_complete_and_kept(tmp_path: Path) -> None:
    broken = tmp_path / "broken.kif"
    broken.write_text(BROKEN)
    game = str(shared("games", "ticTacToe.kif"))
    traces = str(shared("traces"))
    done = examine(tmp_path, game, str(broken), "--traces", traces, "--csv", "table.csv")
    assert done.returncode == 1
    rows = [json.loads(line) for line in (tmp_path / "coverage.jsonl").read_text().splitlines()]
    assert [row["game"] for row in rows] == ["ticTacToe", "broken"]
    good, bad = rows
    assert good["verdict"] == "ok"
    assert good["replayed"] > 0
    for name in ("replay_mismatches", "network_mismatches", "regress_mismatches"):
        assert good[name] == 0
    assert good["own_formulas"] == "2/2"
    assert good["peak_mib"] > good["front_mib"] > 0
    assert "RulesError" in bad["verdict"]
    with (tmp_path / "table.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [line["game"] for line in table] == ["ticTacToe", "broken"]
    assert int(table[0]["gates"]) == good["gates"]
    assert table[1]["gates"] == ""
    assert "2 games: 1 grounded" in done.stdout
    # The row is there: nothing is measured, whatever it says.
    (tmp_path / "coverage.jsonl").write_text(json.dumps({**good, "gates": 7}) + "\n")
    again = examine(tmp_path, game)
    assert again.returncode == 0
    assert "| 7 |" in again.stdout
    assert len((tmp_path / "coverage.jsonl").read_text().splitlines()) == 1


def test_two_checkouts_are_measured_by_turns(tmp_path: Path) -> None:
    sheets = tmp_path / "sheets"
    sheets.mkdir()
    for name in ("tictactoe", "nim"):
        shutil.copy(library_folder() / f"{name}.kif", sheets)
    (sheets / "wrong.kif").write_text("(role r", encoding="utf-8")
    out = tmp_path / "numbers.json"
    command = [sys.executable, str(REPOSITORY / "benchmarks" / "grounding.py"), str(sheets)]
    done = processes.run(
        [*command, "--beside", str(REPOSITORY), "--out", str(out)], cwd=tmp_path, check=False
    )
    assert done.returncode == 0
    told = json.loads(out.read_text())
    assert set(told) == {"nim", "tictactoe", "wrong"}
    before, now = told["tictactoe"]["before"], told["tictactoe"]["now"]
    assert before["size"] == now["size"]
    assert now["memory"] > 0
    assert "circuit" in now["stages"]
    assert told["wrong"] == {"before": None, "now": None}
    assert "now, all 2: " in done.stdout
    assert "| tictactoe | " in done.stdout
    assert "| wrong | failed |" in done.stdout
    assert "other numbers of fluents or moves: none" in done.stdout
