"""Safety of variables: hand-made cases, and a twin that expands every disjunction."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.gdl.check import check_rules, check_text
from neurogame.gdl.parse import parse_rules
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
    Variable,
)
from neurogame.gdl.walk import arguments_of, relation_of, variables_in

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
