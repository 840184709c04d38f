"""Loading by name or path: what is found, and what is said where nothing is."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurogame.errors import NonstandardWarning, RulesError
from neurogame.gdl.check import check_rules
from neurogame.gdl.library import (
    library_names,
    library_path,
    library_summary,
    load_rules,
    read_text,
    rules_path,
)
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.write import rules_text
from tests.gdl.small_games import MINIMAL


def test_names_are_sorted_and_every_game_loads_without_findings() -> None:
    names = library_names()
    assert names == sorted(names)
    assert "tictactoe" in names
    for name in names:
        rules = load_rules(name)
        assert rules.source == str(library_path(name))
        assert [finding.text(name) for finding in check_rules(rules)] == []
        assert ":" in library_summary(name)[0]


def test_a_library_name_in_any_case() -> None:
    assert library_path("TicTacToe") == library_path("tictactoe")
    assert load_rules("TICTACTOE") == load_rules("tictactoe")


def test_unknown_names_suggest_close_ones() -> None:
    with pytest.raises(RulesError, match="named 'tictacto'; did you mean tictactoe"):
        load_rules("tictacto")
    with pytest.raises(RulesError, match=r"the library has .*, nim, .*neurogame games"):
        load_rules("zzzzzzzzzzzz")


def test_paths_with_a_suffix_or_a_folder_are_files(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"there is no file .*none.kif"):
        load_rules(tmp_path / "none.kif")
    with pytest.raises(RulesError, match=r"there is no file tictactoe.kif"):
        load_rules("tictactoe.kif")
    with pytest.raises(RulesError, match=r"is a folder; give the path of one .kif file"):
        load_rules(tmp_path)
    with pytest.raises(RulesError, match="is empty"):
        load_rules("")


def test_a_rulesheet_given_as_its_own_name_is_refused() -> None:
    with pytest.raises(RulesError, match="cannot look up"):
        load_rules(MINIMAL * 50)


def test_library_names_win_over_files_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nim").write_text(MINIMAL, encoding="utf-8")
    Path("own_game").write_text(MINIMAL, encoding="utf-8")
    assert rules_path("nim") == library_path("nim")
    assert rules_path("./nim") == Path("nim")
    assert rules_path(Path("nim")) == Path("nim")
    assert rules_path("own_game") == Path("own_game")


def test_byte_order_mark_and_crlf_files(tmp_path: Path) -> None:
    path = tmp_path / "windows.kif"
    path.write_bytes(b"\xef\xbb\xbf" + MINIMAL.replace("\n", "\r\n").encode())
    rules = load_rules(path)
    assert rules == parse_rules(MINIMAL)
    assert [r.position for r in rules] == [r.position for r in parse_rules(MINIMAL)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_named(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "wide.kif"
    path.write_bytes(MINIMAL.encode(encoding))
    with pytest.raises(RulesError, match=r"wide.kif:1:\d+: (the file is UTF-16|a NUL)"):
        load_rules(path)


def test_bytes_that_are_no_text_are_placed(tmp_path: Path) -> None:
    path = tmp_path / "latin.kif"
    path.write_bytes(b"(role a)\n(role \xe9t\xe9)\n")
    with pytest.raises(RulesError, match=r"latin.kif:2:7: byte 0xe9 is not UTF-8 text"):
        load_rules(path)


def test_a_file_that_may_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret.kif"
    path.write_text(MINIMAL, encoding="utf-8")

    def refuse(_: Path, mode: str) -> None:
        raise PermissionError(13, f"Permission denied, mode {mode}")

    # Taking the permission away would not stop a test that runs as root.
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(RulesError, match=r"cannot read .*secret\.kif: Permission denied"):
        load_rules(path)


def test_errors_name_file_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "bad.kif"
    path.write_text(MINIMAL + "(<= (next (q ?x))\n  (true p))\n", encoding="utf-8")
    line = MINIMAL.count("\n") + 1
    with pytest.raises(RulesError) as caught:
        load_rules(path)
    assert str(caught.value).startswith(f"{path}:{line}:14: the variable ?x of the head")


_FRAGMENTS = st.sampled_from(
    [b"(", b")", b"<=", b" ", b"\n", b"?x", b"not", b"or", b"goal", b"role", b"a", b"100", b"\xff"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(max_size=80), st.lists(_FRAGMENTS, max_size=30).map(b"".join)))
def test_random_bytes_give_nothing_but_rules_errors(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "random.kif"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NonstandardWarning)
        with pytest.raises(RulesError, match=r"random\.kif"):
            load_rules(path)


def test_a_long_rulesheet_is_read_whole() -> None:
    lines = [f"(<= (next (cell {i} ?x)) (true (cell {i} ?x)) (not (q {i})))" for i in range(1500)]
    rules = parse_rules("\n".join(lines))
    assert len(rules) == 1500
    assert [rule.position.line for rule in rules] == list(range(1, 1501))
    assert parse_rules(rules_text(rules)) == rules


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "text.kif"
    path.write_text("(p é) ; ü\n", encoding="utf-8")
    assert read_text(path) == "(p é) ; ü\n"
