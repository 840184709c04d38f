"""Printing: the text parses back to the same rules."""

from __future__ import annotations

import pytest
from hypothesis import given

from neurogame.gdl.library import library_names, load_rules
from neurogame.gdl.parse import parse_rules, parse_term
from neurogame.gdl.terms import Rules, Term
from neurogame.gdl.write import formula_text, rule_text, rules_text, term_text
from tests.conftest import shared
from tests.gdl.public_rules import public_rules
from tests.gdl.strategies import rulesheets, terms


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
