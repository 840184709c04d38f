"""Signatures and canonical forms: equal for renamings alone, also where refinement fails."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import LimitError
from neurogame.gdl import canonical
from neurogame.gdl.kept import kept_names
from neurogame.gdl.library import library_names, load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.refine import refined_kinds
from neurogame.gdl.renaming import find_renaming, renamed_rule
from neurogame.gdl.rule_graph import draw_rules
from neurogame.gdl.scramble import scramble
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.terms import Rules
from neurogame.gdl.walk import variables_in
from tests.gdl.public_rules import PUBLIC, public_rules
from tests.gdl.slow_renaming import least_form, same_rules, shuffled
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
@pytest.mark.parametrize("path", PUBLIC[::7], ids=lambda path: path.stem)
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


Edges = list[tuple[int, int]]


def _facts(edges: Edges, both: bool = True) -> Rules:
    pairs = edges + [(b, a) for a, b in edges] if both else edges
    return parse_rules(" ".join(f"(e v{a} v{b})" for a, b in pairs))


def _in_variables(edges: Edges) -> Rules:
    body = " ".join(f"(e ?v{a} ?v{b}) (e ?v{b} ?v{a})" for a, b in edges)
    return parse_rules(f"(<= p {body})")


def _cycle(length: int, start: int = 0) -> Edges:
    return [(start + i, start + (i + 1) % length) for i in range(length)]


def _moved(edges: Edges, by: int) -> Edges:
    return [(a + by, b + by) for a, b in edges]


ROOK = [
    (4 * a + b, 4 * c + d)
    for a, b, c, d in itertools.product(range(4), repeat=4)
    if (a == c) != (b == d) and (a, b) < (c, d)
]
SHRIKHANDE = [
    (4 * a + b, 4 * ((a + right) % 4) + (b + down) % 4)
    for a, b, (right, down) in itertools.product(range(4), range(4), [(0, 1), (1, 0), (1, 1)])
]
# Regular graphs that refinement cannot tell apart.
PAIRS = {
    "two triangles, hexagon": (_cycle(3) + _cycle(3, 3), _cycle(6)),
    "two squares, octagon": (_cycle(4) + _cycle(4, 4), _cycle(8)),
    "Shrikhande, rook's": (SHRIKHANDE, ROOK),
}


def _colours(rules: Rules) -> list[tuple[str, int]]:
    drawn = draw_rules(rules, kept_names(rules))
    kinds = [drawn.words[int(kind)] for kind in drawn.graph.kinds]
    return sorted(zip(kinds, refined_kinds(drawn.graph).colours.tolist(), strict=True))


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("draw", [_facts, _in_variables])
def test_what_refinement_cannot_tell_apart(
    pair: tuple[Edges, Edges], draw: Callable[[Edges], Rules]
) -> None:
    first, second = draw(pair[0]), draw(pair[1])
    assert _colours(first) == _colours(second)
    assert structural_signature(first) != structural_signature(second)
    assert find_renaming(first, second) is None
    for rules in (first, second):
        _assert_found_again(rules)


@pytest.mark.parametrize(
    "rules",
    [
        parse_rules(" ".join(f"(p c{i})" for i in range(60))),
        parse_rules(" ".join(f"(s {i} {i + 1})" for i in range(300))),
        _facts(_cycle(40), both=False),
        _facts(_cycle(40)),
        _facts([(a, a ^ (1 << i)) for a in range(32) for i in range(5) if a < a ^ (1 << i)]),
        _facts([(3 * block + i, 100 + block) for block in range(9) for i in range(3)]),
        parse_rules(" ".join(f"(<= (p {i}) (q ?x) (q ?y) (distinct ?x ?y))" for i in range(30))),
        _facts([edge for i in range(3) for edge in _moved(SHRIKHANDE, 16 * i)]),
    ],
    ids=["set", "chain", "round", "cycle", "cube", "blocks", "variables", "three"],
)
def test_regular_rulesheets_are_found_again(rules: Rules) -> None:
    _assert_found_again(rules)


def _assert_found_again(rules: Rules) -> None:
    for seed in (1, 2):
        copy = scramble(shuffled(rules, seed), seed, numbers=True).rules
        assert structural_signature(copy) == structural_signature(rules)
        assert find_renaming(rules, copy) is not None


def test_there_are_six_cubic_graphs_on_eight_nodes() -> None:
    choose = random.Random(3)
    whole = [(a, b) for a, b in itertools.combinations(range(4), 2)]
    found = {structural_signature(_facts(whole + _moved(whole, 4)))}
    tried = 0
    while tried < 60:
        ends = [node for node in range(8) for _ in range(3)]
        choose.shuffle(ends)
        edges = {(min(a, b), max(a, b)) for a, b in zip(ends[::2], ends[1::2], strict=True)}
        if len(edges) == 12 and all(a != b for a, b in edges):
            found.add(structural_signature(_facts(sorted(edges))))
            tried += 1
    assert len(found) == 6


def _tiny(choose: random.Random) -> Rules:
    """Return one of few small rulesheets, so that many are the same but for names."""
    names, variables = ["a", "b", "c", "e"], ["?x", "?y", "?z"]

    def pair(words: list[str]) -> str:
        return f"(e {choose.choice(words)} {choose.choice(words)})"

    facts = [pair(names) for _ in range(choose.randint(0, 3))]
    literals = [pair(variables) for _ in range(choose.randint(1, 3))]
    if choose.random() < 0.3:
        literals[0] = choose.choice([f"(not {literals[0]})", f"(or {' '.join(literals)})"])
    rules = [f"(<= (p ?x) {' '.join(literals)})" for _ in range(choose.randint(0, 1))]
    return parse_rules(" ".join([*facts, *rules]))


def test_signatures_are_equal_exactly_where_brute_force_finds_a_renaming() -> None:
    choose = random.Random(11)
    sheets = [_tiny(choose) for _ in range(250)]
    signatures = [structural_signature(rules) for rules in sheets]
    slow = [least_form(rules) for rules in sheets]
    classes = len(set(zip(signatures, slow, strict=True)))
    assert len(set(signatures)) == len(set(slow)) == classes
    assert 20 < classes < 200
    for index in range(1, 60):
        found = find_renaming(sheets[0], sheets[index])
        assert (found is not None) == (slow[0] == slow[index])


def test_a_search_that_takes_too_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical, "TRIALS", 10)
    with pytest.raises(LimitError, match="96 rules with 17 names are too regular"):
        structural_signature(_facts(ROOK))
    assert structural_signature(_facts([(0, 1), (1, 2)]))
