"""Parsing and printing: what is read, where it stands, every syntax error, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import RulesError
from neurogame.gdl.finding import Position
from neurogame.gdl.library import library_names, load_rules
from neurogame.gdl.nodes import MAXIMUM_DEPTH
from neurogame.gdl.parse import parse_rules, parse_term, parse_with_findings
from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Not,
    Or,
    Rule,
    Rules,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.write import formula_text, rule_text, rules_text, term_text
from tests.conftest import shared
from tests.gdl.public_rules import public_rules
from tests.gdl.strategies import rulesheets, terms

P, Q, X = Symbol("p"), Symbol("q"), Variable("x")


def test_facts_rules_and_all_connectives() -> None:
    text = """
    (role white) terminal            ; a fact without parentheses
    (<= (next (cell ?x b)) (true (cell ?x b)) (not p) (or p (and q p)) (distinct ?x 1))
    """
    cell = Compound("cell", (X, Symbol("b")))
    assert parse_rules(text).rules == (
        Rule(Compound("role", (Symbol("white"),))),
        Rule(Symbol("terminal")),
        Rule(
            Compound("next", (cell,)),
            (Compound("true", (cell,)), Not(P), Or((P, And((Q, P)))), Distinct(X, Symbol("1"))),
        ),
    )


def test_keywords_in_any_case_and_names_folded_with_their_first_spelling() -> None:
    rules = parse_rules("(<= TERMINAL (NOT (True (Cell ?New xOne))) (Or p) (DISTINCT ?new 1))")
    assert rules == parse_rules(
        "(<= terminal (not (true (cell ?new xone))) (or p) (distinct ?new 1))"
    )
    assert rules.spelling["cell"] == "Cell"
    assert rules.spelling["xone"] == "xOne"
    assert rules.spelling["?new"] == "?New"
    assert "true" not in rules.spelling
    assert [remark.code for remark in rules.remarks] == ["variable-case"]


def test_names_that_differ_in_case_are_one_name_and_a_remark_at_the_second() -> None:
    rules = parse_rules("(p timeOut)\n(q timeout timeout timeOut)")
    assert rules.rules[0].head == Compound("p", (Symbol("timeout"),))
    assert [(r.code, r.position) for r in rules.remarks] == [("name-case", Position(2, 4))]


def test_variables_of_different_rules_may_differ_in_case() -> None:
    assert parse_rules("(<= (p ?X) (q ?X)) (<= (p ?x) (q ?x))").remarks == ()


def test_positions_count_lines_and_columns_from_one() -> None:
    rules = parse_rules("(role a)\n  (<= (p ?x)\n\t(q ?x))")
    rule = rules.rules[1]
    assert rules.rules[0].position == Position(1, 1)
    assert rule.position == Position(2, 3)
    assert rule.head.position == Position(2, 7)
    literal = rule.body[0]
    assert literal.position == Position(3, 2)
    assert isinstance(literal, Compound)
    assert literal.arguments[0].position == Position(3, 5)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end(end: str) -> None:
    rules = parse_rules(f"; a comment ) ({end}(role a) ; more{end}  (role b)")
    assert [rule.position for rule in rules] == [Position(2, 1), Position(3, 3)]


def test_byte_order_mark_does_not_shift_columns() -> None:
    rules = parse_rules("\ufeff(role a)")
    assert rules == parse_rules("(role a)")
    assert rules.rules[0].position == Position(1, 1)


def test_empty_text_is_a_rulesheet_without_rules() -> None:
    assert len(parse_rules(" ; nothing\n")) == 0


def test_rule_with_empty_body_is_a_fact() -> None:
    rules = parse_rules("(<= (legal soldier noop))")
    assert rules == parse_rules("(legal soldier noop)")
    assert [remark.code for remark in rules.remarks] == ["empty-body"]


def test_name_alone_in_parentheses_is_a_name_of_its_own() -> None:
    rules = parse_rules("(<= (Foo) (not (bar)) (p (f)))")
    assert rules != parse_rules("(<= foo (not bar) (p f))")
    assert rules == parse_rules(rules_text(rules))
    assert rules_text(rules) == "(<= (Foo)\n    (not (bar))\n    (p (f)))\n"
    assert [remark.code for remark in rules.remarks] == ["empty-parentheses"] * 3
    assert "(Foo) is never the same as Foo" in rules.remarks[0].message


def test_keyword_alone_in_parentheses_is_the_keyword() -> None:
    rules = parse_rules("(<= (Terminal) (true p))")
    assert rules == parse_rules("(<= terminal (true p))")
    assert [remark.code for remark in rules.remarks] == ["empty-parentheses"]


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("(p a", "1:1", "unmatched opening parenthesis"),
        ("(p a)\n (q (r (s", "2:2", "3 '\\)' are missing"),
        ("(p a))", "1:6", "unmatched closing parenthesis"),
        ("()", "1:1", "empty parentheses"),
        ("(p ())", "1:4", "empty parentheses"),
        ("((p) a)", "1:2", "must follow an opening parenthesis"),
        ("(<=)", "1:1", "'<=' without a head"),
        ("<=", "1:1", "without a '\\('"),
        ("(p <= q)", "1:4", "reserved word"),
        ("(<= (<= p) q)", "1:6", "reserved word"),
        ("(<= (not p) q)", "1:6", "reserved word"),
        ("(not p)", "1:2", "reserved word"),
        ("(<= p not)", "1:7", "reserved word"),
        ("(<= p (not))", "1:7", "'not' takes 1 argument, found 0"),
        ("(<= p (not q r))", "1:7", "'not' takes 1 argument, found 2"),
        ("(<= p (distinct a))", "1:7", "'distinct' takes 2 arguments, found 1"),
        ("(<= p (distinct a b c))", "1:7", "'distinct' takes 2 arguments, found 3"),
        ("?x", "1:1", r"the variable \?x cannot be a fact"),
        ("(<= ?x p)", "1:5", r"the variable \?x cannot be the head of a rule"),
        ("(<= p ?x)", "1:7", r"the variable \?x cannot be a literal"),
        ("(<= p (or q ?x))", "1:13", r"the variable \?x cannot be a literal"),
        ("(?x a)", "1:2", r"the variable \?x cannot name"),
        ("(p (?f a))", "1:5", r"the variable \?f cannot name"),
        ("(<= p (q ?))", "1:10", "needs a name after its '\\?'"),
    ],
)
def test_syntax_errors_name_place_and_cause(text: str, place: str, said: str) -> None:
    with pytest.raises(RulesError, match=f"^game.kif:{place}: .*{said}"):
        parse_rules(text, "game.kif")


def test_connectives_are_ordinary_names_inside_terms() -> None:
    rules = parse_rules("(p (distinct a or)) (<= (q ?x) (p (not ?x)) (distinct ?x (and a)))")
    inner = Compound("distinct", (Symbol("a"), Symbol("or")))
    assert rules.rules[0].head == Compound("p", (inner,))
    inner = Compound("and", (Symbol("a"),))
    assert rules.rules[1].body == (Compound("p", (Compound("not", (X,)),)), Distinct(X, inner))
    assert {(r.severity, r.code) for r in rules.remarks} == {("nonstandard", "keyword-function")}
    assert len(rules.remarks) == 4
    assert parse_rules(rules_text(rules)) == rules


def test_all_errors_of_a_text_are_reported_in_order() -> None:
    text = "(p (?f a))\n(q a)\n(<= r (not) (distinct ?))\n(s ()))\n(t (u"
    with pytest.raises(RulesError) as caught:
        parse_rules(text, "g")
    lines = str(caught.value).splitlines()
    places = [line.split(": ")[0] for line in lines]
    assert places == ["g:1:5", "g:3:7", "g:3:13", "g:3:23", "g:4:7", "g:5:1"]


def test_what_could_be_read_comes_with_the_errors() -> None:
    rules, errors = parse_with_findings("(p a) (q ()) (r b)")
    assert [rule.head.name for rule in rules] == ["p", "r"]
    assert [error.code for error in errors] == ["nothing-in-parentheses"]


def test_a_flood_of_errors_is_counted() -> None:
    with pytest.raises(RulesError, match="and 50 more errors") as caught:
        parse_rules("()\n" * 100)
    assert len(str(caught.value).splitlines()) == 51


@pytest.mark.parametrize(
    "text", ["(" * 10_000, "(" * 10_000 + ")" * 10_000, "(f " * 10_000 + "x" + ")" * 10_000]
)
def test_deep_nesting_is_an_error_and_no_crash(text: str) -> None:
    with pytest.raises(RulesError, match=f"nested more than {MAXIMUM_DEPTH} deep"):
        parse_rules(text)


def test_nesting_up_to_the_limit_is_read_and_one_more_is_not() -> None:
    term = parse_term("(f " * MAXIMUM_DEPTH + "x" + ")" * MAXIMUM_DEPTH)
    depth = 0
    while isinstance(term, Compound):
        term, depth = term.arguments[0], depth + 1
    assert depth == MAXIMUM_DEPTH
    with pytest.raises(RulesError, match="nested more than"):
        parse_rules("(f " * (MAXIMUM_DEPTH + 1) + "x" + ")" * (MAXIMUM_DEPTH + 1))


def test_rules_after_a_too_deep_one_are_still_read() -> None:
    rules, errors = parse_with_findings("(f " * 300 + "x" + ")" * 300 + "(role a) ())")
    assert [rule.head.name for rule in rules] == ["role"]
    assert [error.code for error in errors] == ["too-deep", "unmatched-close"]


def test_a_term_in_any_case() -> None:
    assert parse_term(" ( Mark 1 ?X ) ") == Compound("mark", (Symbol("1"), X))
    assert parse_term("NOOP") == Symbol("noop")
    assert parse_term("(Noop)") == Symbol("(noop)") != Symbol("noop")


@pytest.mark.parametrize("text", ["", "a b", "(a) b", "(a", "a)", "()", "(<= a)", "?"])
def test_text_that_is_not_one_term_is_refused(text: str) -> None:
    with pytest.raises(RulesError):
        parse_term(text)


@given(st.text("()ab?<=; \n\tNOTorand", max_size=60))
def test_any_text_gives_rules_or_a_placed_error(text: str) -> None:
    rules, errors = parse_with_findings(text)
    starts = text.splitlines(keepends=True)
    for error in errors:
        line, column = error.position.line, error.position.column
        assert starts[line - 1][column - 1 : column].strip(), "an error points at a character"
    for rule in rules:
        assert rule.position >= Position(1, 1)
    if errors:
        with pytest.raises(RulesError):
            parse_rules(text)


@given(rulesheets())
def test_printed_rules_parse_to_the_same_rules(rules: Rules) -> None:
    assert parse_rules(rules_text(rules)) == rules


@given(terms())
def test_printed_terms_parse_to_the_same_term(term: Term) -> None:
    assert parse_term(term_text(term)) == term


def test_one_rule_as_text() -> None:
    text = "(<= (next (cell ?m b))\n    (true (cell ?m b))\n    (or (not p) (distinct ?m 1) (and)))"
    rule = parse_rules(text).rules[0]
    assert rule_text(rule) == text
    assert formula_text(rule.body[1]) == "(or (not p) (distinct ?m 1) (and))"


def test_the_first_spelling_is_printed() -> None:
    rules = parse_rules("(<= (Legal ?Who noOp) (ROLE ?who) (p NOOP))")
    assert rules_text(rules) == "(<= (legal ?Who noOp)\n    (role ?Who)\n    (p noOp))\n"
    assert term_text(rules.rules[0].head) == "(legal ?who noop)"


@pytest.mark.parametrize("name", library_names())
def test_library_games_print_and_parse_back(name: str) -> None:
    rules = load_rules(name)
    again = parse_rules(rules_text(rules))
    assert again == rules
    assert rules_text(again) == rules_text(rules)


def test_public_rulesheets_print_and_parse_back() -> None:
    for path in sorted(shared("games").glob("*.kif"))[::3]:
        rules = public_rules(path)
        assert parse_rules(rules_text(rules)) == rules, path.name
