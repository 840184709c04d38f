"""What the checks say about keywords, names and dependencies, and where they point."""

from __future__ import annotations

import pytest
from hypothesis import given

from neurogame.errors import RulesError
from neurogame.gdl.check import check_rules, require_valid
from neurogame.gdl.finding import NOWHERE, START, Finding, Position
from neurogame.gdl.parse import MAXIMUM_REPORTED, parse_rules
from neurogame.gdl.terms import Rules
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
            require_valid(rules)
    else:
        require_valid(rules)


def test_what_a_game_lacks_is_named_at_the_start() -> None:
    found = check_rules(parse_rules("(init p)"))
    assert [(f.code, f.position) for f in found] == [
        (code, START) for code in ("no-role", "no-legal", "no-goal", "no-terminal")
    ]
    with pytest.raises(RulesError, match=r"\Agame.kif:1:1: no 'role' is defined; add") as caught:
        require_valid(parse_rules("(init p)", "game.kif"))
    assert len(str(caught.value).splitlines()) == 4


def test_every_error_of_a_rulesheet_is_in_the_message() -> None:
    text = MINIMAL + "(goal a 101)\n(does a b)\n" + "(next ?x)\n" * 60
    with pytest.raises(RulesError) as caught:
        require_valid(parse_rules(text, "g"))
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
