"""Grounding: domains, limits, errors, and what would explode is refused with its place."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.build import build_circuit
from neurogame.errors import ConfigurationError, GroundingError, LimitError
from neurogame.gdl.check import check_rules
from neurogame.gdl.disjunctions import MAX_BRANCHES
from neurogame.gdl.equality import MAXIMUM_SIZE, solve_equalities
from neurogame.gdl.library import load_rules
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
from neurogame.gdl.walk import substitute
from neurogame.ground import limits as limits_module
from neurogame.ground.clauses import clauses_of
from neurogame.ground.ground import ground
from neurogame.ground.limits import GroundLimits, Watch, memory_mb
from neurogame.ground.program import GroundProgram
from tests.reference.interpreter import ReferenceGame

COUNTER = """
(role Robot) (init (Step 0)) (succ 0 1) (succ 1 2)
(<= (legal Robot (say hello)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 2)))
(<= (goal robot 100) (true (step 2)))
(<= (goal robot 0) (not (true (step 2))))
(<= (unused ?x) (succ ?x ?x))
"""


def same(left: GroundProgram, right: GroundProgram) -> bool:
    arrays = ("initial", "rule_head", "rule_start", "rule_body", "rule_source", "legal", "next")
    atoms = range(len(left.atoms))
    return (
        all(np.array_equal(getattr(left, a), getattr(right, a)) for a in arrays)
        and (left.roles, left.fluents, left.moves) == (right.roles, right.fluents, right.moves)
        and (left.terminal, left.goals, left.key) == (right.terminal, right.goals, right.key)
        and [left.atoms.text(a) for a in atoms] == [right.atoms.text(a) for a in atoms]
    )


def test_domains_come_from_reachability_and_keep_their_spelling() -> None:
    program = ground(parse_rules(COUNTER))
    assert program.roles == ("Robot",)
    assert program.fluents == ("(Step 0)", "(Step 1)", "(Step 2)")
    assert program.moves == (("(say hello)",),)
    assert program.initial.tolist() == [True, False, False]
    assert program.next.tolist()[0] == -1
    assert [v for v, _ in program.goals[0]] == [100, 0]


def test_static_atoms_are_simplified_away() -> None:
    """A9: no static atom remains, and role vanishes."""
    program = ground(load_rules("tictactoe"))
    names = {program.atoms.text(a).strip("(").split()[0] for a in range(len(program.atoms))}
    assert not names & {"role", "index", "succ", "init", "base", "input"}


def test_reachable_fluents_missing_from_base_are_kept() -> None:
    rules = parse_rules(COUNTER + "(base (step 0)) (input robot (say hello))")
    assert len(ground(rules).fluents) == 3


def test_the_role_of_a_head_ranges_over_the_roles() -> None:
    rules = parse_rules(
        "(role a) (role b) (listed a) (<= (legal ?p ?p) (listed a)) terminal (init q)"
        "(<= (goal ?p 100) (listed ?p)) (<= (goal ?p 0) (not (listed ?p)))"
    )
    program = ground(rules)
    assert program.moves == (("a",), ("b",))
    # Asked before ?p is known, the negation holds, since b is not listed: as in GGP-Base.
    assert [[v for v, _ in role] for role in program.goals] == [[100, 0], [0]]


def test_moves_of_no_role_are_dropped() -> None:
    rules = parse_rules(COUNTER + "(legal stranger wave) (goal stranger 100)")
    program = ground(rules)
    assert program.moves == (("(say hello)",),)
    assert len(program.goals) == 1


@pytest.mark.parametrize(
    ("limits", "what"),
    [(GroundLimits(rules=2), "2 rules"), (GroundLimits(seconds=1e-9), "1e-09 s")],
)
def test_limits_stop_with_their_name(limits: GroundLimits, what: str) -> None:
    with pytest.raises(LimitError, match=what):
        ground(load_rules("breakthrough"), limits)


def test_the_memory_limit_stops_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    grown = iter(range(100, 10_000, 60))
    monkeypatch.setattr(limits_module, "LOOK_EVERY", 0.0)
    monkeypatch.setattr(limits_module, "memory_mb", lambda: float(next(grown)))
    with pytest.raises(LimitError, match="the limit is 200 MiB"):
        ground(load_rules("breakthrough"), GroundLimits(memory_mb=200))


def test_limits_must_be_positive() -> None:
    with pytest.raises(ConfigurationError):
        GroundLimits(seconds=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(role r) (legal r go) (<= (init a) (true b)) terminal (goal r 0)", "'init' depends"),
        ("(legal r go) terminal (goal r 0) (init a)", "no role"),
        (
            "(role r) (legal r go) (goal r 0)\n(<= terminal (not (true ?x)))",
            r"<text>:2:1: the variable \?x is in no positive literal",
        ),
    ],
)
def test_bad_rules_are_refused(text: str, message: str) -> None:
    with pytest.raises(GroundingError, match=message):
        ground(parse_rules(text))


def test_the_same_rules_in_another_order_give_the_same_domains() -> None:
    rules = load_rules("connectfour")
    reversed_rules = Rules(tuple(reversed(rules.rules)), rules.spelling, rules.source)
    one, other = ground(rules), ground(reversed_rules)
    assert (one.fluents, one.moves) == (other.fluents, other.moves)
    assert one.rule_count == other.rule_count


GAME = "(role r) (init p) (legal r go) (goal r 5) (<= terminal (true over))\n"
UNIVERSE: list[Term] = [Symbol("a"), Symbol("b"), *(Compound("f", (Symbol(c),)) for c in "ab")]


def grounded(text: str, **limits: float) -> GroundProgram:
    return ground(parse_rules(GAME + text), GroundLimits(**limits))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("term", "depth", "message"),
    [
        ("f ?x", {}, "the function '[fn]' builds terms nested more than 200 deep"),
        ("f ?x", {"depth": 50}, "the function '[fn]' builds terms nested more than 50 deep"),
        ("f ?x ?x", {}, "'f' builds a term of more than"),
    ],
)
def test_terms_without_an_end_are_refused(term: str, depth: dict[str, float], message: str) -> None:
    with pytest.raises((LimitError, GroundingError), match=message):
        grounded(f"(init (n 0)) (<= (next (n ({term}))) (true (n ?x)))", **depth)


@pytest.mark.parametrize(
    ("worth", "goals"),
    [
        ("(worth 101) (worth 40)", (101, 40)),
        (f"(worth {'9' * 400}) (worth -7)", (10**19, -7)),
        ("(worth (50 x)) (worth win) (worth 3)", (3,)),
    ],
)
def test_goal_values_are_not_judged_before_they_are_met(worth: str, goals: tuple[int, ...]) -> None:
    program = grounded(f"(<= (goal ?r ?v) (role ?r) (worth ?v)) {worth}")
    assert tuple(value for value, _ in program.goals[0] if value != 5) == goals


def test_growth_that_doubles_at_each_level_is_stopped_by_count_or_memory() -> None:
    text = "(init (n 0)) (<= (next (n (f ?x))) (true (n ?x))) (<= (next (n (g ?x))) (true (n ?x)))"
    with pytest.raises(LimitError, match="instances"):
        grounded(text, rules=5000)
    with pytest.raises(LimitError, match="MiB"):
        grounded(text, memory_mb=30)


def test_memory_is_asked_for_before_it_is_taken() -> None:
    watch = Watch(GroundLimits(memory_mb=500))
    watch.check_need(8, "testing")
    with pytest.raises(LimitError, match=r"before it would take .* MiB while testing"):
        watch.check_need(800, "testing")
    numbers = "".join(f"(d {i})" for i in range(200))
    before = memory_mb()
    with pytest.raises(LimitError, match="before it would take"):
        grounded(f"{numbers}(<= (next (c ?a ?b ?c)) (d ?a) (d ?b) (d ?c))", memory_mb=300)
    # The join alone would take 500 MiB; it is made in parts.
    assert memory_mb() - before < 300


def test_long_names_of_many_fluents_are_refused_before_they_are_written() -> None:
    name = "x" * 900
    numbers = "".join(f"(d {name}{i})" for i in range(300))
    text = f"{numbers}(<= (next (c ?a ?b)) (d ?a) (d ?b))"
    with pytest.raises(LimitError, match="writing the names"):
        grounded(text, memory_mb=120)


def test_the_time_limit_holds_while_rules_are_read_split_and_compiled() -> None:
    over = Watch(GroundLimits(seconds=1e-9), start=time.monotonic() - 1)
    rules = parse_rules(GAME)
    with pytest.raises(LimitError, match="reading the rules"):
        clauses_of(rules, over)
    program = ground(rules)
    with pytest.raises(LimitError, match="building the circuit"):
        build_circuit(program, rules, GroundLimits(seconds=1e-9))


@pytest.mark.parametrize("falsehood", ["", "(or)"])
def test_disjunctions_that_explode_are_counted_not_built(falsehood: str) -> None:
    text = f"(<= terminal {'(or (true p) (true q)) ' * 60}{falsehood})"
    rules = parse_rules(text, "big.kif")
    if falsehood:
        assert clauses_of(rules) == []
        return
    with pytest.raises(GroundingError, match=r"big.kif:1:1: .* far more than 10\^18 conjunctions"):
        clauses_of(rules)
    twelve = clauses_of(parse_rules(f"(<= terminal {'(or (true p) (true q)) ' * 12})"))
    assert len(twelve) == MAX_BRANCHES
    wide = "(or (true p) (true q)) " * 12 + "(true p) " * 100
    with pytest.raises(GroundingError, match="with 200,000 literals"):
        clauses_of(parse_rules(f"(<= terminal {wide})"))


def test_chains_of_many_relations_are_no_effort() -> None:
    chain = "".join(f"(<= q{i} q{i + 1})" for i in range(1500))
    program = grounded(f"{chain}(<= q1500 (true p))(<= (next p) q0)")
    assert program.rule_count >= 1501


LEAVES = st.one_of(
    st.sampled_from("pq").map(lambda n: Symbol(n)),
    st.builds(lambda a, b: Distinct(Symbol(a), Symbol(b)), *[st.sampled_from("ab")] * 2),
)


def formulas() -> st.SearchStrategy[Formula]:
    return st.recursive(
        LEAVES,
        lambda inner: st.one_of(
            inner.map(Not),
            st.lists(inner, max_size=3).map(lambda x: Or(tuple(x))),
            st.lists(inner, max_size=3).map(lambda x: And(tuple(x))),
        ),
        max_leaves=6,
    )


def holds(formula: Formula, true: set[str]) -> bool:
    if isinstance(formula, Not):
        return not holds(formula.formula, true)
    if isinstance(formula, Or):
        return any(holds(part, true) for part in formula.formulas)
    if isinstance(formula, And):
        return all(holds(part, true) for part in formula.formulas)
    if isinstance(formula, Distinct):
        return formula.left != formula.right
    return formula.name in true


@given(formulas())
def test_any_nesting_of_connectives_means_what_it_says(formula: Formula) -> None:
    clauses = clauses_of(Rules((Rule(Symbol("h"), (formula,)),)))
    for bits in product((False, True), repeat=2):
        true = {name for name, on in zip("pq", bits, strict=True) if on}
        derived = any(
            all((x.predicate[0] in true) != x.negated for x in clause.body)
            and all(left != right for left, right in clause.distinct)
            for clause in clauses
        )
        assert derived == holds(formula, true)


def terms() -> st.SearchStrategy[Term]:
    leaves: st.SearchStrategy[Term] = st.one_of(
        st.sampled_from("xyz").map(Variable), st.sampled_from("ab").map(Symbol)
    )
    return st.one_of(leaves, leaves.map(lambda t: Compound("f", (t,))))


@given(st.lists(st.tuples(terms(), terms()), max_size=3))
def test_equalities_have_the_solutions_that_trying_finds(pairs: list[tuple[Term, Term]]) -> None:
    wanted = set()
    for values in product(UNIVERSE, repeat=3):
        binding = dict(zip("xyz", values, strict=True))
        if all(substitute(a, binding) == substitute(b, binding) for a, b in pairs):
            wanted.add(values)
    solved = solve_equalities(pairs)
    found = set()
    for values in product(UNIVERSE, repeat=3):
        binding = dict(zip("xyz", values, strict=True))
        if solved is not None and all(
            substitute(solved.get(v, Variable(v)), binding) == binding[v] for v in "xyz"
        ):
            found.add(values)
    assert found == wanted


def test_equalities_that_build_endless_or_huge_terms() -> None:
    x, fx = Variable("x"), Compound("f", (Variable("x"),))
    assert solve_equalities([(x, fx)]) is None
    doubling = [
        (Variable(f"x{i}"), Compound("g", (Variable(f"x{i + 1}"), Variable(f"x{i + 1}"))))
        for i in range(60)
    ]
    assert solve_equalities([(x, x), (x, Variable("y")), (Variable("y"), fx)]) is None
    with pytest.raises(GroundingError, match=f"more than {MAXIMUM_SIZE} names"):
        solve_equalities(doubling)
    # Two such chains to be made equal, which would take 2^60 comparisons.
    renamed = {f"x{i}": Variable(f"y{i}") for i in range(61)}
    other = [(substitute(a, renamed), substitute(b, renamed)) for a, b in doubling]
    with pytest.raises(GroundingError, match=f"more than {MAXIMUM_SIZE} names"):
        solve_equalities([(Variable("x0"), Variable("y0")), *doubling, *other])


def test_a_negated_distinct_is_an_equality() -> None:
    text = GAME + (
        "(d 1) (d 2) (d 3) (c 2) (<= (next (same ?x)) (d ?x) (c ?y) (not (distinct ?x ?y)))"
        "(<= (next never) (d ?x) (not (distinct (f ?x) (g ?x))))"
    )
    rules = parse_rules(text)
    assert [f.code for f in check_rules(rules) if f.severity == "nonstandard"] == [
        "negated-formula"
    ] * 2
    assert ground(rules).fluents == ("(same 2)", "p")
    slow = ReferenceGame(rules)
    assert {slow.text(t) for t in slow.next(slow.initial(), [slow.term("go")])} == {"(same 2)"}


def test_rules_for_the_state_and_the_moves_are_left_out() -> None:
    program = grounded("(true q) (<= (does r fly) (true p)) (<= (next seen) (true q))")
    assert program.fluents == ("p",)
    assert program.moves == (("go",),)
