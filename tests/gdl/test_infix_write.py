"""Writing infix rules: from prefix to infix and back nothing changes but names of variables."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.gdl.infix_write import infix_rule_text, infix_rules_text
from neurogame.gdl.library import library_names, library_path
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Rules,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.write import rules_text
from tests.conftest import shared
from tests.gdl.public_rules import public_rules
from tests.gdl.strategies import rulesheets


def numbered(rules: Rules) -> list[Rule]:
    """Return the rules with the variables of each called v0, v1 ... in order of appearance."""
    return [_numbered_rule(rule) for rule in rules]


def _numbered_rule(rule: Rule) -> Rule:
    names: dict[str, str] = {}

    def term(node: Term) -> Term:
        if isinstance(node, Variable):
            return Variable(names.setdefault(node.name, f"v{len(names)}"))
        if isinstance(node, Symbol):
            return node
        return Compound(node.name, tuple(term(a) for a in node.arguments))

    def formula(node: Formula) -> Formula:
        if isinstance(node, Symbol | Compound):
            changed = term(node)
            assert isinstance(changed, Symbol | Compound)
            return changed
        if isinstance(node, Distinct):
            return Distinct(term(node.left), term(node.right))
        if isinstance(node, Not):
            return Not(formula(node.formula))
        return replace(node, formulas=tuple(formula(f) for f in node.formulas))

    head = formula(rule.head)
    assert isinstance(head, Symbol | Compound)
    return Rule(head, tuple(formula(f) for f in rule.body))


def check_round_trip(rules: Rules) -> str:
    """Check prefix to infix to prefix and infix to prefix to infix; return the infix text."""
    text = infix_rules_text(rules)
    again = parse_rules(text, "game.hrf")
    assert numbered(again) == numbered(rules)
    prefix = rules_text(again)
    from_prefix = parse_rules(prefix, "game.kif")
    assert from_prefix.rules == again.rules
    assert infix_rules_text(from_prefix) == text
    return text


@given(rulesheets())
def test_random_rules_round_trip(rules: Rules) -> None:
    check_round_trip(rules)


def test_a_name_like_an_arrow_is_a_name() -> None:
    assert check_round_trip(parse_rules("(:: a b) (<= (:: (~ a)) (==> b))")).startswith(
        "'::'(a, b)"
    )


SPELLINGS = st.text("aBx_1-%&,|~.:!'\\\"é=", min_size=1, max_size=4)


@given(st.lists(st.tuples(SPELLINGS, st.lists(SPELLINGS, max_size=4)), max_size=4))
def test_names_in_any_spelling_round_trip(parts: list[tuple[str, list[str]]]) -> None:
    """The texts, not the trees, are random here: so the first spellings are, too."""
    prefix = "\n".join(
        f"(<= ({name} c {' '.join('?' + v for v in variables)}) ({name}) {name})"
        for name, variables in parts
    )
    rules = parse_rules(prefix)
    check_round_trip(rules)
    kept = {k: v for k, v in rules.spelling.items() if k[0] != "?"}
    found = parse_rules(infix_rules_text(rules), "game.hrf").spelling
    assert {k: v for k, v in found.items() if k[0] != "?"} == kept


@pytest.mark.parametrize("name", library_names())
def test_library_games_round_trip(name: str) -> None:
    check_round_trip(parse_rules(library_path(name).read_text(encoding="utf-8")))


@pytest.mark.parametrize(("folder", "every"), [("games", 8), ("gdl-cases", 1)])
def test_public_rulesheets_round_trip(folder: str, every: int) -> None:
    for path in sorted(shared(folder).glob("*.kif"))[::every]:
        check_round_trip(public_rules(path))


def test_one_rule_as_text() -> None:
    prefix = """
    (<= (next (Cell ?m ?newRow B)) (true (cell ?m ?newRow ?c)) (not p) (not (distinct ?c b))
        (or (not q) (distinct ?m 1) (and (r it's) (move-x +)))
        (and (or) (or p)) (foo) terminal)
    """
    assert infix_rules_text(parse_rules(prefix)) == (
        "next('Cell'(M, NewRow, 'B')) :-\n"
        "    true('Cell'(M, NewRow, C)) &\n"
        "    ~p &\n"
        "    ~distinct(C, 'B') &\n"
        "    (~q | distinct(M, 1) | (r('it''s') & 'move-x'('+'))) &\n"
        "    (or() & or(p)) &\n"
        "    foo() &\n"
        "    terminal\n"
    )


def test_variables_that_would_become_the_same_get_numbers() -> None:
    rules = parse_rules("(p ?x+ ?x_ ?x- ?_ ?1 ?v_ ?v1 ?_a ?é)")
    assert infix_rules_text(rules) == "p(X__2, X_, X__3, V__2, V1_2, V_, V1, _a, V__3)\n"


def test_variables_of_different_rules_may_get_the_same_name() -> None:
    rules = parse_rules("(p ?x+) (p ?x-) (p ?aB+) (p ?ab_)")
    assert infix_rules_text(rules) == "p(X_)\np(X_)\np(Ab_)\np(Ab_)\n"


def test_without_spelling_the_folded_names_are_written() -> None:
    rules = parse_rules("(<= (Legal ?Who noOp) (ROLE ?who))")
    assert infix_rule_text(rules.rules[0]) == "legal(Who, noop) :-\n    role(Who)"
    assert infix_rules_text(rules) == "legal(Who, noOp) :-\n    role(Who)\n"


def test_empty_and_single_connectives_keep_their_shape() -> None:
    rule = Rule(Symbol("p"), (Or(()), And(()), Or((Symbol("q"),)), And((Symbol("q"), Symbol("r")))))
    assert infix_rule_text(rule) == "p :-\n    or() &\n    and() &\n    or(q) &\n    (q & r)"
