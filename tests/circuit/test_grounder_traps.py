"""Rulesheets on which other propositional networks are known to have gone wrong.

Each reproduces the cause of one report against GGP-Base's network builder; what the right
outcome is follows from the semantics of GDL, and the reference interpreter confirms it.
"""

from __future__ import annotations

from itertools import permutations, product

import pytest

from neurogame.circuit.cycles import find_cycles
from neurogame.gdl.write import term_text
from neurogame.ground.ground import ground
from neurogame.simulate.game import Game, State
from tests.reference.interpreter import ReferenceGame

MAZE = """
(role walker) (role ghost)
(cell a) (cell b) (cell c)
(door a b) (door b c) (door c a)
(<= (base (at ?r ?c)) (role ?r) (cell ?c))
(init (at walker a)) (init (at ghost c))
(<= (legal ?r (go ?d)) (true (at ?r ?c)) (door ?c ?d))
(<= (legal ?r stay) (role ?r))
(<= (next (at ?r ?d)) (does ?r (go ?d)))
(<= (next (at ?r ?c)) (does ?r stay) (true (at ?r ?c)))
(<= terminal (true (at walker ?c)) (true (at ghost ?c)))
(<= (goal walker 0) terminal) (<= (goal walker 100) (not terminal))
(<= (goal ghost 100) terminal) (<= (goal ghost 0) (not terminal))
"""
CUPS = """
(role r) (place 1) (place 2) (place 3)
(<= (legal r (fill ?p)) (place ?p) (not (true (cup ?p))))
(legal r wait)
(<= (next (cup ?p)) (true (cup ?p))) (<= (next (cup ?p)) (does r (fill ?p)))
(init (cup 0))
(<= (held ?p) (true (cup ?p)) (place ?p))
(<= (held ?p) (resting ?p))
(<= (resting ?p) (held ?p))
(<= terminal (held 3))
(<= (goal r 100) (resting 3)) (<= (goal r 0) (not (resting 3)))
"""
DRAWN = """
(role x) (role o) (init (turn 0))
(<= (legal ?r (claim ?c)) (role ?r) (free ?c)) (<= (legal ?r pass) (role ?r))
(side 1) (side 2) (<= (free ?c) (side ?c) (not (taken ?c)))
(<= (taken ?c) (true (owns ?r ?c)))
(<= (next (owns ?r ?c)) (true (owns ?r ?c)))
(<= (next (owns ?r ?c)) (does ?r (claim ?c)))
(<= (next (turn 1)) (true (turn 0))) (<= (next (turn 2)) (true (turn 1)))
(<= terminal (true (turn 2)))
"""
DRAWN_GOALS = (
    "(<= (goal ?r 50) (role ?r) (not (line x)) (not (line o)))",
    "(<= (line ?r) (pair ?r 1 2))",
    "(<= (pair ?r ?c ?d) (true (owns ?r ?c)) (true (owns ?r ?d)))",
    "(<= (goal ?r 100) (line ?r))",
)


def game_of(text: str) -> Game:
    return Game.from_text(text, cache=False)


def reachable(game: Game, plies: int) -> list[State]:
    """Return all states within some plies of the first."""
    found, fresh = set[State](), [game.initial_state()]
    for _ in range(plies + 1):
        fresh = [state for state in dict.fromkeys(fresh) if state not in found]
        found.update(fresh)
        fresh = [
            state.next(joint)
            for state in fresh
            if not state.is_terminal
            for joint in product(*state.legal_moves)
        ]
    return list(found)


def agree_with_the_interpreter(game: Game, plies: int = 3) -> int:
    """Compare every state within some plies with the rules read by other means."""
    reference = ReferenceGame(game.rules)
    states = reachable(game, plies)
    for state in states:
        terms = frozenset(reference.term(text) for text in state.fluent_texts)
        assert state.is_terminal == reference.terminal(terms)
        for role, goal in enumerate(state.goals):
            assert [goal] == list(reference.goals(terms, role))
        if state.is_terminal:
            continue
        for role, moves in enumerate(state.legal_moves):
            legal = {term_text(move) for move in reference.legal(terms, role)}
            assert {game.moves[role][move] for move in moves} == legal
        joint = [game.moves[role][moves[0]] for role, moves in enumerate(state.legal_moves)]
        expected = reference.next(terms, [reference.term(move) for move in joint])
        assert set(state.next(joint).fluent_texts) == {term_text(term) for term in expected}
    return len(states)


def test_inputs_that_rules_define_are_kept() -> None:
    """Issue 8: the inputs of skirmish are heads of rules and were dropped."""
    inputs = "(<= (input ?r (go ?c)) (role ?r) (cell ?c)) (<= (input ?r stay) (role ?r))"
    game = game_of(MAZE + inputs)
    assert game.moves == (("(go a)", "(go b)", "(go c)", "stay"),) * 2
    assert agree_with_the_interpreter(game) > 5


def test_a_positive_cycle_without_a_transition_has_its_least_fixpoint() -> None:
    """Issue 9: cubicup_3player, where a topological order does not exist."""
    game = game_of(CUPS)
    program = ground(game.rules)
    cycle = next(c for c in find_cycles(program) if len(c) > 1)
    assert {program.atoms.text(a).split()[0] for a in cycle} <= {"(held", "(resting"}
    first = game.initial_state()
    # Nothing holds the cup up: two atoms that support only each other are false.
    assert first.goals == (0,)
    assert first.next(["(fill 2)"]).goals == (0,)
    filled = first.next(["(fill 3)"])
    assert filled.is_terminal
    assert filled.goals == (100,)
    assert agree_with_the_interpreter(game) > 5


@pytest.mark.parametrize(
    "inputs",
    [
        "(<= (input ?r stay) (role ?r))",
        "(<= (input ?r (go ?c)) (role ?r) (cell ?c)) (<= (input ?r stay) (role ?r))"
        "(<= (input ?r (jump ?c)) (role ?r) (cell ?c)) (input walker give_up)",
    ],
    ids=["fewer", "more"],
)
def test_inputs_need_not_be_the_legal_moves(inputs: str) -> None:
    """Issue 27: checkers on a barrel, where inputs and legal moves differ in number."""
    game = game_of(MAZE + inputs)
    assert game.moves == game_of(MAZE).moves
    assert agree_with_the_interpreter(game) > 5


@pytest.mark.parametrize("order", list(permutations(range(len(DRAWN_GOALS)))))
def test_negations_wait_for_what_they_negate(order: tuple[int, ...]) -> None:
    """Issue 44: JointConnectFour's goal 50, a negation built before its positive part."""
    game = game_of(DRAWN + " ".join(DRAWN_GOALS[i] for i in order))
    first = game.initial_state()
    assert first.goals == (50, 50)
    won = first.next(["(claim 1)", "pass"]).next(["(claim 2)", "pass"])
    assert won.is_terminal
    assert won.goals[0] == 100
    drawn = first.next(["(claim 1)", "pass"]).next(["pass", "(claim 2)"])
    assert drawn.is_terminal
    assert drawn.goals == (50, 50)


def test_next_without_a_condition_holds_from_the_second_state_on() -> None:
    """Issue 75: an unconditional ``(next done)`` has no body to build a gate of."""
    game = game_of(
        "(role r) (init clean) (next done) (legal r go) (<= (legal r rest) (true done))"
        "(<= (next rested) (does r rest)) (<= terminal (true rested))"
        "(<= (goal r 100) (true done) (true rested)) (<= (goal r 0) (not (true rested)))"
    )
    first = game.initial_state()
    assert first.fluent_texts == ("clean",)
    assert [game.moves[0][i] for i in first.legal_moves[0]] == ["go"]
    second = first.next(["go"])
    assert second.fluent_texts == ("done",)
    assert second.next(["go"]) == second
    assert second.next(["rest"]).goals == (100,)
    assert agree_with_the_interpreter(game) == 3


def test_left_recursion_ends() -> None:
    """Issue 77: a prover that works backwards runs in circles here."""
    game = game_of("""
(role r) (town a) (town b) (town c)
(<= (legal r (build ?x ?y)) (town ?x) (town ?y))
(<= (next (road ?x ?y)) (true (road ?x ?y))) (<= (next (road ?x ?y)) (does r (build ?x ?y)))
(init (road a b))
(<= (way ?x ?z) (way ?x ?y) (street ?y ?z))
(<= (way ?x ?y) (street ?x ?y))
(<= (street ?x ?y) (true (road ?x ?y)))
(<= terminal (way a c))
(<= (goal r 100) (way a c)) (<= (goal r 0) (not (way a c)))
""")
    first = game.initial_state()
    assert not first.is_terminal
    assert not first.next(["(build c b)"]).is_terminal
    assert first.next(["(build b c)"]).is_terminal
    assert agree_with_the_interpreter(game, 2) > 10
