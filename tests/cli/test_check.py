"""The commands ``games``, ``check`` and ``convert``: output, exit codes, files, errors."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from neurogame.cli.main import main
from neurogame.errors import NeurogameError
from neurogame.gdl.infix_write import infix_rules_text
from neurogame.gdl.library import library_names, library_path, load_rules
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.write import rules_text
from tests.gdl.small_games import MINIMAL, MINIMAL_LINES
from tests.library import Captured, Patch, Refused
from tests.processes import run

OPERATION_GAMES = Path(__file__).parents[1] / "gdl" / "operation_games"


def test_the_analysis_follows_the_findings(capsys: Captured) -> None:
    assert main(["check", "tictactoe"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("no errors, no warnings")
    assert all(line.startswith("  ") for line in lines[1:])
    assert lines[1] == f"  signature: {structural_signature(load_rules('tictactoe'))[:16]}"
    assert "  moves: taken in turns" in lines
    assert "  noop moves: xplayer: noop; oplayer: noop" in lines
    assert "  boards: 1" in lines
    assert "      markers: o, x" in lines
    by_kind = dict(line.strip().split(": ", 1) for line in lines if ": " in line)
    # Nine cells and whose turn it is; three rows, three columns, two diagonals; the eight
    # symmetries of the square, each with and without exchange of the roles, but the identity.
    assert by_kind["variables"].startswith("10 (9 of 3 values, 1 of 2 values; ")
    assert by_kind["mode"].startswith("(control oplayer) oplayer, (control xplayer) xplayer (")
    assert by_kind["lines"].startswith("8 (8 of 3 variables), such as (cell ")
    assert by_kind["symmetries"].startswith("15 (7 that keep the roles, 8 that exchange them; ")


def test_json_has_the_structure(capsys: Captured) -> None:
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


def test_json_has_signature_and_analysis(capsys: Captured) -> None:
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


def test_findings_only(capsys: Captured) -> None:
    assert main(["check", "tictactoe", "--findings-only"]) == 0
    assert capsys.readouterr().out == f"{library_path('tictactoe')}: no errors, no warnings\n"
    assert main(["check", "tictactoe", "--findings-only", "--json"]) == 0
    keys = {"rules", "errors", "nonstandard", "warnings", "findings"}
    assert set(json.loads(capsys.readouterr().out)) == keys


def test_a_limit_of_grounding_is_one_line(capsys: Captured, monkeypatch: Patch) -> None:
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


def test_games_lists_the_library(capsys: Captured) -> None:
    assert main(["games"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == library_names()
    assert all(" 1 role   " in line or " roles  " in line for line in lines)


def test_games_as_json(capsys: Captured) -> None:
    assert main(["games", "--json"]) == 0
    games = json.loads(capsys.readouterr().out)["games"]
    assert [game["name"] for game in games] == library_names()
    for game in games:
        assert set(game) == {"name", "summary", "roles", "path", "header"}
        assert Path(game["path"]).is_file()
        assert game["summary"] == game["header"][0]
        assert game["roles"]


def test_one_game_shows_path_and_header(capsys: Captured) -> None:
    assert main(["games", "NIM"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == str(library_path("nim"))
    assert len(lines) > 1
    assert not any(line.startswith(";") for line in lines)


def test_check_prints_every_finding(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "odd.kif"
    path.write_text(MINIMAL + "(goal a 101)\n(q a)\n", encoding="utf-8")
    assert main(["check", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{path}:{MINIMAL_LINES + 1}:9: error: the goal value '101'")
    assert lines[1].startswith(f"{path}:{MINIMAL_LINES + 2}:1: warning: 'q' is never used")
    assert lines[2] == f"{path}: 1 error, 1 warning"


def test_warnings_alone_are_no_failure(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "odd.kif"
    path.write_text(MINIMAL + "(q a)\n(q b)\n(r a)\n", encoding="utf-8")
    assert main(["check", str(path), "--findings-only"]) == 0
    assert capsys.readouterr().out.endswith(f"{path}: no errors, 2 warnings\n")


def test_check_as_json(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "bad.kif"
    path.write_text(MINIMAL + "(goal a 101)\n", encoding="utf-8")
    assert main(["check", str(path), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["rules"], report["errors"], report["warnings"]) == (str(path), 1, 0)
    assert (report["signature"], report["analysis"]) == (None, None)
    message = report["findings"][0].pop("message")
    assert "0 to 100" in message
    assert report["findings"] == [
        {"severity": "error", "line": MINIMAL_LINES + 1, "column": 9, "code": "goal-value"}
    ]


def test_check_of_a_syntax_error_reports_what_stays_true(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "open.kif"
    path.write_text("(role a)\n(role (b)\n", encoding="utf-8")
    assert main(["check", str(path), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    # Only the unread rules might define 'role'; none of them mentions the other three.
    codes = [f["code"] for f in report["findings"]]
    assert codes == ["no-legal", "no-goal", "no-terminal", "unmatched-open"]
    assert (report["findings"][3]["line"], report["findings"][3]["column"]) == (2, 1)


def output(line: list[str], capsys: Captured) -> str:
    """Return what a command that succeeds prints."""
    assert main(line) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    return shown.out


def test_the_default_is_the_other_notation(tmp_path: Path, capsys: Captured) -> None:
    infix = output(["convert", "tictactoe"], capsys)
    assert infix == infix_rules_text(load_rules("tictactoe"))
    assert "role(xplayer)\n" in infix
    path = tmp_path / "game.hrf"
    path.write_text(infix, encoding="utf-8")
    prefix = output(["convert", str(path)], capsys)
    assert "(role xplayer)\n" in prefix
    unnamed = tmp_path / "game"
    unnamed.write_text(infix, encoding="utf-8")
    assert output(["convert", str(unnamed)], capsys) == prefix


def test_the_same_notation_can_be_asked_for(capsys: Captured) -> None:
    line = ["convert", "nim", "--to", "kif"]
    assert output(line, capsys) == rules_text(load_rules("nim"))


@pytest.mark.parametrize("name", library_names()[::3])
def test_there_and_back_and_there_is_the_same_file(
    name: str, tmp_path: Path, capsys: Captured
) -> None:
    first, back, second = (tmp_path / file for file in ("a.hrf", "b.kif", "c.hrf"))
    said = output(["convert", name, "--output", str(first)], capsys)
    assert said == f"{first}: {len(load_rules(name))} facts and rules in infix notation\n"
    output(["convert", str(first), "--output", str(back)], capsys)
    output(["convert", str(back), "--output", str(second)], capsys)
    assert first.read_bytes() == second.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.hrf", "b.kif", "c.hrf"]
    infix, original = load_rules(first), load_rules(name)
    assert [rule.head.name for rule in infix] == [rule.head.name for rule in original]


def test_other_commands_read_the_infix_file(tmp_path: Path, capsys: Captured) -> None:
    """Same rules, same names, same seed: the same random games."""
    path = tmp_path / "game.hrf"
    output(["convert", "tictactoe", "--output", str(path)], capsys)
    assert output(["check", str(path)], capsys).startswith(f"{path}: no errors, no warnings")
    results = []
    for rules in (str(path), "tictactoe"):
        line = ["simulate", rules, "--games", "64", "--seed", "3", "--json"]
        results.append(json.loads(output(line, capsys)))
    assert results[0]["plies"] == results[1]["plies"]
    assert results[0]["goals"] == results[1]["goals"]


def test_findings_in_infix_files_have_their_places(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "game.hrf"
    path.write_text("role(a)\nterminal :-\n  true(p(X)) & ~q(Y)\n", encoding="utf-8")
    assert main(["check", str(path)]) == 1
    assert f"{path}:3:19: error: the variable ?y" in capsys.readouterr().out


def test_a_notation_that_is_asked_for_may_have_any_suffix(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "nim.kif"
    output(["convert", "nim", "--to", "infix", "--output", str(path)], capsys)
    assert path.read_text(encoding="utf-8") == infix_rules_text(load_rules("nim"))
    assert output(["check", str(path)], capsys).startswith(f"{path}: no errors, no warnings")


def test_the_suffix_of_the_output_decides(tmp_path: Path, capsys: Captured) -> None:
    copy = tmp_path / "copy.kif"
    output(["convert", "nim", "--output", str(copy)], capsys)
    assert copy.read_text(encoding="utf-8") == rules_text(load_rules("nim"))
    plain = tmp_path / "nim.txt"
    output(["convert", "nim", "--output", str(plain)], capsys)
    assert plain.read_text(encoding="utf-8") == infix_rules_text(load_rules("nim"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no.kif"], "there is no file no.kif"),
        (["nim", "--output", "old.hrf"], "old.hrf exists already; give --force to replace it"),
        (["nim", "--output", "none/new.hrf"], "cannot write none/new.hrf: No such file"),
        (["nim", "--force", "--output", "folder"], "cannot write folder: "),
        (["nim", "--output", "x" * 300], "cannot write xxx"),
        (["bad.hrf"], "bad.hrf:1:3: expected '&'"),
        (["bad.hrf", "--force", "--output", "old.hrf"], "bad.hrf:1:3: expected '&'"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_errors_are_one_line_and_leave_everything_as_it_was(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: Patch, refused: Refused
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.hrf").write_text("old", encoding="utf-8")
    Path("bad.hrf").write_text("p q", encoding="utf-8")
    Path("folder").mkdir()
    assert refused("convert", *arguments).startswith(f"error: {said}")
    assert Path("old.hrf").read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.hrf", "folder", "old.hrf"]


def test_force_replaces_a_file_even_the_input(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "game.txt"
    path.write_text(MINIMAL, encoding="utf-8")
    output(["convert", str(path), "--output", str(path), "--force"], capsys)
    assert path.read_text(encoding="utf-8").startswith("role(")


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: Patch, refused: Refused
) -> None:
    path = tmp_path / "game.hrf"
    path.write_text("old", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    said = refused("convert", "nim", "--output", str(path), "--force")
    assert said == f"error: cannot write {path}: No space left on device\n"
    assert [p.name for p in tmp_path.iterdir()] == ["game.hrf"]
    assert path.read_text(encoding="utf-8") == "old"


def test_rules_with_errors_beyond_syntax_are_converted(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "unsafe.kif"
    path.write_text("(<= (p ?x) (not (q ?x)))", encoding="utf-8")
    assert output(["convert", str(path)], capsys) == "p(X) :-\n    ~q(X)\n"
    with pytest.raises(NeurogameError):
        load_rules(path)


def test_games_with_operations_are_converted_to_both_notations(
    tmp_path: Path, capsys: Captured
) -> None:
    written, back = OPERATION_GAMES / "nim.hrf", tmp_path / "game.kif"
    assert output(["check", str(written)], capsys).startswith(f"{written}: no errors, no warnings")
    # Without --to, prefix notation.
    output(["convert", str(written), "--output", str(back)], capsys)
    assert output(["convert", str(written)], capsys) == back.read_text(encoding="utf-8")
    results = []
    for rules in (str(written), str(back)):
        line = ["simulate", rules, "--games", "256", "--seed", "3", "--json"]
        results.append(json.loads(output(line, capsys)))
    assert results[0]["plies"] == results[1]["plies"]
    assert results[0]["goals"] == results[1]["goals"]
    infix = output(["convert", str(written), "--to", "infix"], capsys)
    assert "next(heap(" in infix
