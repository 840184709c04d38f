"""Reading operation notation: what its words mean, and what every error says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import RulesError
from neurogame.gdl.check import check_rules
from neurogame.gdl.finding import Position
from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules, parse_with_findings
from neurogame.gdl.terms import Rules
from tests.reference.interpreter import ReferenceGame

FOLDER = Path(__file__).parent / "operation_games"

ONE = "role(robot)\nlegal(a)\nterminal :- over\ngoal(robot,0)\nbase(over)\n"
"""A game of one role with one action."""

TWO = """
role(left)  role(right)
base(control(R)) :- role(R)
init(control(left))
terminal :- never
goal(R,0) :- role(R)
"""
"""A game of two roles, without actions."""


def states(text: str, *joint_moves: str) -> list[set[str]]:
    """Return the states of a game that its joint moves lead to, the first one included."""
    game = ReferenceGame(parse_rules(text, "game.hrf"))
    state = game.initial()
    shown = [{game.text(fluent) for fluent in state}]
    for joint in joint_moves:
        state = game.next(state, [game.term(move) for move in joint.split(",")])
        shown.append({game.text(fluent) for fluent in state})
    return shown


def legal(text: str, *joint_moves: str) -> list[list[str]]:
    """Return the moves of every role in the state that joint moves lead to."""
    game = ReferenceGame(parse_rules(text, "game.hrf"))
    state = game.initial()
    for joint in joint_moves:
        state = game.next(state, [game.term(move) for move in joint.split(",")])
    roles = range(len(game.roles))
    return [sorted(game.text(move) for move in game.legal(state, role)) for role in roles]


def goals(body: str, *facts: str) -> list[int]:
    """Return the values G for which a body holds in the only state of a game of one role."""
    text = ONE + "\n".join(facts) + f"\na :: over\ngoal(robot,G) :- {body}\n"
    game = ReferenceGame(parse_rules(text, "game.hrf"))
    return game.goals(game.initial(), 0)


def heads(rules: Rules) -> list[str]:
    """Return the names of the heads."""
    return [rule.head.name for rule in rules]


# State and change ---------------------------------------------------------------------------------


def test_declarations_decide_by_name_and_arity_what_is_state() -> None:
    text = ONE + "base(p(X)) :- d(X)\ninit(q)\nd(1)\np(1,2)\na :: p(X,Y) & q & ~p(1) ==> p(X) & ~q"
    assert states(text, "a", "a") == [{"q"}, {"(p 1)"}, {"(p 1)"}]


def test_what_is_declared_and_derived_holds_where_one_of_the_two_does() -> None:
    text = ONE + "base(p(X)) :- d(X)\nd(1) d(2) d(3)\ninit(p(1))\np(2)\nbase(q(X)) :- d(X)\n"
    text += "a :: p(X) ==> q(X) & ~p(X)"
    assert states(text, "a", "a") == [{"(p 1)"}, {"(q 1)", "(q 2)"}, {"(q 1)", "(q 2)"}]


def test_effects_add_up_additions_win_and_the_rest_stays() -> None:
    text = ONE + "init(p) init(q) init(r) init(s)\nbase(t)\n"
    text += "a :: ~p & ~q & ~s\na :: p ==> q\na :: ~p ==> s\na :: ~t & t"
    assert states(text, "a", "a") == [set("pqrs"), set("qrt"), set("rst")]


def test_conditions_see_the_old_state_also_in_operations_that_are_carried_out() -> None:
    text = ONE + "init(at(1))\nbase(at(N)) :- n(N)\nbase(mark(N)) :- n(N)\nn(1) n(2) n(3) n(4)\n"
    text += "next_to(1,2) next_to(2,3) next_to(3,4)\n"
    text += "a :: at(X) & next_to(X,Y) ==> step(X,Y) & spread(Y)\n"
    text += "step(X,Y) :: ~at(X) & at(Y)\n"
    text += "spread(X) :: at(X) ==> mark(X)\n"
    text += "spread(X) :: next_to(X,Y) ==> spread(Y)\n"
    text += "spread(4) :: mark(4)"
    assert states(text, "a", "a") == [{"(at 1)"}, {"(at 2)", "(mark 4)"}, {"(at 3)", "(mark 4)"}]


def test_an_operation_may_be_an_action_and_an_effect() -> None:
    text = ONE + "legal(b)\nbase(p) base(q)\na :: b & p\nb :: q"
    assert states(text, "b") == [set(), {"q"}]
    assert states(text, "a") == [set(), {"p", "q"}]


def test_alternatives_and_brackets_in_conditions() -> None:
    text = (
        ONE
        + "base(p) base(q) base(r) init(s) base(t)\na :: ~(p | t) & (s & ~t | t) ==> p & (q & r)"
    )
    assert states(text, "a", "a")[1:] == [set("pqrs"), set("pqrs")]


def test_effects_that_no_declaration_knows_are_state_with_a_warning() -> None:
    rules = parse_rules(ONE + "a :: p & ~q\nb :- p", "game.hrf")
    assert [(remark.code, remark.position) for remark in rules.remarks] == [
        ("undeclared-state", Position(6, 6)),
        ("undeclared-state", Position(6, 11)),
    ]
    assert states(ONE + "a :: p & ~q\nb :- p", "a") == [set(), {"p"}]


# Who moves ----------------------------------------------------------------------------------------


def test_the_role_in_control_moves_and_the_others_do_nothing() -> None:
    text = TWO + "legal(go(X)) :- n(X)\nn(1) n(2)\n"
    text += "go(X) :: control(left) ==> ~control(left) & control(right)"
    assert legal(text) == [["(go 1)", "(go 2)"], ["noop"]]
    assert legal(text, "(go 1),noop") == [["noop"], ["(go 1)", "(go 2)"]]


def test_control_may_be_derived_and_one_role_needs_none() -> None:
    text = (
        "role(r)\nrole(s)\ncontrol(r) :- ~late\ncontrol(s) :- late\nbase(late)\nlegal(a)\na :: late"
    )
    assert legal(text) == [["a"], ["noop"]]
    assert legal(text, "a,noop") == [["noop"], ["a"]]
    assert legal(ONE + "control(robot)\na :: p\nbase(p)") == [["a"]]
    assert legal(ONE + "a :: p\nbase(p)") == [["a"]]


def test_noop_may_be_an_action_whose_operation_the_others_do_not_carry_out() -> None:
    text = TWO + "base(p) base(q)\nlegal(noop) legal(go)\nnoop :: p\ngo :: q"
    assert legal(text) == [["go", "noop"], ["noop"]]
    assert states(text, "go,noop")[1] == {"(control left)", "q"}
    assert states(text, "noop,noop")[1] == {"(control left)", "p"}


def test_legal_and_action_may_stand_in_bodies() -> None:
    text = TWO + "base(p) init(p)\naction(x) action(y)\nlegal(A) :- action(A) & (p | same(A,y))\n"
    text += (
        "x :: ~p\nbase(open(A)) :- action(A)\ny :: legal(x) & action(A) ==> open(A)\nx :: open(x)"
    )
    assert legal(text) == [["x", "y"], ["noop"]]
    assert legal(text, "x,noop") == [["y"], ["noop"]]
    assert states(text, "y,noop")[1] == {"(control left)", "p", "(open x)", "(open y)"}


# Numbers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("n(X) & plus(X,10,G)", [11, 12, 13]),
        ("n(X) & minus(10,X,G)", [7, 8, 9]),
        ("n(X) & n(Y) & minus(X,Y,-1) & times(X,Y,G)", [2, 6]),
        ("n(G) & less(G,3)", [1, 2]),
        ("n(G) & leq(2,G)", [2, 3]),
        ("n(G) & greater(G,2)", [3]),
        ("n(G) & geq(G,2)", [2, 3]),
        ("n(G) & ~less(G,3)", [3]),
        ("n(G) & n(X) & ~leq(G,X)", [2, 3]),
        ("n(G) & ~plus(G,1,3)", [1, 3]),
        ("c(X) & less(X,3) & same(G,5)", []),
        ("c(X) & ~less(X,3) & same(G,5)", [5]),
        ("n(G) & same(G,2)", [2]),
        ("n(G) & ~same(G,2)", [1, 3]),
        ("n(G) & distinct(2,G)", [1, 3]),
        ("n(G) & ~distinct(G,2)", [2]),
        ("p(X,Y) & same(f(X,b),f(a,Y)) & same(G,1)", [1]),
        ("p(X,Y) & same(f(X,Y),f(Y,X)) & same(G,1)", []),
        ("n(G) & (same(G,1) | less(2,G))", [1, 3]),
        ("n(G) & ~(less(G,2) | same(3,G))", [2]),
        ("n(X) & evaluate(plus(times(X,X),1),G)", [2, 5, 10]),
        ("n(G) & ~evaluate(plus(times(G,G),1),5)", [1, 3]),
        ("n(X) & evaluate(X,G)", [1, 2, 3]),
        ("n(G) & (evaluate(times(G,G),4) | evaluate(minus(G,1),0))", [1, 2]),
        ("n(X) & (less(X,2) & plus(X,4,G) | less(2,X) & plus(X,6,G))", [5, 9]),
        ("countofall(X,n(X),G)", [3]),
        ("evaluate(times(10,countofall(X,n(X) & less(X,3))),G)", [20]),
        ("countofall(X,n(X) & ~same(X,2) & (X != 1 | X != 3),G)", [2]),
        ("countofall(X,p(X,Y),G)", [1]),
        ("countofall(at(X,Y),n(X) & n(Y) & X != Y,G)", [6]),
        ("n(X) & countofall(Y,n(Y) & less(X,Y),G)", [0, 1, 2]),
        ("n(G) & countofall(Y,n(Y) & less(G,Y),1)", [2]),
        ("n(G) & ~countofall(Y,n(Y) & less(G,Y),1)", [1, 3]),
        ("countofall(X,c(X) & d(X),G)", [0]),
        ("countofall(X,t(X),G)", [2]),
        ("countofall(X,n(X),N) & countofall(X,c(X),M) & plus(N,M,G)", [4]),
    ],
)
def test_relations_of_numbers_are_evaluated(body: str, values: list[int]) -> None:
    facts = ("n(1) n(2) n(3)", "c(c)", "p(a,b) p(a,c)", "t(f(1)) t(f(2))")
    assert goals(body, *facts) == sorted({0, *values})


def test_a_relation_that_is_defined_is_not_evaluated() -> None:
    assert goals("plus(1,1,G)", "plus(1,1,7)") == [0, 7]
    assert goals("evaluate(plus(1,1),G)", "plus(1,1,7)") == [0, 2]
    assert goals("less(a,G)", "less(a,5)") == [0, 5]
    assert goals("same(1,2,G)", "same(1,2,6)") == [0, 6]


def test_numbers_go_as_far_as_the_game() -> None:
    """Counted up to a limit in the rules, without base; and within base, without such a limit."""
    limited = ONE + "init(n(0))\na :: n(X) & less(X,3) & plus(X,1,Y) ==> ~n(X) & n(Y)"
    shown = [{f"(n {number})"} for number in (0, 1, 2, 3, 3)]
    assert states(limited, *"aaaa") == shown
    based = ONE + "init(n(0))\nbase(n(X)) :- d(X)\nd(0) d(1) d(2) d(3)\n"
    based += "a :: n(X) & plus(X,1,Y) ==> ~n(X) & n(Y)"
    assert states(based, "a", "a", "a") == shown[:4]
    assert check_rules(parse_rules(based, "game.hrf")) == []


def test_a_negation_gets_all_numbers_that_it_asks_for() -> None:
    """What it excludes itself, too: 0 is not greater than 1, whatever follows from that."""
    assert goals("z(X) & ~greater(1,X) & same(G,9)", "z(0)") == [0]
    assert goals("(z(X) & ~less(X,1) | z(X) & ~leq(X,0)) & same(G,9)", "z(0)") == [0]


# Text ---------------------------------------------------------------------------------------------


def test_quoted_names_facts_side_by_side_and_places() -> None:
    assert heads(parse_rules("'::'(a,b) '~'(a)\na :: '!='", "g"))[:3] == ["_", "__2", "next"]
    rules = parse_rules("role(r) p('a b',a_b) p('?x (y)')\na ::\n  'a b'\n ==> p", "game.hrf")
    assert heads(rules)[:3] == ["role", "p", "p"]
    assert rules.rules[1].head == parse_rules("(p a_b_2 a_b)").rules[0].head
    assert rules.rules[2].head == parse_rules("(p _x__y_)").rules[0].head
    assert [rule.head.position for rule in rules][1:4] == [
        Position(1, 9),
        Position(1, 22),
        Position(4, 6),
    ]
    assert "::" not in rules.spelling


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("a :: b :: c", "1:8", "a second '::'"),
        ("a :- b ==> c\nb :: c", "1:8", "'==>' stands once, behind '::'"),
        ("a :: b ==> c ==> d", "1:14", "'==>' stands once, behind '::'"),
        ("a ==> b", "1:3", "'==>' stands once, behind '::'"),
        ("a :: f(b ==> c)", "1:10", "'==>' inside parentheses"),
        ("a ::", "1:3", "ends after '::'"),
        ("a :: b c", "1:8", "expected '&', '|' or ':-' before 'c'"),
        ("a :: b | c", "1:6", "an effect is a proposition"),
        ("a :: X", "1:6", "an effect is a proposition"),
        ("a :: ~~p", "1:7", "an effect is a proposition"),
        ("a :: next(p)", "1:6", "an effect is a proposition"),
        ("X :: p", "1:1", "an operation starts with its name"),
        ("legal(a) :: p", "1:1", "'legal' is a reserved word and no operation"),
        ("base(X) :- p(X)\na :: q", "1:6", "'base' names no proposition here"),
        ("base(p)\na :: b\nb :: p\ninit(b)", "2:6", "b/0 is an operation and a proposition"),
        ("next(p) :- q\na :: p", "1:1", "'next' cannot stand here.*operations say what changes"),
        ("legal(r,a)\na :: p", "1:1", "'legal' cannot stand here.*the role in control"),
        ("a :: true(p) ==> p & q & ~r", "1:6", "'true' cannot stand here.*stand bare"),
        ("a :: does(r,a) ==> p", "1:6", "'does' cannot stand here"),
        ("role(r)\nrole(s)\nlegal(a)\na :: p", "3:1", "nothing says who moves"),
        ("g :- p(X) & quotient(X,2,Y)\na :: p", "1:13", "quotient/3 is no relation"),
        ("g(Y) :- p(X) & evaluate(div(X,2),Y)\na :: p", "1:25", "div/2 is no expression"),
        ("g(Y) :- p(X) & less(plus(X,1),Y)\na :: p", "1:21", "plus/2 is no number"),
        ("g(N) :- countofall(3,p(X),N)\na :: p", "1:9", "countofall/3 needs a variable"),
        ("g(N) :- p(X) & countofall(X,p(X),N)\na :: p", "1:16", r"counts \?x, which the rest"),
        ("g(Y) :- plus(X,1,Y)\na :: p", "1:9", r"\?x of 'plus' is bound by no other literal"),
        ("n(0)\nn(Y) :- n(X) & plus(X,1,Y)\na :: p", "2:16", r"values that \?x can have in 'plus'"),
        (
            "role(r) legal(a)\ninit(n(0))\na :: n(X) & plus(X,1,Y) ==> n(Y)",
            "3:13",
            "declare by base",
        ),
        ("t(z)\nt(f(X)) :- t(X)\ng(N) :- countofall(X,t(X),N)\na :: p", "3:9", "instances that"),
        (
            "g :- " + "(a | b & c) & " * 10 + "d\na :: p",
            "1:1",
            "more than 1,000 alternatives, or all",
        ),
    ],
)
def test_errors_name_place_and_cause(text: str, place: str, said: str) -> None:
    with pytest.raises(RulesError, match=f"^game.hrf:{place}: .*{said}") as caught:
        parse_rules(text, "game.hrf")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("n{0}(0)\nn{0}(Y) :- n{0}(X) & plus(X,1,Y)\n", "have no bound"),
        ("c({0})\ng(Z) :- c(X) & c(Y) & plus(X,Y,Z) & plus(Z,Y,A)\n", None),
        ("t{0}(z)\nt{0}(f(X,X)) :- t{0}(X)\ng(N) :- countofall(X,t{0}(X),N)\n", "have no bound"),
    ],
)
def test_numbers_without_bound_are_refused_in_bounded_work(rules: str, said: str | None) -> None:
    text = "role(r)\nlegal(a)\na :: p\n" + "".join(rules.format(number) for number in range(30))
    _, errors = parse_with_findings(text, "game.hrf")
    assert {error.code for error in errors} == ({"evaluation"} if said else set())
    assert all(said in error.message for error in errors if said)


def test_alternatives_that_multiply_are_refused() -> None:
    many = " & ".join("(x | y & z)" for _ in range(9))
    text = f"a :: {many} ==> " + " & ".join(f"p{number}" for number in range(300))
    rules, errors = parse_with_findings(text, "game.hrf")
    assert "alternatives" in errors[0].message
    assert len(rules) < 50_000


def test_errors_of_what_could_not_be_read_make_no_others() -> None:
    _, errors = parse_with_findings("role(r) role(s)\ncontrol(R :- role(R)\nlegal(a)\na :: p", "g")
    assert [error.position.line for error in errors] == [2]


WORDS = [
    *("role(r)", "base(p(X))", "init(p(1))", "legal(a)", "action(a)", "p(X)", "q", "a", "X", "1"),
    *("::", "==>", ":-", "&", "|", "~", "(", ")", ",", ".", "\n", "\n ", "'b c'", "control(r)"),
    *("plus(X,1,Y)", "less(X,Y)", "same(X,Y)", "evaluate(plus(X,1),Y)", "countofall(X,p(X),N)"),
    *(
        *("countofall(X,", "evaluate(", "goal(r,N)", "terminal", "not", "!="),
        *("distinct(X,1)", "p(f(X))"),
    ),
]


@given(st.lists(st.sampled_from(WORDS), max_size=30))
def test_any_words_give_rules_or_placed_errors(words: list[str]) -> None:
    text = "a :: p(X)\n" + " ".join(words)
    rules, errors = parse_with_findings(text, "game.hrf")
    assert all(error.position >= Position(1, 1) for error in errors)
    if not errors:
        check_rules(rules)


def test_equations_whose_terms_double_are_an_error() -> None:
    equations = " & ".join(f"same(X{i}, f(X{i + 1}, X{i + 1}))" for i in range(40))
    begin = "role(x)\nbase(p(X)) :- q(X)\nq(a)\naction(go)\ninit(p(a))\ngo :: p(X) ==> p(X)\n"
    text = f"{begin}legal(go) :- p(X0) & {equations}\n"
    _, findings = parse_with_findings(text, "game.hrf")
    assert any(f.severity == "error" and "terms of more than" in f.message for f in findings)


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
