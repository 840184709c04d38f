"""Renamings between rulesheets: found, kept to the rules, and followed by states and moves."""

from __future__ import annotations

import random

import pytest

from neurogame.gdl.library import load_rules, read_text
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.renaming import find_renaming, renamed_text
from neurogame.gdl.scramble import scramble
from neurogame.gdl.terms import Rules, Term
from neurogame.gdl.write import term_text
from tests.conftest import shared
from tests.gdl.slow_renaming import shuffled
from tests.reference.interpreter import ReferenceGame


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
