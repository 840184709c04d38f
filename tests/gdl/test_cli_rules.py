"""The commands ``games`` and ``check``: output, JSON keys and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neurogame.cli.main import main
from neurogame.gdl.library import library_names, library_path
from tests.gdl.small_games import MINIMAL, MINIMAL_LINES


def test_games_lists_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == library_names()
    assert all(" roles  " in line for line in lines)


def test_games_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "--json"]) == 0
    games = json.loads(capsys.readouterr().out)["games"]
    assert [game["name"] for game in games] == library_names()
    for game in games:
        assert set(game) == {"name", "summary", "roles", "path", "header"}
        assert Path(game["path"]).is_file()
        assert game["summary"] == game["header"][0]
        assert game["roles"]


def test_one_game_shows_path_and_header(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "NIM"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == str(library_path("nim"))
    assert len(lines) > 1
    assert not any(line.startswith(";") for line in lines)


def test_an_unknown_game_is_an_error_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "tictacto"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: there is no library game named 'tictacto'; did you mean")


def test_check_of_a_clean_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "tictactoe", "--findings-only"]) == 0
    assert capsys.readouterr().out == f"{library_path('tictactoe')}: no errors, no warnings\n"


def test_check_prints_every_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.kif"
    path.write_text(MINIMAL + "(goal a 101)\n(q a)\n", encoding="utf-8")
    assert main(["check", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{path}:{MINIMAL_LINES + 1}:9: error: the goal value '101'")
    assert lines[1].startswith(f"{path}:{MINIMAL_LINES + 2}:1: warning: 'q' is never used")
    assert lines[2] == f"{path}: 1 error, 1 warning"


def test_warnings_alone_are_no_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.kif"
    path.write_text(MINIMAL + "(q a)\n(q b)\n(r a)\n", encoding="utf-8")
    assert main(["check", str(path), "--findings-only"]) == 0
    assert capsys.readouterr().out.endswith(f"{path}: no errors, 2 warnings\n")


def test_check_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.kif"
    path.write_text(MINIMAL + "(goal a 101)\n", encoding="utf-8")
    assert main(["check", str(path), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["rules"], report["errors"], report["warnings"]) == (str(path), 1, 0)
    message = report["findings"][0].pop("message")
    assert "0 to 100" in message
    assert report["findings"] == [
        {"severity": "error", "line": MINIMAL_LINES + 1, "column": 9, "code": "goal-value"}
    ]


def test_check_of_a_syntax_error_reports_what_stays_true(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "open.kif"
    path.write_text("(role a)\n(role (b)\n", encoding="utf-8")
    assert main(["check", str(path), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    # Only the unread rules might define 'role'; none of them mentions the other three.
    codes = [f["code"] for f in report["findings"]]
    assert codes == ["no-legal", "no-goal", "no-terminal", "unmatched-open"]
    assert (report["findings"][3]["line"], report["findings"][3]["column"]) == (2, 1)


def test_check_of_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "none/such.kif"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: there is no file none/such.kif")


def test_a_wrong_command_line_exits_with_two(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["check"])
    assert "RULES" in capsys.readouterr().err
