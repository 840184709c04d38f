"""Bodies of operation notation as conjunctions of ordinary literals: one for each alternative.

Negations are pushed inwards, and disjunctions are split where a branch is not a literal of
ordinary GDL, or is an equation: ``same(X, Y)`` is carried out by putting one term in the place of
the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from neurogame.gdl.equality import with_equal_terms
from neurogame.gdl.operations_words import AND, DISTINCT, NOT, OR
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
from neurogame.gdl.walk import with_negations_inside

MAXIMUM_ALTERNATIVES = 1000
"""Most rules that one rule is split into."""

SAME = ("same", 2)


def formula_of(term: Term) -> Formula | None:
    """Return the formula that :func:`~neurogame.gdl.operations_words.as_term` made a term of."""
    if isinstance(term, Variable):
        return None
    if isinstance(term, Symbol) or term.name not in (NOT, AND, OR, DISTINCT):
        return term
    if term.name == DISTINCT:
        left, right = term.arguments
        return Distinct(left, right, term.position)
    parts = [formula_of(argument) for argument in term.arguments]
    formulas = tuple(part for part in parts if part is not None)
    if len(formulas) < len(parts):
        return None
    if term.name == NOT:
        return Not(formulas[0], term.position)
    return (And if term.name == AND else Or)(formulas, term.position)


def alternatives(
    body: Sequence[Formula], sentence: Callable[[Sentence, bool], Formula]
) -> list[tuple[Formula, ...]] | None:
    """Return a body as a disjunction of conjunctions of literals.

    Args:
        body: formulas, read as their conjunction.
        sentence: makes a formula of a sentence; it is told whether the sentence is negated, and
            negates by itself.

    Returns:
        The literals of each conjunction; they may have disjunctions of literals among them. None
        if there are more than :data:`MAXIMUM_ALTERNATIVES`.
    """

    def leaf(formula: Sentence | Distinct, negated: bool) -> Formula:
        if not isinstance(formula, Distinct):
            return sentence(formula, negated)
        if negated:
            return Compound(SAME[0], (formula.left, formula.right), formula.position)
        return formula

    rows = _rows(with_negations_inside(And(tuple(body)), leaf))
    return None if rows is None else [tuple(row) for row in rows]


def _rows(formula: Formula) -> list[list[Formula]] | None:
    if isinstance(formula, And):
        factors = [_rows(part) for part in formula.formulas]
        rows: list[list[Formula]] = [[]]
        for factor in factors:
            if factor is None or len(rows) * len(factor) > MAXIMUM_ALTERNATIVES:
                return None
            rows = [left + right for left, right in itertools.product(rows, factor)]
        return rows
    if isinstance(formula, Or) and not all(_is_plain(part) for part in formula.formulas):
        alternatives: list[list[Formula]] = []
        for part in formula.formulas:
            inner = _rows(part)
            if inner is None or len(alternatives) + len(inner) > MAXIMUM_ALTERNATIVES:
                return None
            alternatives += inner
        return alternatives
    return [[formula]]


def _is_plain(formula: Formula) -> bool:
    """Return whether a formula may stand in a disjunction of ordinary GDL."""
    return not isinstance(formula, And | Or) and not is_same(formula)


def is_same(formula: Formula) -> bool:
    """Return whether a formula is an equation."""
    return isinstance(formula, Compound) and (formula.name, len(formula.arguments)) == SAME


def without_same(rule: Rule) -> Rule | None:
    """Return a rule with its equations carried out; None if one of them cannot hold.

    Raises:
        GroundingError: the terms would become too large.
    """
    equal: list[tuple[Term, Term]] = []
    body: list[Formula] = []
    for literal in rule.body:
        if isinstance(literal, Compound) and is_same(literal):
            left, right = literal.arguments
            equal.append((left, right))
        else:
            body.append(literal)
    return with_equal_terms(Rule(rule.head, tuple(body), rule.position), equal)
