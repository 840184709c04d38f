"""Writing operation notation plays alike, or is refused; games in it play alike."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from neurogame.errors import RulesError
from neurogame.gdl.check import check_rules
from neurogame.gdl.library import library_names, load_rules
from neurogame.gdl.operations_write import operations_text
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Rules
from neurogame.prover.same_play import SamePlay, same_play
from tests.reference.interpreter import ReferenceGame

SIMULTANEOUS = {
    "einstein",  # chance has a turn of its own, told by another proposition
    "pig",  # likewise
    "bidding_tictactoe",
    "connectfour_simultaneous",
    "fishery",
    "painters",
    "pentago",  # in turn, but told by two propositions
    "prisoners",
    "pursuit",
    "rockpaperscissors",
    "tictactoe4p",
}

TURNS = """
(role red) (role blue) (init (turn red)) (init (lamp 1)) (step 1 2) (step 2 3)
(<= (legal ?r (go ?x)) (true (turn ?r)) (true (lamp ?x)))
(<= (legal ?r pass) (true (turn ?r)) (true (lamp 2)))
(<= (legal ?r rest) (true (turn ?r)))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (turn ?q)) (role ?q) (not (true (turn ?q))))
(<= (goal ?r 0) (role ?r))
(<= terminal (true (lamp 3)))
"""


def back(rules: Rules) -> Rules:
    """Return rules that were written in operation notation and read again."""
    return parse_rules(operations_text(rules), "game.hrf")


def compared(rules: Rules, games: int = 3) -> SamePlay:
    """Compare rules with themselves, written and read again."""
    return same_play(rules, back(rules), games=games, states=300)


@pytest.mark.parametrize("name", [name for name in library_names() if name not in SIMULTANEOUS])
def test_library_games_play_alike_after_writing_and_reading(name: str) -> None:
    rules = load_rules(name)
    again = back(rules)
    comparison = same_play(rules, again, games=1, states=300)
    assert comparison.difference is None
    assert comparison.states > 5
    assert check_rules(again) == []


@pytest.mark.parametrize("name", ["tictactoe", "nim", "dotsandboxes", "eightpuzzle"])
def test_games_with_operations_are_written_with_operations_again(name: str) -> None:
    rules = load_rules(FOLDER / f"{name}.hrf")
    assert compared(rules, 1).difference is None


@pytest.mark.parametrize("name", sorted(SIMULTANEOUS))
def test_games_in_which_several_roles_choose_are_refused(name: str) -> None:
    with pytest.raises(
        RulesError, match=r"kif:\d+:\d+: operations are for games in which one role"
    ):
        operations_text(load_rules(name))


@pytest.mark.parametrize(
    "more",
    [
        "(<= (next (lamp ?y)) (true (lamp ?x)) (step ?x ?y))",
        "(<= (next (lamp ?x)) (true (lamp ?x)))"
        "(<= (next (lamp ?y)) (does ?r (go ?x)) (step ?x ?y))",
        "(<= (next (lamp ?x)) (true (lamp ?x)) (does red wait))"
        "(<= (next (lamp 2)) (does red (go 1))) (<= (next (lamp 1)) (does red rest))",
        "(<= (next (lamp ?x)) (true (lamp ?x)) (not (left ?x))) (<= (left ?x) (does ?r (go ?x)))"
        "(<= (next (lamp ?y)) (left ?x) (step ?x ?y))",
        "(<= (next (lamp ?x)) (true (lamp ?x)) (not (does blue (go ?x))))"
        "(<= (next (lamp 2)) (true (turn blue)))",
        "(<= (legal ?r ?m) (true (turn ?r)) (more ?m)) (more (go 2)) (more (blink 2)) (more wait)"
        "(<= (next (lamp ?x)) (does ?r (blink ?x))) (<= (next (lamp 1)) (does ?r wait))"
        "(<= (next (lamp ?x)) (true (lamp ?x)) (does red ?m) (more ?m))",
        "(<= (next (lamp ?y)) (moved ?m) (true (lamp ?x)) (step ?x ?y))"
        "(<= (moved ?m) (does blue ?m))",
        "(<= (next (lamp ?x)) (true (lamp ?x)) (distinct ?x 1)) (<= (next (lamp ?y)) (does ?r ?m)"
        "(does ?q wait) (distinct ?r ?q) (distinct ?m wait) (true (lamp ?x)) (step ?x ?y))",
        "(<= (next (lamp ?y)) (true (lamp ?x)) (may ?x) (step ?x ?y))"
        "(<= (may ?x) (legal red (go ?x)))"
        "(<= (may ?x) (legal red wait) (true (lamp ?x)))",
        "(<= (next (lamp 2)) (lamp ?x) (control 1) (same 1 1)) (lamp 1) (control 1) (same 1 1)"
        "(<= (next (lamp 3)) (true (lamp 2)) (not (less 1 2)))",
    ],
)
def test_forms_of_change_are_written_exactly(more: str) -> None:
    rules = parse_rules(TURNS + more)
    comparison = same_play(rules, back(rules), games=10, states=300)
    assert comparison.difference is None
    assert comparison.states >= 20


def test_a_text_reads_as_the_notes_have_it() -> None:
    """The whole text, for one small game: who moves, the frame, the words of the notation."""
    more = "(<= (next (lamp ?x)) (true (lamp ?x)) (not (gone ?x))) (<= (gone ?x) (does ?r (go ?x)))"
    more += "(<= (next (lamp ?y)) (does ?r (go ?x)) (step ?x ?y))"
    text = operations_text(parse_rules(TURNS + more))
    assert text == (
        "role(red)\nrole(blue)\ninit(control(red))\ninit(lamp(1))\nstep(1, 2)\nstep(2, 3)\n"
        "legal(go(X)) :-\n    lamp(X)\nlegal(pass) :-\n    lamp(2)\nlegal(rest)\n"
        "goal(R, 0) :-\n    role(R)\nterminal :-\n    lamp(3)\n"
        "gone_go(X, X) :-\n    legal(go(X)) &\n    control(R)\n"
        "go(X1) :: advance\npass :: advance\nrest :: advance\n"
        "advance ::\n    role(Q) & ~control(Q)\n    ==> control(Q)\n"
        "go(A) ::\n    lamp(X) & gone_go(A, X)\n    ==> ~lamp(X)\n"
        "go(X) ::\n    control(R) & step(X, Y)\n    ==> lamp(Y)\n"
        "advance ::\n    control(X1)\n    ==> ~control(X1)\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(role a) (init p)", "no rule for legal"),
        ("(role a) (legal a x) (init p) (next p)", None),
        ("(role a) (legal a x) (init (:: p))", "1:1: the name '::' has a meaning there"),
        ("(role a) (legal a x)", "no state that can change"),
        ("(role a) (legal a ?m) (init p) (next p)", "1:19: it is not known which actions"),
        ("(role a) (legal a x) (<= (next ?f) (true ?f))", "1:26: a variable stands for a propos"),
        ("(role a) (legal a x) (init x) (next x)", "1:22: a proposition of the state has the name"),
        ("(role a) (legal a x) (next p) (<= terminal (does a x))", "1:31: 'terminal' depends on"),
        ("(role a) (role b) (legal a x) (legal b x) (next p)", "1:19: operations are for games"),
    ],
)
def test_what_cannot_be_written_is_refused_with_its_place(text: str, said: str | None) -> None:
    rules = parse_rules(text, "g.kif")
    if said is None:
        assert "::" in operations_text(rules)
        return
    with pytest.raises(RulesError, match=f"^g.kif:.*{said}"):
        operations_text(rules)


def test_a_difference_in_play_is_seen() -> None:
    """Two roles in control at once: the text has the form, but not the meaning."""
    rules = parse_rules(TURNS + "(init (turn blue)) (<= (next (lamp ?x)) (true (lamp ?x)))")
    odd = (
        rules.rules[:6]
        + parse_rules(
            "(<= (legal red (go 1)) (true (turn red))) (<= (legal blue (go 2)) (true (turn blue)))"
        ).rules
    )
    both = Rules((*odd, *rules.rules[7:]), rules.spelling)
    assert "the moves" in str(same_play(both, back(both), games=1, states=300).difference)
    other = parse_rules(TURNS.replace("(goal ?r 0)", "(goal ?r 1)") + "(next (lamp 1))")
    said = same_play(parse_rules(TURNS + "(next (lamp 1))"), other, games=1, states=300).difference
    assert said is not None
    assert said.startswith("the goals of red in the state")


FOLDER = Path(__file__).parent / "operation_games"


def compared_plies(left: Rules, right: Rules, games: int, seed: int = 1) -> int:
    """Play games at random by two rulesheets; return the number of states that were compared."""
    one, other = ReferenceGame(left), ReferenceGame(right)
    assert one.roles == other.roles
    draw, plies = random.Random(seed), 0
    for _ in range(games):
        state, twin = one.initial(), other.initial()
        while True:
            assert state == twin
            plies += 1
            moves = []
            for role in range(len(one.roles)):
                assert one.goals(state, role) == other.goals(twin, role)
                legal = one.legal(state, role)
                if not one.terminal(state):
                    assert legal == other.legal(twin, role)
                    moves.append(draw.choice(sorted(legal, key=one.text)))
            assert one.terminal(state) == other.terminal(twin)
            if one.terminal(state):
                break
            state, twin = one.next(state, moves), other.next(twin, moves)
    return plies


@pytest.mark.parametrize(
    ("name", "games", "least"),
    [("tictactoe", 20, 100), ("nim", 20, 100), ("dotsandboxes", 4, 100), ("eightpuzzle", 4, 100)],
)
def test_random_games_are_the_same_state_by_state(name: str, games: int, least: int) -> None:
    rules = load_rules(FOLDER / f"{name}.hrf")
    assert compared_plies(load_rules(name), rules, games) >= least
    assert check_rules(rules) == []
