"""Scrambling and renaming: one to one, reversible, followed by states and moves."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.gdl.check import check_rules
from neurogame.gdl.goal_values import goal_values
from neurogame.gdl.kept import kept_names
from neurogame.gdl.keywords import KEYWORDS, UNRENAMED_WORDS, is_integer
from neurogame.gdl.library import library_names, load_rules, read_text
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.renaming import find_renaming, renamed_text
from neurogame.gdl.scramble import Scrambled, scramble
from neurogame.gdl.terms import Rules, Term
from neurogame.gdl.write import rules_text, term_text
from neurogame.ground.ground import ground
from tests.conftest import shared
from tests.gdl.slow_renaming import shuffled
from tests.gdl.strategies import rulesheets
from tests.reference.interpreter import ReferenceGame


def _words(rules: Rules) -> list[str]:
    """Return the words of a rulesheet in order, without parentheses."""
    return rules_text(rules).replace("(", " ").replace(")", " ").split()


def _assert_renamed(rules: Rules, scrambled: Scrambled) -> None:
    """Assert that a rulesheet is another one under one renaming of names and variables."""
    plain = Rules(rules.rules)
    before, after = _words(plain), _words(scrambled.rules)
    assert len(before) == len(after)
    renaming = dict(zip(before, after, strict=True))
    assert [renaming[word] for word in before] == after
    assert len(set(renaming.values())) == len(renaming)
    for old, new in renaming.items():
        if old.startswith("?"):
            assert new.startswith("?")
        else:
            assert new == scrambled.to_scrambled.get(old, old)
            assert old == scrambled.to_original.get(new, new)


@given(rulesheets(), st.integers(), st.booleans())
def test_scrambling_is_one_renaming_and_goes_back(rules: Rules, seed: int, numbers: bool) -> None:
    _assert_renamed(rules, scramble(rules, seed, numbers=numbers))


@pytest.mark.parametrize("name", library_names())
def test_library_games_scramble_and_stay_valid(name: str) -> None:
    rules = load_rules(name)
    scrambled = scramble(rules, seed=7)
    _assert_renamed(rules, scrambled)
    assert [f.code for f in check_rules(scrambled.rules) if f.severity == "error"] == []
    words = set(_words(Rules(rules.rules)))
    kept = words & set(_words(scrambled.rules))
    assert all(w in UNRENAMED_WORDS or is_integer(w) for w in kept)
    assert {w for w in words if w in KEYWORDS or is_integer(w)} <= kept
    numbers = scramble(rules, seed=7, numbers=True)
    _assert_renamed(rules, numbers)
    fixed = KEYWORDS | {"random"} | goal_values(rules)
    assert words & set(_words(numbers.rules)) == words & fixed


def test_a_seed_gives_one_renaming_and_another_seed_another() -> None:
    rules = load_rules("tictactoe")
    assert scramble(rules, 1).to_scrambled == scramble(rules, 1).to_scrambled
    assert scramble(rules, 1).to_scrambled != scramble(rules, 2).to_scrambled


def test_keywords_numbers_and_the_underscore_stay() -> None:
    rules = parse_rules("(role random) (init (cell 3 _ x)) (<= (goal ?r 100) (role ?r) (true y))")
    names = set(scramble(rules, 0).to_scrambled)
    assert names == {"cell", "x", "y"}
    assert set(scramble(rules, 0, numbers=True).to_scrambled) == {"cell", "x", "y", "3"}


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "eightpuzzle"])
@pytest.mark.parametrize("numbers", [False, True])
def test_scrambled_games_ground_to_the_same_sizes(name: str, numbers: bool) -> None:
    rules = load_rules(name)
    first = ground(rules)
    second = ground(scramble(rules, seed=3, numbers=numbers).rules)
    assert second.rule_count == first.rule_count
    assert len(second.fluents) == len(first.fluents)
    assert second.move_count == first.move_count
    assert len(second.roles) == len(first.roles)
    for ours, theirs in zip(first.goals, second.goals, strict=True):
        assert [value for value, _ in ours] == [value for value, _ in theirs]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("(<= (goal ?r 100) (role ?r)) (goal a 0) (init (cell 3))", {"0", "100"}),
        ("(<= (goal ?r ?v) (worth ?r ?v)) (worth a 30) (worth 40 (f 50)) (size 60)", {"30"}),
        (
            "(<= (goal ?r ?v) (true (points ?r ?v))) (init (points 5 10)) (init (step 20))"
            "(<= (next (points ?r ?n)) (true (points ?r ?m)) (plus ?m ?n)) (plus 1 2) (plus 7 8)"
            "(<= (next ?f) (keep ?f)) (keep (points a 90)) (keep (step 91))",
            {"10", "2", "8", "90"},
        ),
        ("(<= (goal ?r ?v) (won ?m) (pays ?m ?v)) (won 1) (pays win 55) (pays lose 101)", {"55"}),
        ("(<= (goal ?r ?v) (not (bad ?v)) (good ?v)) (bad 1) (good 2)", {"2"}),
        ("(<= (goal ?r ?v) (p ?v)) (<= (p ?x) (p (f ?x)) (q ?x)) (q 4) (p (f (f 5)))", {"4"}),
    ],
)
def test_goal_values_are_followed_through_variables(text: str, values: set[str]) -> None:
    found = goal_values(parse_rules(text))
    assert found >= values
    if "(f (f" not in text:
        assert found == values
    assert kept_names(parse_rules(text)) == found | UNRENAMED_WORDS


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "nim", "pentago", "lightsout"])
@pytest.mark.parametrize("numbers", [False, True])
def test_a_scrambled_and_shuffled_rulesheet_is_matched(name: str, numbers: bool) -> None:
    rules = load_rules(name)
    target = shuffled(scramble(rules, 5, numbers=numbers).rules, 6)
    renaming, back = find_renaming(rules, target), find_renaming(target, rules)
    assert renaming is not None
    assert back is not None
    # Names may be interchangeable; what must agree is the rulesheet that results.
    assert set(renaming.values()) == set(back)
    for relation in ("true", "next", "goal"):
        assert renaming[relation] == relation


def test_rulesheets_that_differ_in_more_than_names_are_not_matched() -> None:
    base = "(role a) (role b) (<= (legal ?r go) (role ?r)) (<= terminal (true (p {0} {1})))"
    same, other = (parse_rules(base.format(*pair)) for pair in ("xx", "xy"))
    assert find_renaming(same, other) is None
    assert find_renaming(other, parse_rules(base.format("y", "z"))) is not None
    assert find_renaming(same, Rules(same.rules[:-1])) is None


def test_goal_values_stay_and_other_numbers_do_not() -> None:
    base = "(role a) (<= (goal a {0}) (true (p {1})))"
    ours, theirs = parse_rules(base.format(70, 30)), parse_rules(base.format(70, 40))
    renaming = find_renaming(ours, theirs)
    assert renaming is not None
    assert (renaming["70"], renaming["30"]) == ("70", "40")
    assert find_renaming(ours, parse_rules(base.format(71, 30))) is None


def test_interchangeable_names_stay_where_they_may() -> None:
    rules = load_rules("tictactoe")
    renaming = find_renaming(rules, shuffled(rules, 4))
    assert renaming is not None
    assert all(new == old for old, new in renaming.items())


def test_texts_are_renamed_word_by_word() -> None:
    renaming = {"cell": "foo", "1": "2", "2": "1", "b": "cell"}
    assert renamed_text("(Cell 1 2 b)", renaming) == "(foo 2 1 cell)"
    assert renamed_text("noop", renaming) == "noop"
    assert renamed_text("(move (at 1 x) 12)", renaming) == "(move (at 2 x) 12)"


@pytest.mark.parametrize(
    "name",
    [
        *("ticTacToe", "connectFour", "nim3", "gt_coordination", "cittaceot", "blocker"),
        *("eightPuzzle", "firefighter", "biddingTicTacToe", "pearls", "coloredtrails"),
        *("untwistycomplex2", "tictactoe_3player", "numbertictactoe", "survival"),
    ],
)
def test_states_and_moves_are_translated(name: str) -> None:
    path = shared("games", f"{name}.kif")
    rules = parse_rules(read_text(path), str(path))
    copy = scramble(shuffled(rules, 8), 9, numbers=True).rules
    renaming = find_renaming(rules, copy)
    assert renaming is not None
    ours, theirs = ReferenceGame(Rules(rules.rules)), ReferenceGame(copy)
    places = [theirs.roles.index(renamed_text(role, renaming)) for role in ours.roles]
    choose = random.Random(name)

    def translated(terms: frozenset[Term]) -> set[str]:
        return {renamed_text(term_text(term), renaming) for term in terms}

    state, twin = ours.initial(), theirs.initial()
    for _ in range(12):
        assert translated(state) == {term_text(fluent) for fluent in twin}
        assert ours.terminal(state) == theirs.terminal(twin)
        joint: dict[int, Term] = {}
        other_joint: dict[int, Term] = {}
        for role, place in enumerate(places):
            legal = ours.legal(state, role)
            moves = {term_text(move): move for move in theirs.legal(twin, place)}
            assert translated(legal) == set(moves)
            assert ours.goals(state, role) == theirs.goals(twin, place)
            if legal:
                joint[role] = choose.choice(sorted(legal, key=term_text))
                other_joint[place] = moves[renamed_text(term_text(joint[role]), renaming)]
        if ours.terminal(state) or len(joint) < len(places):
            break
        state = ours.next(state, [joint[role] for role in range(len(places))])
        twin = theirs.next(twin, [other_joint[role] for role in range(len(places))])
