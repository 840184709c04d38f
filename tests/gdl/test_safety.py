"""Restrictions: safe variables, recursion that ends, stratified negation; unification."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.gdl.check import check_rules, check_text
from neurogame.gdl.parse import parse_rules, parse_term
from neurogame.gdl.safety import unsafe_variables
from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Sentence,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.unify import may_unify
from neurogame.gdl.walk import arguments_of, relation_of, variables_in
from tests.gdl.small_games import MINIMAL, codes, findings, places
from tests.gdl.strategies import instance, terms

_TERMS = st.one_of(
    st.sampled_from([Variable("x"), Variable("y"), Variable("z"), Symbol("a")]),
    st.sampled_from([Compound("f", (Variable("x"),)), Compound("f", (Variable("y"),))]),
)
_HEADS = st.sampled_from(["p", "legal", "goal", "next"])


def _sentence(names: st.SearchStrategy[str]) -> st.SearchStrategy[Sentence]:
    return st.builds(Compound, names, st.lists(_TERMS, min_size=1, max_size=2).map(tuple))


def _formulas() -> st.SearchStrategy[Formula]:
    sentence = _sentence(st.sampled_from(["q", "true"]))
    leaves: st.SearchStrategy[Formula] = st.one_of(
        sentence, st.builds(Not, sentence), st.builds(Distinct, _TERMS, _TERMS)
    )

    def extend(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        parts = st.lists(inner, min_size=1, max_size=3).map(tuple)
        return st.one_of(st.builds(Or, parts), st.builds(And, parts))

    return st.recursive(leaves, extend, max_leaves=6)


_RULES = st.builds(Rule, _sentence(_HEADS), st.lists(_formulas(), max_size=3).map(tuple))


def _conjunctions(body: Sequence[Formula]) -> Iterator[tuple[Formula, ...]]:
    """Yield the bodies without ``or`` and ``and`` whose disjunction is the body."""
    for combination in itertools.product(*(list(_branches(formula)) for formula in body)):
        yield tuple(literal for part in combination for literal in part)


def _branches(formula: Formula) -> Iterator[tuple[Formula, ...]]:
    if isinstance(formula, Or):
        for inner in formula.formulas:
            yield from _branches(inner)
    elif isinstance(formula, And):
        yield from _conjunctions(formula.formulas)
    else:
        yield (formula,)


def _unsafe_names(rule: Rule) -> set[str]:
    """Return the unsafe variables by the definition for bodies that are conjunctions."""
    arguments = arguments_of(rule.head)
    roles: set[str] = set()
    if relation_of(rule.head) in (("legal", 2), ("goal", 2)):
        roles = {a.name for a in arguments[:1] if isinstance(a, Variable)}
    unsafe: set[str] = set()
    for literals in _conjunctions(rule.body):
        positive = [p for p in literals if isinstance(p, Symbol | Compound)]
        bound = roles | {v.name for literal in positive for v in variables_in(literal)}
        others = [p for p in literals if isinstance(p, Not | Distinct)]
        needed = {v.name for node in (rule.head, *others) for v in variables_in(node)}
        unsafe |= needed - bound
    return unsafe


@given(_RULES)
def test_unsafe_variables_are_those_of_the_expanded_rule(rule: Rule) -> None:
    found = unsafe_variables(rule)
    assert {variable.name for variable, _ in found} == _unsafe_names(rule)
    assert len(found) == len({variable.name for variable, _ in found})


@given(_RULES)
def test_the_order_of_literals_does_not_matter(rule: Rule) -> None:
    turned = Rule(rule.head, rule.body[::-1])
    names = [{v.name for v, _ in unsafe_variables(r)} for r in (rule, turned)]
    assert names[0] == names[1]


@pytest.mark.parametrize(
    ("text", "unsafe"),
    [
        ("(p ?x)", ["x"]),
        ("(<= (p ?x) (q ?y))", ["x"]),
        ("(<= (p ?x) (distinct ?x a) (q ?x))", []),
        ("(<= p (not (q ?x)))", ["x"]),
        ("(<= p (q ?x) (distinct ?x ?y))", ["y"]),
        ("(<= (p ?x) (or (q ?x) (r ?x b)))", []),
        ("(<= (p ?x) (or (q ?x) (r ?y b)))", ["x"]),
        ("(<= p (or (and (q ?x) (not (r ?x))) s))", []),
        ("(<= p (or (q ?x) s) (not (r ?x)))", ["x"]),
        ("(<= (p ?x) (q (f (g ?x))))", []),
        ("(<= (legal ?r noop))", []),
        ("(<= (goal ?r ?v) (q ?r))", ["v"]),
        ("(<= (p ?r noop) (q a))", ["r"]),
    ],
)
def test_unsafe_variables_of_one_rule(text: str, unsafe: list[str]) -> None:
    rule = parse_rules(text).rules[0]
    assert [variable.name for variable, _ in unsafe_variables(rule)] == unsafe


def test_an_unsafe_rule_that_nothing_needs_is_left_out() -> None:
    game = "(role a)(<= (legal ?r noop) (role ?r))(<= (goal ?r 100) (role ?r) u)(<= terminal b)b"
    rule = "(<= (h ?x) b)"
    codes = {f.code: f for f in check_rules(parse_rules(f"{game}(<= u b){rule}"))}
    assert codes["unsafe-variable"].severity == "nonstandard"
    assert "left out" in codes["unsafe-variable"].message
    assert "h" not in {r.head.name for r in check_text(f"{game}(<= u b){rule}(h ?x)")[0]}
    codes = {f.code: f for f in check_rules(parse_rules(f"{game}(<= u (h a)){rule}"))}
    assert codes["unsafe-variable"].severity == "error"


SUCCESSORS = "(s 0 1) (s 1 2)\n"


@pytest.mark.parametrize(
    "text",
    [
        # Each argument of a recursive sentence is one of the head's ...
        "(<= (q (f ?x)) (q (f ?x)))",
        # ... or of a sentence that is not recursive ...
        "(<= (q ?x) (q ?y) (s ?y ?x))",
        "(<= (q ?x ?z) (q ?x ?y) (s ?y ?z))",
        "(<= (q (f ?x)) (q ?x) (s ?x ?y))",
        "(<= (q (f ?x)) (q (g ?x)) (r (g ?x)))",
        # ... in every branch of an or, or in its own ...
        "(<= (q (f ?x)) (q ?x) (or (s ?x 1) (and (r b) (s 1 ?x))))",
        "(<= (q (f ?x)) (or (and (q ?x) (s ?x 1)) (r ?x)))",
        # ... or ground.
        "(<= (q (f ?x)) (q (g a)) (r ?x))",
        # No cycle, no restriction.
        "(<= (q (f ?x)) (r ?x))",
        # Through next and true the state changes, it is no recursion.
        "(<= (next (n (f ?x))) (true (n ?x)))",
    ],
)
def test_recursion_that_must_end_is_accepted(text: str) -> None:
    assert codes(SUCCESSORS + "(r a)\n" + text) == []


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("(<= (q (f ?x)) (q ?x))", [19]),
        ("(<= (q ?x ?z) (q ?x ?y) (q ?y ?z))", [21, 28]),
        ("(<= (q (f ?x)) (u ?x)) (<= (u ?x) (q ?x))", [19]),
        ("(<= (q (f ?x)) (q ?x) (not (s ?x 1)))", [19]),
        ("(<= (q (f ?x)) (q ?x) (or (s ?x 1) (r b)))", [19]),
        ("(<= (q (f ?x)) (or (q ?x) (s 1 ?x)))", [23]),
        ("(<= (q ?x) (q (f ?x)))", [15]),
    ],
)
def test_recursion_without_a_bound_is_found(text: str, columns: list[int]) -> None:
    expected = [("recursion-restriction", 1, column) for column in columns]
    assert [place for place in places(text) if place[0] == "recursion-restriction"] == expected


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("(<= (q (f ?x)) (q ?x))", "error"),
        ("(<= (q (f ?x)) (u ?x)) (<= (u ?x) (q ?x))", "error"),
        ("(<= (q (f ?x) ?y) (q ?x ?z) (q ?z ?y))", "error"),
        # No term can grow: nothing is wrapped, or only what stands in the recursive sentence.
        ("(<= (q ?x ?z) (q ?x ?y) (q ?y ?z))", "nonstandard"),
        ("(<= (q ?x) (q (f ?x)))", "nonstandard"),
        ("(<= (q (f ?x)) (q (g (f ?x))))", "nonstandard"),
    ],
)
def test_recursion_is_refused_only_where_terms_may_grow(text: str, severity: str) -> None:
    needed = f"{MINIMAL}{SUCCESSORS}{text}(<= (next z) (or (q ?a) (q ?a ?b)))"
    found = [f for f in check_text(needed)[1] if f.code == "recursion-restriction"]
    assert {f.severity for f in found} == {severity}


@pytest.mark.parametrize(
    "text",
    [
        "(<= (h ?x ?n) (true (on ?x ?y)) (h ?y ?m) (s ?m ?n))",
        "(<= (h ?x) (true (on (f ?x) (g ?y))) (h (k ?y)))",
        "(<= (h ?x) (or (true (on ?x ?y)) (true (on ?y ?x))) (h ?y))",
    ],
)
def test_recursion_through_the_state_is_bound_by_it(text: str) -> None:
    assert codes(SUCCESSORS + text) == []


def test_what_only_one_branch_binds_is_not_bound() -> None:
    text = "(<= (h (f ?y)) (or (true (on ?y)) (true p)) (h ?y)) (<= (next z) (h ?a))"
    found = [f for f in findings(text) if f.code == "recursion-restriction"]
    assert [f.severity for f in found] == ["error"]


@pytest.mark.parametrize(
    "text",
    [
        "(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))",
        "(<= (goal ?r 0) (role ?r) (not (goal ?r 100)) (not (goal ?r 50)))"
        "(<= (goal ?r 50) (role ?r) (not (goal ?r 100)))",
        "(<= q (not r)) (<= r (not t)) (<= t (true p))",
        "(<= (next q) (not (true q)))",
        "(<= (q a) (not (q b))) (<= (q b) (not (q c)))",
        "(<= q (r a)) (<= (r ?x) (r ?x) (s ?x 1)) (<= t (not q))",
    ],
)
def test_stratified_negation_is_accepted(text: str) -> None:
    assert codes(SUCCESSORS + text) == []


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("(<= foo (not foo))", [14]),
        ("(<= foo (not bar)) (<= bar (not foo))", [14, 33]),
        ("(<= foo (not bar)) (<= bar baz) (<= baz foo)", [14]),
        ("(<= foo (or (true p) (not bar))) (<= bar foo)", [27]),
        ("(<= (q ?x) (s ?x 1) (not (q ?x)))", [26]),
        ("(<= (q ?x) (s ?x 1) (not (r ?x))) (<= (r ?y) (s ?y ?z) (q ?y))", [26]),
        ("(<= (goal ?r 0) (role ?r) (not (goal ?r 0)))", [32]),
    ],
)
def test_negation_that_depends_on_itself_is_refused(text: str, columns: list[int]) -> None:
    needed = "\n(<= (next z) (or foo (q ?any)))"
    found = findings(SUCCESSORS + text + needed)
    assert {(f.severity, f.code) for f in found} == {("error", "unstratified-negation")}
    assert [f.position.column for f in found] == columns


def test_negation_that_depends_on_itself_where_nothing_needs_it_is_left_out() -> None:
    rules, found = check_text(MINIMAL + "(<= foo (true p) baz) (<= baz (true p) (not foo))")
    (finding,) = (f for f in found if f.code == "unstratified-negation")
    assert finding.severity == "nonstandard"
    assert "left out" in finding.message
    assert {r.head.name for r in rules} & {"foo", "baz"} == {"foo"}


def test_negation_that_only_grounding_can_judge_is_a_warning() -> None:
    text = SUCCESSORS + "(<= (win ?x) (s ?x ?y) (not (win ?y)))"
    found = findings(text)
    assert [(f.severity, f.code) for f in found] == [("warning", "doubtful-negation")]
    assert "grounding" in found[0].message


def test_recursion_and_negation_are_found_through_long_chains_of_rules() -> None:
    chain = "".join(f"(<= q{i} q{i + 1})" for i in range(1500))
    rules = parse_rules(f"{MINIMAL}{chain}(<= q1500 (not q0))")
    assert [f.code for f in check_rules(rules)] == ["unstratified-negation"]


def _small(leaves: list[Term]) -> st.SearchStrategy[Term]:
    """Return terms of few names, so that many pairs do unify."""
    base: st.SearchStrategy[Term] = st.sampled_from(leaves)
    return st.recursive(
        base,
        lambda inner: st.builds(
            Compound,
            st.sampled_from(["f", "g"]),
            st.lists(inner, min_size=1, max_size=3).map(tuple),
        ),
        max_leaves=8,
    )


_SMALL_TERMS = _small([Variable("x"), Variable("y"), Symbol("a"), Symbol("b")])
_GROUND = _small([Symbol("a"), Symbol("b")])


@given(_SMALL_TERMS, _TERMS)
def test_unification_is_symmetric(left: Term, right: Term) -> None:
    assert may_unify(left, right) == may_unify(right, left)


@given(terms())
def test_a_term_unifies_with_itself(term: Term) -> None:
    assert may_unify(term, term)


@given(_SMALL_TERMS, _GROUND, _GROUND)
def test_a_term_unifies_with_its_instances(term: Term, x: Term, y: Term) -> None:
    assert may_unify(term, instance(term, {"x": x, "y": y}))


@given(_GROUND, _GROUND)
def test_ground_terms_unify_only_if_equal(left: Term, right: Term) -> None:
    assert may_unify(left, right) == (left == right)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("(goal ?r 0)", "(goal ?r 100)", False),
        ("(goal ?r 0)", "(goal white ?v)", True),
        ("(p ?x ?x)", "(p a b)", False),
        ("(p ?x ?x)", "(p ?y b)", True),
        ("(p ?x a)", "(p b ?x)", True),
        ("(p ?x (f ?x) (f a))", "(p ?y ?z ?z)", True),
        ("(p ?x (f ?x) ?x)", "(p a ?z b)", False),
        ("(p (f ?x))", "(p (g ?x))", False),
        ("(p a)", "(p a a)", False),
        ("p", "(p a)", False),
        ("?x", "(p ?x)", True),
    ],
)
def test_pairs_with_known_answers(left: str, right: str, expected: bool) -> None:
    assert may_unify(parse_term(left), parse_term(right)) is expected


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("(p ?x ?x ?x)", "(p ?a (f ?a) (f (f ?a)))"),
        ("(p ?x ?x ?y ?y ?x)", "(p ?a (f ?a) ?b (f ?b) ?b)"),
    ],
)
def test_terms_without_an_end_do_not_keep_it_going(left: str, right: str) -> None:
    assert may_unify(parse_term(left), parse_term(right))


def test_terms_that_double_in_every_argument_do_not_take_forever() -> None:
    count = 40
    left = " ".join(f"?x{i}" for i in range(1, count)) + " ?x1 ?y1"
    doubled = " ".join(f"(f ?x{i} ?x{i})" for i in range(count - 1))
    term = parse_term(f"(p {left} {left})")
    assert may_unify(term, parse_term(f"(p {doubled} ?u ?v {doubled} ?u ?v)"))
