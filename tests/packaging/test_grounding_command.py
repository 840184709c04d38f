"""The benchmark of grounding tells stages, sums and what differs between two checkouts."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from neurogame.gdl.library import library_folder
from tests import processes
from tests.conftest import REPOSITORY


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
