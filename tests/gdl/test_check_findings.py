"""Checks and refusals: what is said of keywords, names and dependencies, and where."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path

import pytest
from hypothesis import given

from neurogame.cli.main import main
from neurogame.errors import RulesError
from neurogame.gdl import nodes, stratification
from neurogame.gdl.check import check_rules, check_text, valid_rules
from neurogame.gdl.finding import NOWHERE, START, Finding, Position
from neurogame.gdl.library import load_rules, read_text
from neurogame.gdl.parse import MAXIMUM_REPORTED, parse_rules
from neurogame.gdl.syntax import MAXIMUM_NAME
from neurogame.gdl.terms import Rules
from neurogame.gdl.write import rules_text
from tests.conftest import shared
from tests.gdl.small_games import MINIMAL, MINIMAL_LINES, codes, places
from tests.gdl.strategies import rulesheets


def test_the_minimal_game_is_clean() -> None:
    assert check_rules(parse_rules(MINIMAL)) == []


@given(rulesheets())
def test_any_rulesheet_gets_findings_in_order_and_no_crash(rules: Rules) -> None:
    found = check_rules(rules)
    assert [f.position for f in found] == sorted(f.position for f in found)
    if any(f.severity == "error" for f in found):
        with pytest.raises(RulesError):
            valid_rules(rules_text(rules))
    else:
        valid_rules(rules_text(rules))


def test_what_a_game_lacks_is_named_at_the_start() -> None:
    found = check_rules(parse_rules("(init p)"))
    assert [(f.code, f.position) for f in found] == [
        (code, START) for code in ("no-role", "no-legal", "no-goal", "no-terminal")
    ]
    with pytest.raises(RulesError, match=r"\Agame.kif:1:1: no 'role' is defined; add") as caught:
        valid_rules("(init p)", "game.kif")
    assert len(str(caught.value).splitlines()) == 4


def test_every_error_of_a_rulesheet_is_in_the_message() -> None:
    text = MINIMAL + "(goal a 101)\n(does a b)\n" + "(next ?x)\n" * 60
    with pytest.raises(RulesError) as caught:
        valid_rules(text, "g")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f"g:{MINIMAL_LINES + 1}:9: the goal value '101'")
    assert lines[1].startswith(f"g:{MINIMAL_LINES + 2}:1: 'does' cannot be defined")
    assert lines[-1] == "g: and 12 more errors"
    assert len(lines) == MAXIMUM_REPORTED + 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(true q)", [("keyword-head", 1, 1)]),
        ("(<= (does a b)\n (q a))", [("keyword-head", 1, 5)]),
        ("(<= (role c) (true p))", [("role-rule", 1, 5)]),
        ("(<= q\n (init p))", [("keyword-in-body", 2, 2)]),
        ("(<= q (or (true p)\n (not (next p))))", [("keyword-in-body", 2, 7)]),
        ("(<= q (base p))", [("keyword-in-body", 1, 7)]),
        ("(<= q (input a p))", [("keyword-in-body", 1, 7)]),
        ("(role c d)", [("keyword-arity", 1, 1)]),
        ("(<= (terminal p) (true p))", [("keyword-arity", 1, 5)]),
        ("(<= q (true p p))", [("keyword-arity", 1, 7)]),
        ("(<= q true)", [("keyword-arity", 1, 7)]),
        ("(goal a many)", [("goal-value", 1, 9)]),
        ("(goal a 101)", [("goal-value", 1, 9)]),
        ("(goal a -1)", [("goal-value", 1, 9)]),
        ("(goal a 50.0)", [("goal-value", 1, 9), ("unusual-character", 1, 9)]),
        (f"(goal a {'9' * 900})", [("goal-value", 1, 9)]),
        ("(role a)", [("repeated-role", 1, 1)]),
        ("(goal a (plus 1 2))", [("goal-value", 1, 9)]),
        ("(goal a 0) (goal b 100)", []),
        ("(q (true p))", [("keyword-function", 1, 4)]),
        ("(<= q (r ?x) (or (r ?x) (distinct ?x (goal a))))", [("keyword-function", 1, 38)]),
        ("(q role)", [("keyword-constant", 1, 4)]),
        ("(<= q (not (not (r a))))", [("negated-formula", 1, 7)]),
        ("(<= q (not (or (r a) (r b))))", [("negated-formula", 1, 7)]),
        ("(<= q (not (and (r a) (r b))))", [("negated-formula", 1, 7)]),
        ("(<= q (r ?x) (not (distinct ?x a)))", [("negated-formula", 1, 14)]),
        ("(<= q (or))", [("empty-or", 1, 7)]),
        ("(<= q (and))", [("empty-and", 1, 7)]),
        ("(<= q (or (r a) (or (r b) (r c))))", [("nested-or", 1, 17)]),
        ("(q a) (q a b)", [("relation-arity", 1, 7)]),
        ("(q (f a)) (q (f a b))", [("function-arity", 1, 14)]),
        ("(q a) (r (q a))", [("relation-and-function", 1, 10)]),
        ("(q a|b)", [("unusual-character", 1, 4)]),
        ("(q a_b) (r + ++ >= -)", []),
    ],
)
def test_findings_and_their_places(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert places(text) == expected


def test_relations_without_use_or_definition_are_warnings() -> None:
    found = check_rules(parse_rules(MINIMAL + "(q a)\n(<= (next s) (true s) (r b))"))
    assert [(f.severity, f.code, f.position) for f in found] == [
        ("warning", "never-used", Position(MINIMAL_LINES + 1, 1)),
        ("warning", "never-defined", Position(MINIMAL_LINES + 2, 23)),
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("(<= (legal a x) (does a noop))", 1),
        ("(<= (goal a 0) (q a)) (<= (q ?m) (r ?m)) (<= (r ?m) (does a ?m))", 1),
        ("(<= terminal (not (q a))) (<= (q ?m) (does a ?m))", 1),
        ("(<= (init q) (true p))", 1),
        ("(<= (base q) (r a)) (<= (r a) (true p))", 1),
        ("(<= (input a q) (true p) (does a noop))", 2),
        ("(<= (next q) (does a noop) (true p))", 0),
        ("(<= (init q) (role a)) (<= (legal a x) (true p)) (<= (goal a 1) (legal a x))", 0),
    ],
)
def test_keywords_that_must_not_look_at_others(text: str, count: int) -> None:
    assert codes(text) == ["forbidden-dependency"] * count


def test_the_way_of_a_forbidden_dependency_is_told() -> None:
    rules = parse_rules(MINIMAL + "(<= terminal (q a)) (<= (q ?m) (r ?m)) (<= (r ?m) (does a ?m))")
    messages = [f.message for f in check_rules(rules) if f.code == "forbidden-dependency"]
    assert "but it does through q -> r" in messages[0]


def test_a_finding_as_text() -> None:
    finding = Finding("warning", Position(3, 7), "odd", "code")
    assert finding.text("g.kif") == "g.kif:3:7: warning: odd"
    assert Finding("error", NOWHERE, "no role", "code").text("g.kif") == "g.kif: error: no role"


ADVICE = re.compile(
    r"\b(add|allowed|break|can|choose|cannot|define|give|ignores|leave|look|must|remove|read|save|"
    r"split|use|write)\b"
)


def malformed() -> dict[str, str]:
    """Return the text of each malformed case that is bad."""
    paths = sorted(shared("gdl-cases", "malformed").glob("bad_*.kif"))
    return {path.stem: read_text(path) for path in paths}


def errors(text: str) -> set[str]:
    return {f.code for f in check_text(text)[1] if f.severity == "error"}


def refused(text: str) -> set[str]:
    """Return the codes of what is wrong or nonstandard."""
    return {f.code for f in check_text(text)[1] if f.severity != "warning"}


def symbol_at(text: str, line: int, column: int) -> str:
    """Return the word at a place, or the first one after the parenthesis there."""
    found = re.match(r"\(*\s*([^\s();]*)|\)", text.splitlines()[line - 1][column - 1 :])
    assert found
    return found[1] or found[0]


def test_messages_name_the_place_the_symbol_and_what_is_allowed() -> None:
    cases = 0
    for path in sorted(shared("gdl-cases", "malformed").glob("*.kif")):
        text = read_text(path)
        for finding in check_text(text, path.name)[1]:
            cases += 1
            line, column = finding.position.line, finding.position.column
            place = f"{path.name}:{line}:{column}: {finding.severity}: "
            assert finding.text(path.name).startswith(place)
            assert ADVICE.search(finding.message), finding
            if finding.code.startswith("no-"):
                assert finding.position == START
                assert f"'{finding.code.removeprefix('no-')}'" in finding.message
            else:
                assert symbol_at(text, line, column).lower() in finding.message.lower(), finding
    assert cases >= 58


def test_two_malformed_rulesheets_in_one_file_show_the_errors_of_both() -> None:
    texts = {name: text for name, text in malformed().items() if errors(text)}
    texts = {name: text for name, text in texts.items() if not name.startswith("bad_no_")}
    # What follows a parenthesis that is never closed belongs to it.
    open_ = texts.pop("bad_unmatched_open")
    alone = {name: errors(text) for name, text in texts.items()}
    assert len(alone) == 29
    for first, second in itertools.combinations(texts, 2):
        both = refused(f"{texts[first]}\n{texts[second]}")
        assert both >= alone[first] | alone[second], (first, second)
    for name, text in texts.items():
        assert refused(f"{text}\n{open_}") >= alone[name] | {"unmatched-open"}, name


def test_all_malformed_rulesheets_in_one_file_show_all_errors() -> None:
    texts = malformed()
    last = texts.pop("bad_unmatched_open")
    text = "\n".join([*texts.values(), last])
    wanted = set().union(*map(errors, texts.values())) | {"unmatched-open"}
    assert refused(text) >= {code for code in wanted if not code.startswith("no-")}
    with pytest.raises(RulesError) as caught:
        valid_rules(text, "all.kif")
    assert len(str(caught.value).splitlines()) > 30


def test_what_is_missing_is_reported_beside_syntax_errors_unless_the_text_mentions_it() -> None:
    assert errors("(role a) (init p") == {"unmatched-open", "no-legal", "no-goal", "no-terminal"}
    # The unread rule mentions 'legal' and 'goal', so only 'terminal' is missing for certain.
    assert errors("(role a) (<= ((legal) a) (goal a 5))") == {"consecutive-open", "no-terminal"}
    # A rule that is left out is played by nobody: what it defines is missing.
    found = errors("(role a) (<= (legal a (())) (goal a 5))")
    assert found == {"no-legal", "no-goal", "no-terminal"}


def test_rules_inside_a_parenthesis_that_is_never_closed_are_checked() -> None:
    text = MINIMAL + "(<= (next q) (true p)\n(<= (next ?x) (true p))\n(<= (goal a 500) (true p))"
    found = [(f.code, f.position.line - MINIMAL.count("\n")) for f in check_text(text)[1]]
    assert found == [("unmatched-open", 1), ("unsafe-variable", 2), ("goal-value", 3)]


def test_after_a_syntax_error_nothing_is_reported_that_the_unread_rule_may_mend() -> None:
    text = MINIMAL + "(<= (q a) (or (p ?x) ())) (<= (next r) (q a)) (s b)"
    assert [f.code for f in check_text(text)[1]] == ["nothing-in-parentheses"]


@pytest.mark.parametrize("depth", [nodes.MAXIMUM_DEPTH, 10_000])
def test_deep_nesting_is_refused_or_read(depth: int) -> None:
    for opening in ("(f ", "(not ", "(or ", "("):
        text = MINIMAL + f"(<= terminal {opening * depth}(p a){')' * depth})"
        assert "too-deep" in errors(text)
    assert errors(MINIMAL + "(p " * 20_000) >= {"unmatched-open", "too-deep"}


def test_a_limit_spoils_one_rule_and_the_others_are_read() -> None:
    long = f"(<= q {'(r a) ' * (nodes.MAXIMUM_WORDS // 2)})"
    deep = "(s " * 200 + ")" * 200
    rules, found = check_text(f"{MINIMAL}{long}\n{deep}\n(goal a 101)\n{long}")
    assert [f.code for f in found] == ["too-long-rule", "too-deep", "goal-value", "too-long-rule"]
    assert f"more than {nodes.MAXIMUM_WORDS:,} words" in found[0].message
    assert len(rules) == len(parse_rules(MINIMAL)) + 1


def test_names_have_a_greatest_length() -> None:
    longest, longer = "x" * MAXIMUM_NAME, "x" * (MAXIMUM_NAME + 1)
    assert errors(f"{MINIMAL}(q {longest})") == set()
    assert refused(f"{MINIMAL}(q {longer}) ({longer} a)") == {"long-name"}
    # Long names, terms and ways do not make long messages.
    chain = "".join(f"(<= (w{longest[:-5]}{i:04}) (w{longest[:-5]}{i + 1:04}))" for i in range(60))
    last = f"(<= (w{longest[:-5]}0060) (does a ?m))(<= terminal (w{longest[:-5]}0000))"
    text = f"{MINIMAL}{chain}{last}"
    assert "forbidden-dependency" in refused(text)
    assert all(len(f.message) < 2000 for f in check_text(text)[1])


def test_a_text_has_a_greatest_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.kif"
    path.write_text(MINIMAL, encoding="utf-8")
    load_rules(path)
    monkeypatch.setattr(nodes, "MAXIMUM_CHARACTERS", len(MINIMAL) - 1)
    with pytest.raises(RulesError, match=r"long.kif:1:1: the text has \d+ characters, at most"):
        load_rules(path)
    monkeypatch.setattr("neurogame.gdl.library.MAXIMUM_CHARACTERS", len(MINIMAL) - 10)
    with pytest.raises(RulesError, match=r"long.kif:1:1: the file has more than \d+ bytes"):
        load_rules(path)


def test_a_thousand_syntax_errors_are_enough() -> None:
    for text in (")" * 5000, "(())" * 5000):
        assert len(check_text(MINIMAL + text)[1]) == nodes.MAXIMUM_ERRORS


def test_characters_that_are_no_text_are_placed() -> None:
    for character, name in (("\0", "NUL"), ("\ud800", "U+D800")):
        rules, (finding,) = check_text(f"{MINIMAL}(p {character})")
        assert len(rules) == 0
        assert finding.code == "bad-character"
        assert name in finding.message
        assert finding.position.column == 4


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks(tmp_path: Path, newline: str, mark: str) -> None:
    path = tmp_path / "dos.kif"
    path.write_bytes((mark + (MINIMAL + "(goal a x)").replace("\n", newline)).encode())
    with pytest.raises(RulesError, match=rf"dos.kif:{MINIMAL.count(chr(10)) + 1}:9: the goal"):
        load_rules(path)


def test_pipes_devices_and_folders_are_never_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe.kif"
    os.mkfifo(pipe)
    for path, words in ((pipe, "no regular file"), (tmp_path, "a folder")):
        for command in ("check", "ground", "simulate"):
            assert main([command, str(path)]) == 1
            assert re.fullmatch(rf"error: .*is {words}; .*\n", capsys.readouterr().err)
    device = Path("/dev/zero")
    if device.exists():
        with pytest.raises(RulesError, match="no regular file"):
            load_rules(device)
        with pytest.raises(RulesError, match="more than"):
            read_text(device)


@given(rulesheets())
def test_limits_of_the_checks_turn_certain_findings_into_doubtful_ones(rules: Rules) -> None:
    """With coarse graphs and no search, no error appears, and none vanishes without a warning."""
    rules = parse_rules(rules_text(rules))
    exact = stratification.check_stratification(rules.rules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stratification, "PAIR_LIMIT", 0)
        patch.setattr(stratification, "TRIES_LIMIT", 0)
        coarse = stratification.check_stratification(rules.rules)
    assert {f.position for f in exact} <= {f.position for f in coarse}
    certain = {f.position for f in exact if f.severity == "error"}
    assert {f.position for f in coarse if f.severity == "error"} <= certain
