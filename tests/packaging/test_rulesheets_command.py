"""The command of the coverage table: a row per game, written at once, never measured twice."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

from tests import processes
from tests.conftest import REPOSITORY, shared

BROKEN = "(role r) (<= (legal r go) (not (true ?x)))"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(REPOSITORY / "benchmarks" / "rulesheets.py"), *arguments]
    return processes.run(command, cwd=folder, check=False)


def test_rows_are_complete_and_kept(tmp_path: Path) -> None:
    broken = tmp_path / "broken.kif"
    broken.write_text(BROKEN)
    game = str(shared("games", "ticTacToe.kif"))
    traces = str(shared("traces"))
    done = run(tmp_path, game, str(broken), "--traces", traces, "--csv", "table.csv")
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
    again = run(tmp_path, game)
    assert again.returncode == 0
    assert "| 7 |" in again.stdout
    assert len((tmp_path / "coverage.jsonl").read_text().splitlines()) == 1
