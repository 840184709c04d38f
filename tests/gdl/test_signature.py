"""The signature of a rulesheet: the same for every renaming, another for another game."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.gdl.library import library_names, load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.scramble import scramble
from neurogame.gdl.signature import structural_signature, symbol_colours
from neurogame.gdl.terms import And, Formula, Or, Rule, Rules
from tests.gdl.strategies import rulesheets


def _shuffled(rules: Rules, seed: int) -> Rules:
    """Return a rulesheet with its rules, bodies and branches in another order."""
    choose = random.Random(seed)

    def turned(formula: Formula) -> Formula:
        if isinstance(formula, Or | And):
            inner = [turned(f) for f in formula.formulas]
            return replace(formula, formulas=tuple(choose.sample(inner, len(inner))))
        return formula

    changed = [
        Rule(rule.head, tuple(turned(f) for f in choose.sample(rule.body, len(rule.body))))
        for rule in rules
    ]
    return Rules(tuple(choose.sample(changed, len(changed))))


@settings(deadline=None)
@given(rulesheets(), st.integers())
def test_signature_survives_renaming_and_reordering(rules: Rules, seed: int) -> None:
    changed = scramble(_shuffled(rules, seed), seed, numbers=True)
    assert structural_signature(changed.rules) == structural_signature(rules)
    ours, theirs = symbol_colours(rules), symbol_colours(changed.rules)
    assert {changed.to_scrambled.get(n, n): colour for n, colour in ours.items()} == theirs


@pytest.mark.parametrize("name", library_names())
def test_library_games_keep_their_signature(name: str) -> None:
    rules = load_rules(name)
    changed = scramble(_shuffled(rules, 5), seed=5, numbers=True)
    assert changed.rules != rules
    assert structural_signature(changed.rules) == structural_signature(rules)


def test_library_games_differ_from_each_other() -> None:
    signatures = [structural_signature(load_rules(name)) for name in library_names()]
    assert len(set(signatures)) == len(signatures)
    assert all(len(s) == 64 and int(s, 16) >= 0 for s in signatures)


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "nim", "reversi6"])
def test_leaving_out_any_rule_changes_the_signature(name: str) -> None:
    rules = load_rules(name).rules
    signature = structural_signature(Rules(rules))
    for index in range(len(rules)):
        shorter = Rules(rules[:index] + rules[index + 1 :])
        assert structural_signature(shorter) != signature


BASE = "(role a) (role b) (next1 1 2) (next1 2 3) (<= (p ?x ?y) (next1 ?x ?y) (q ?y)) (q 3)"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(q ?y)", "(q ?x)"),
        ("(q ?y)", "(not (q ?y))"),
        ("(p ?x ?y)", "(p ?y ?x)"),
        ("(p ?x ?y)", "(p ?x ?x)"),
        ("(q 3)", "(q 1)"),
        ("(role b)", "(role 1)"),
        ("(q ?y)", "(or (q ?y))"),
        ("(q ?y)", "(q ?y) (distinct ?x ?y)"),
        ("(q 3)", "(q 3) (q 3)"),
    ],
)
def test_one_small_change_changes_the_signature(old: str, new: str) -> None:
    assert old in BASE
    changed = parse_rules(BASE.replace(old, new))
    assert structural_signature(changed) != structural_signature(parse_rules(BASE))


def test_goal_values_and_keywords_count() -> None:
    texts = [
        "(<= (goal ?r 100) (role ?r))",
        "(<= (goal ?r 50) (role ?r))",
        "(<= (legal ?r x) (role ?r))",
        "(<= (goal ?r ?v) (worth ?r ?v)) (worth a 100)",
        "(<= (goal ?r ?v) (worth ?r ?v)) (worth a 50)",
    ]
    assert len({structural_signature(parse_rules(text)) for text in texts}) == len(texts)


def test_symmetric_names_share_a_colour_and_others_do_not() -> None:
    colours = symbol_colours(parse_rules("(role a) (role b) (s 1 2) (s 2 3) (<= p (s 3 ?x))"))
    assert colours["a"] == colours["b"]
    assert len({colours[name] for name in ("a", "s", "p", "1", "2", "3", "role")}) == 7


def test_long_chains_are_told_apart_to_their_middle() -> None:
    chain = " ".join(f"(s {i} {i + 1})" for i in range(200))
    colours = symbol_colours(parse_rules(chain))
    assert len(set(colours.values())) == len(colours)


def test_the_empty_rulesheet_has_a_signature() -> None:
    assert structural_signature(Rules(())) != structural_signature(parse_rules("(or1)"))
