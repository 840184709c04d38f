"""Random rulesheets for properties: valid syntax, arbitrary sense."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Rules,
    Sentence,
    Symbol,
    Term,
    Variable,
)

NAMES = st.one_of(
    st.sampled_from(["true", "next", "does", "role", "goal", "p", "q", "cell", "0", "100", "-7"]),
    st.text("abcxyz0189_-+<>=*.'\"é|", min_size=1, max_size=5),
).filter(lambda name: name not in {"<=", "not", "or", "and", "distinct"})

VARIABLES = st.text("abxyz019_-?", min_size=1, max_size=3).map(Variable)


def _compounds(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Compound]:
    arguments = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.builds(Compound, NAMES, arguments)


def terms() -> st.SearchStrategy[Term]:
    """Return terms of any depth."""
    leaves: st.SearchStrategy[Term] = st.one_of(VARIABLES, st.builds(Symbol, NAMES))
    return st.recursive(leaves, _compounds, max_leaves=8)


def sentences() -> st.SearchStrategy[Sentence]:
    """Return atomic sentences."""
    return st.one_of(st.builds(Symbol, NAMES), _compounds(terms()))


def formulas() -> st.SearchStrategy[Formula]:
    """Return literals and nested connectives, empty ones too."""
    leaves: st.SearchStrategy[Formula] = st.one_of(
        sentences(), st.builds(Distinct, terms(), terms())
    )

    def extend(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        several = st.lists(inner, max_size=3).map(tuple)
        return st.one_of(st.builds(Not, inner), st.builds(Or, several), st.builds(And, several))

    return st.recursive(leaves, extend, max_leaves=5)


def rulesheets() -> st.SearchStrategy[Rules]:
    """Return rulesheets of a few rules."""
    bodies = st.lists(formulas(), max_size=3).map(tuple)
    rules = st.lists(st.builds(Rule, sentences(), bodies), max_size=5).map(tuple)
    return st.builds(Rules, rules)


def instance(term: Term, values: Mapping[str, Term]) -> Term:
    """Return a term with its variables replaced."""
    if isinstance(term, Variable):
        return values[term.name]
    if isinstance(term, Symbol):
        return term
    return Compound(term.name, tuple(instance(a, values) for a in term.arguments))
