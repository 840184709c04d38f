"""The commands ``games`` and ``check``: output, exit codes, and what kind of game it is."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from neurogame.cli.main import main
from neurogame.gdl.library import library_names, library_path, load_rules
from neurogame.gdl.signature import structural_signature
from tests.gdl.small_games import MINIMAL, MINIMAL_LINES
from tests.processes import run


def test_the_analysis_follows_the_findings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "tictactoe"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("no errors, no warnings")
    assert all(line.startswith("  ") for line in lines[1:])
    assert lines[1] == f"  signature: {structural_signature(load_rules('tictactoe'))[:16]}"
    assert "  moves: taken in turns" in lines
    assert "  noop moves: xplayer: noop; oplayer: noop" in lines
    assert "  boards: 1" in lines
    assert "      markers: o, x" in lines


def test_the_structure_follows_the_relations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "tictactoe"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    by_kind = dict(line.split(": ", 1) for line in lines if ": " in line)
    # Nine cells and whose turn it is; three rows, three columns, two diagonals; the eight
    # symmetries of the square, each with and without exchange of the roles, but the identity.
    assert by_kind["variables"].startswith("10 (9 of 3 values, 1 of 2 values; ")
    assert by_kind["mode"].startswith("(control oplayer) oplayer, (control xplayer) xplayer (")
    assert by_kind["lines"].startswith("8 (8 of 3 variables), such as (cell ")
    assert by_kind["symmetries"].startswith("15 (7 that keep the roles, 8 that exchange them; ")


def test_json_has_the_structure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "nim", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["structure"]
    names = [set(one["fluents"]) for one in found["variables"]]
    assert {"(heap a 0)", "(heap a 1)"} in names
    assert found["mode"]["roles"] == ["first", "second"]
    assert found["mode"]["evidence"] == "decided"
    assert len(found["neighbours"]) == len(found["variables"]) == 5
    heaps = [index for index, own in enumerate(names) if "(heap " in next(iter(own))[:6]]
    assert found["lines"] == [heaps]
    assert [one["roles"] for one in found["symmetries"]] == [[0, 1], [1, 0]]


def test_json_has_signature_and_analysis(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "connectfour", "--json", "--seed", "3"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["signature"] == structural_signature(load_rules("connectfour"))
    assert record["analysis"]["turn_taking"] == {"holds": True, "evidence": "proved"}
    assert record["analysis"]["noops"] == {"red": ["noop"], "black": ["noop"]}
    assert record["analysis"]["persistent_true"]["patterns"] == ["(cell * * *)"]
    assert record["not_analysed"] is None
    (board,) = record["relations"]["boards"]
    assert (board["relation"], board["axes"], board["content"]) == ("cell", [1, 2], [3])
    assert board["one_content"] == {"holds": True, "evidence": "proved"}
    assert [one["relation"] for one in record["relations"]["successors"]] == ["succ"]


def test_findings_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "tictactoe", "--findings-only"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    assert main(["check", "tictactoe", "--findings-only", "--json"]) == 0
    keys = {"rules", "errors", "nonstandard", "warnings", "findings"}
    assert set(json.loads(capsys.readouterr().out)) == keys


def test_errors_leave_nothing_to_analyse(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.kif"
    path.write_text("(role a) (init ?x) (legal a m) (goal a 0) (<= terminal (true p))", "utf-8")
    assert main(["check", str(path), "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["errors"] > 0
    assert record["signature"] is None
    assert record["analysis"] is None


def test_a_limit_of_grounding_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEUROGAME_CACHE", "")  # a cached circuit needs no grounding
    assert main(["check", "qubic", "--seconds", "1e-9"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "not analysed: " in line] == lines[-1:]
    assert "limit" in lines[-1]
    assert main(["check", "qubic", "--seconds", "1e-9", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["analysis"] is None
    assert "limit" in record["not_analysed"]


def test_checking_imports_no_torch() -> None:
    program = (
        "import sys; from neurogame.cli.main import main; code = main(['check', 'connectfour']);"
        "sys.exit(code or ('torch' in sys.modules))"
    )
    done = run([sys.executable, "-c", program])
    assert "persistent true" in done.stdout


def test_findings_need_no_analysis_to_be_imported() -> None:
    """The command starts fast: what the analysis needs is loaded only for it."""
    program = (
        "import sys; from neurogame.cli.main import main; "
        "main(['check', 'nim', '--findings-only']);"
        "sys.exit(any(n.startswith(('torch', 'neurogame.circuit')) for n in sys.modules))"
    )
    run([sys.executable, "-c", program])


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
