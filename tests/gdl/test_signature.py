"""The signature of a rulesheet: the same for every renaming, another for another game."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.gdl.library import library_names, load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.renaming import find_renaming, renamed_rule
from neurogame.gdl.scramble import scramble
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.terms import Rules
from neurogame.gdl.walk import variables_in
from tests.gdl.public_rules import PUBLIC, public_rules
from tests.gdl.slow_renaming import same_rules, shuffled
from tests.gdl.strategies import rulesheets


@cache
def _public(path: Path) -> str:
    return structural_signature(public_rules(path))


@given(rulesheets(), st.integers())
def test_signature_survives_renaming_and_reordering(rules: Rules, seed: int) -> None:
    changed = scramble(shuffled(rules, seed), seed, numbers=True)
    assert structural_signature(changed.rules) == structural_signature(rules)


@pytest.mark.parametrize("name", library_names())
def test_library_games_keep_their_signature(name: str) -> None:
    rules = load_rules(name)
    changed = scramble(shuffled(rules, 5), seed=5, numbers=True)
    assert changed.rules != rules
    assert structural_signature(changed.rules) == structural_signature(rules)


def test_library_games_differ_from_each_other() -> None:
    signatures = [structural_signature(load_rules(name)) for name in library_names()]
    assert len(set(signatures)) == len(signatures)
    assert all(len(s) == 64 and int(s, 16) >= 0 for s in signatures)


@pytest.mark.skipif(not PUBLIC, reason="the public rulesheets are not beside this checkout")
@pytest.mark.parametrize("path", PUBLIC[::4], ids=lambda path: path.stem)
def test_two_scrambled_copies_of_a_public_game_are_matched(path: Path) -> None:
    rules, signature = public_rules(path), _public(path)
    first, second = (scramble(shuffled(rules, s), s, numbers=s == 2).rules for s in (1, 2))
    assert structural_signature(first) == structural_signature(second) == signature
    renaming = find_renaming(first, second)
    assert renaming is not None
    assert len(set(renaming.values())) == len(renaming)
    assert same_rules(_renamed(first, renaming), second)


@pytest.mark.skipif(not PUBLIC, reason="the public rulesheets are not beside this checkout")
def test_public_games_differ_from_each_other() -> None:
    signatures = [_public(path) for path in PUBLIC]
    assert len(set(signatures)) == len(signatures)


def _renamed(rules: Rules, renaming: dict[str, str]) -> Rules:
    changed = []
    for rule in rules:
        names = {v.name: v.name for part in (rule.head, *rule.body) for v in variables_in(part)}
        changed.append(renamed_rule(rule, renaming, names))
    return Rules(tuple(changed))


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
    ],
)
def test_one_small_change_changes_the_signature(old: str, new: str) -> None:
    assert old in BASE
    changed = parse_rules(BASE.replace(old, new))
    assert structural_signature(changed) != structural_signature(parse_rules(BASE))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(q 3)", "(q 3) (q 3)"),
        ("(q ?y)", "(q ?y) (q ?y)"),
        ("(q 3)", "(q 3) (<= (p ?b ?a) (q ?a) (next1 ?b ?a))"),
    ],
)
def test_what_is_written_twice_counts_once(old: str, new: str) -> None:
    assert old in BASE
    changed = parse_rules(BASE.replace(old, new))
    assert structural_signature(changed) == structural_signature(parse_rules(BASE))
    assert find_renaming(changed, parse_rules(BASE)) is not None


def test_goal_values_and_keywords_count() -> None:
    texts = [
        "(<= (goal ?r 100) (role ?r))",
        "(<= (goal ?r 50) (role ?r))",
        "(<= (legal ?r x) (role ?r))",
        "(<= (goal ?r ?v) (worth ?r ?v)) (worth a 100)",
        "(<= (goal ?r ?v) (worth ?r ?v)) (worth a 50)",
    ]
    assert len({structural_signature(parse_rules(text)) for text in texts}) == len(texts)


def test_the_empty_rulesheet_has_a_signature() -> None:
    assert structural_signature(Rules(())) != structural_signature(parse_rules("(or1)"))
