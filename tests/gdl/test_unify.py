"""Unification: symmetric, right on instances, and always ending."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.gdl.parse import parse_term
from neurogame.gdl.terms import Compound, Symbol, Term, Variable
from neurogame.gdl.unify import may_unify
from tests.gdl.strategies import terms


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


_TERMS = _small([Variable("x"), Variable("y"), Symbol("a"), Symbol("b")])
_GROUND = _small([Symbol("a"), Symbol("b")])


def _instance(term: Term, values: dict[str, Term]) -> Term:
    if isinstance(term, Variable):
        return values[term.name]
    if isinstance(term, Symbol):
        return term
    return Compound(term.name, tuple(_instance(a, values) for a in term.arguments))


@given(_TERMS, _TERMS)
def test_unification_is_symmetric(left: Term, right: Term) -> None:
    assert may_unify(left, right) == may_unify(right, left)


@given(terms())
def test_a_term_unifies_with_itself(term: Term) -> None:
    assert may_unify(term, term)


@given(_TERMS, _GROUND, _GROUND)
def test_a_term_unifies_with_its_instances(term: Term, x: Term, y: Term) -> None:
    instance = _instance(term, {"x": x, "y": y})
    assert may_unify(term, instance)


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
