"""Repairs: what is cured, what stays as it was, and that the game is the same."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.cli.main import main
from neurogame.errors import RulesError
from neurogame.gdl.check import check_text
from neurogame.gdl.fix import fix_text
from neurogame.gdl.library import library_names, library_path, read_text
from tests.conftest import shared
from tests.gdl.small_games import MINIMAL

CURED = {
    *("bad_capitalization_constant", "bad_capitalization_variable", "bad_distinct_constant"),
    *("bad_does_in_goal", "bad_does_in_terminal", "bad_double_negation", "bad_keyword_function"),
    *("bad_negated_distinct", "bad_negated_or", "bad_unmatched_close", "bad_unmatched_open"),
    *("warn_empty_body", "warn_empty_parens", "warn_nested_or"),
}
"""The malformed cases with one obvious cure."""


@pytest.mark.parametrize("case", sorted(CURED))
def test_a_malformed_case_with_one_cure_passes_the_strict_check(case: str, tmp_path: Path) -> None:
    path = tmp_path / f"{case}.kif"
    path.write_text(read_text(shared("gdl-cases", "malformed", f"{case}.kif")), encoding="utf-8")
    assert main(["fix", str(path)]) == 0
    assert main(["check", str(path), "--strict", "--findings-only"]) == 0
    assert path.with_name(f"{case}.kif.orig").read_text() == read_text(
        shared("gdl-cases", "malformed", f"{case}.kif")
    )


def test_the_other_malformed_cases_stay_as_they_are() -> None:
    for path in sorted(shared("gdl-cases", "malformed").glob("*.kif")):
        text = read_text(path)
        assert (fix_text(text).text != text) == (path.stem in CURED), path.stem


def test_cases_of_the_field_pass_the_strict_check_and_stay_the_same_game() -> None:
    with shared("gdl-cases", "field", "expected.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        text = read_text(shared("gdl-cases", "field", f"{row['case']}.kif"))
        repair = fix_text(text)
        assert (repair.text != text) == (row["expected"] == "nonstandard"), row["case"]
        assert {finding.severity for finding in repair.left} <= {"warning"}


def test_library_games_have_nothing_to_repair() -> None:
    for name in library_names():
        text = read_text(library_path(name))
        assert fix_text(text).text == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(<= q (not (not (r a))))", "(<= q (r a))"),
        ("(<= q (not (or (r a) (r b))))", "(<= q (not (r a)) (not (r b)))"),
        ("(<= q (not (and (r a) (r b))))", "(<= q (or (not (r a)) (not (r b))))"),
        (
            "(<= q (or (r c) (not (or (r a) (r b)))))",
            "(<= q (or (r c) (and (not (r a)) (not (r b)))))",
        ),
        ("(<= (s ?X) (r ?x)\n  (not (distinct ?x a))) ; e", "(<= (s a) (r a)) ; e"),
        ("(<= (s ?x ?y) (r ?x) (not (distinct ?x ?y)))", "(<= (s ?x ?x) (r ?x))"),
        ("(<= q (r a) (not (distinct a b))) (r a)", "; (<= q (r a) (not (distinct a b)))\n (r a)"),
        (
            "(r (true a)) (<= (q true) (r (true ?x)))",
            "(r (true-term a)) (<= (q true) (r (true-term ?x)))",
        ),
        ("(base cell 1 (f 2)) ; cells", "(base (cell 1 (f 2))) ; cells"),
        ("(input a mark 1)", "(input a (mark 1))"),
        ("(role a) ; again", "; (role a) ; again"),
        ("(<= (r a)) (r\n b)", "(r a) (r\n b)"),
        ("(r timeOut) (s timeout)", "(r timeOut) (s timeOut)"),
        ("(<= (goal ?q 0) (true z))", "(<= (goal ?q 0) (true z) (role ?q))"),
        ("(legal ?q x)", "(<= (legal ?q x) (role ?q))"),
        ("(<= (sees ?x\n ?y) (r ?x))\n(r a)", "; (<= (sees ?x\n;  ?y) (r ?x))\n(r a)"),
        ("(<= (s ?x) (r ?y)) (r a)", "; (<= (s ?x) (r ?y))\n (r a)"),
        ("(<= q (?x a))\n(r a)", "; (<= q (?x a))\n(r a)"),
        ("<= q (r a))", "(<= q (r a))"),
        ("r a)\n(r b)", "(r a)\n(r b)"),
        ("(<= q (r a)\n; why\n(<= s (r b))", "(<= q (r a))\n; why\n(<= s (r b))"),
        ("(<= q (r (f a)\n(<= s (r b))", "; (<= q (r (f a)\n(<= s (r b))"),
        ("(<= (goal a 3) (does a x))", "; (<= (goal a 3) (does a x))"),
    ],
)
def test_cures(before: str, after: str) -> None:
    repair = fix_text(MINIMAL + before + "\n")
    assert repair.text == MINIMAL + after + "\n"
    assert repair.cured
    assert not {finding.severity for finding in repair.left} & {"error", "nonstandard"}


_BROKEN = st.sampled_from(
    ["(", ")", "(<= ", "(not ", "(or ", "(distinct ", "?x ", "a ", "q ", "(true p) ", "\n", "; c\n"]
)


@given(st.lists(_BROKEN, max_size=20).map("".join))
def test_a_repair_never_makes_a_sheet_worse_and_is_done_at_once(fragment: str) -> None:
    text = f"{MINIMAL}{fragment}\n{MINIMAL}"
    before = [f.severity for f in check_text(text)[1]]
    repair = fix_text(text)
    after = [f.severity for f in repair.left]
    for severity in ("error", "nonstandard"):
        if before.count(severity) != after.count(severity):
            assert before.count(severity) > after.count(severity)
            break
    assert fix_text(repair.text).text == repair.text
    assert repair.text.count("; c") >= text.count("; c")


def test_the_command_prints_a_diff_and_keeps_the_old_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, output = tmp_path / "game.kif", tmp_path / "new.kif"
    old = MINIMAL + "(<= (next q) (not (not (true p))))\n"
    path.write_text(old, encoding="utf-8")
    assert main(["fix", str(path), "--dry-run"]) == 0
    assert "+(<= (next q) (true p))" in capsys.readouterr().out
    assert path.read_text() == old
    assert main(["fix", str(path), "--output", str(output)]) == 0
    assert path.read_text() == old
    assert output.read_text() == old.replace("(not (not (true p)))", "(true p)")
    assert main(["fix", str(path), "--output", str(output)]) == 1
    assert "exists already" in capsys.readouterr().err
    assert main(["fix", str(path)]) == 0
    assert path.with_name("game.kif.orig").read_text() == old
    assert "1 repaired, 0 left" in capsys.readouterr().out
    path.write_text(old.rstrip("\n"), encoding="utf-8")
    assert main(["fix", str(path), "--dry-run"]) == 0
    unended = "-{}\n\\ No newline at end of file\n+{}\n\\ No newline at end of file\n"
    cured = ("(<= (next q) (not (not (true p))))", "(<= (next q) (true p))")
    assert unended.format(*cured) in capsys.readouterr().out


def test_only_prefix_notation_is_repaired() -> None:
    with pytest.raises(RulesError, match="only prefix notation"):
        fix_text("role(a)\nq(X) :- r(X)\n", "game.hrf")
