"""``neurogame convert``: both directions, files that are whole or not there, and errors."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from neurogame.cli.main import main
from neurogame.errors import NeurogameError
from neurogame.gdl.infix_write import infix_rules_text
from neurogame.gdl.library import library_names, load_rules
from neurogame.gdl.write import rules_text
from tests.gdl.small_games import MINIMAL


def output(line: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command that succeeds prints."""
    assert main(line) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    return shown.out


def test_the_default_is_the_other_notation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_the_same_notation_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["convert", "nim", "--to", "kif"]
    assert output(line, capsys) == rules_text(load_rules("nim"))


@pytest.mark.parametrize("name", library_names()[::3])
def test_there_and_back_and_there_is_the_same_file(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
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


def test_other_commands_read_the_infix_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_findings_in_infix_files_have_their_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.hrf"
    path.write_text("role(a)\nterminal :-\n  true(p(X)) & ~q(Y)\n", encoding="utf-8")
    assert main(["check", str(path)]) == 1
    assert f"{path}:3:19: error: the variable ?y" in capsys.readouterr().out


def test_a_notation_that_is_asked_for_may_have_any_suffix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "nim.kif"
    output(["convert", "nim", "--to", "infix", "--output", str(path)], capsys)
    assert path.read_text(encoding="utf-8") == infix_rules_text(load_rules("nim"))
    assert output(["check", str(path)], capsys).startswith(f"{path}: no errors, no warnings")


def test_the_suffix_of_the_output_decides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.hrf").write_text("old", encoding="utf-8")
    Path("bad.hrf").write_text("p q", encoding="utf-8")
    Path("folder").mkdir()
    assert main(["convert", *arguments]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"error: {said}")
    assert shown.err.count("\n") == 1
    assert Path("old.hrf").read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.hrf", "folder", "old.hrf"]


def test_force_replaces_a_file_even_the_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.txt"
    path.write_text(MINIMAL, encoding="utf-8")
    output(["convert", str(path), "--output", str(path), "--force"], capsys)
    assert path.read_text(encoding="utf-8").startswith("role(")


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.hrf"
    path.write_text("old", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert main(["convert", "nim", "--output", str(path), "--force"]) == 1
    assert capsys.readouterr().err == f"error: cannot write {path}: No space left on device\n"
    assert [p.name for p in tmp_path.iterdir()] == ["game.hrf"]
    assert path.read_text(encoding="utf-8") == "old"


def test_rules_with_errors_beyond_syntax_are_converted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "unsafe.kif"
    path.write_text("(<= (p ?x) (not (q ?x)))", encoding="utf-8")
    assert output(["convert", str(path)], capsys) == "p(X) :-\n    ~q(X)\n"
    with pytest.raises(NeurogameError):
        load_rules(path)


def test_games_with_operations_are_converted_both_ways(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written, back = tmp_path / "game.hrf", tmp_path / "game.kif"
    said = output(["convert", "nim", "--to", "operations", "--output", str(written)], capsys)
    assert said.startswith(f"{written}: 34 facts and rules in operations notation, ")
    assert said.endswith(" states of random games compared\n")
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(role a) (role b) (legal a x) (legal b y) (init p)", ":1:19: operations are for games"),
        (
            "(role a) (role b) (init (c a)) (init (c b)) (<= (next (c ?r)) (true (c ?r)))"
            "(<= (legal a x) (true (c a))) (<= (legal b y) (true (c b)))"
            "(<= (legal a z) (true (c a)))",
            ": this game cannot be written with operations: more than one role has a choice",
        ),
    ],
)
def test_games_that_operations_cannot_say_are_refused(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, new = tmp_path / "game.kif", tmp_path / "new.hrf"
    path.write_text(text, encoding="utf-8")
    assert main(["convert", str(path), "--to", "operations", "--output", str(new)]) == 1
    assert capsys.readouterr().err.startswith(f"error: {path}{said}")
    assert not new.exists()
