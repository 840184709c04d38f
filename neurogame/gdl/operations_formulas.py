"""Bodies of operation notation as conjunctions of ordinary literals: one for each alternative.

Negations are pushed inwards, and disjunctions are split where a branch is not a literal of
ordinary GDL, or is an equation: ``same(X, Y)`` is carried out by putting one term in the place of
the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

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
from neurogame.gdl.walk import variables_in

MAXIMUM_ALTERNATIVES = 1000
"""Most rules that one rule is split into."""

SAME = ("same", 2)

Substitution: TypeAlias = Mapping[str, Term]


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
    whole = _positive(And(tuple(body)), sentence)
    rows = _rows(whole)
    return None if rows is None else [tuple(row) for row in rows]


def _positive(
    formula: Formula, sentence: Callable[[Sentence, bool], Formula], negated: bool = False
) -> Formula:
    """Return a formula, or its negation, with negations at sentences alone."""
    if isinstance(formula, Not):
        return _positive(formula.formula, sentence, not negated)
    if isinstance(formula, And | Or):
        kind = And if isinstance(formula, And) != negated else Or
        parts = (_positive(part, sentence, negated) for part in formula.formulas)
        return kind(tuple(parts), formula.position)
    if isinstance(formula, Distinct):
        if negated:
            return Compound(SAME[0], (formula.left, formula.right), formula.position)
        return formula
    return sentence(formula, negated)


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
        found: list[list[Formula]] = []
        for part in formula.formulas:
            inner = _rows(part)
            if inner is None or len(found) + len(inner) > MAXIMUM_ALTERNATIVES:
                return None
            found += inner
        return found
    return [[formula]]


def _is_plain(formula: Formula) -> bool:
    """Return whether a formula may stand in a disjunction of ordinary GDL."""
    return not isinstance(formula, And | Or) and not is_same(formula)


def is_same(formula: Formula) -> bool:
    """Return whether a formula is an equation."""
    return isinstance(formula, Compound) and (formula.name, len(formula.arguments)) == SAME


def without_same(rule: Rule) -> Rule | None:
    """Return a rule with its equations carried out; None if one of them cannot hold."""
    bound: dict[str, Term] = {}
    body: list[Formula] = []
    for literal in rule.body:
        if isinstance(literal, Compound) and is_same(literal):
            left, right = literal.arguments
            if not _unify(left, right, bound):
                return None
        else:
            body.append(literal)
    if not bound:
        return Rule(rule.head, tuple(body), rule.position)
    head = replaced(rule.head, bound)
    assert isinstance(head, Symbol | Compound)
    return Rule(head, tuple(replaced_in(part, bound) for part in body), rule.position)


def _unify(left: Term, right: Term, bound: dict[str, Term]) -> bool:
    left, right = replaced(left, bound), replaced(right, bound)
    if isinstance(right, Variable) and not isinstance(left, Variable):
        left, right = right, left
    if isinstance(left, Variable):
        if left == right:
            return True
        if any(left == part for part in variables_in(right)):
            return False
        change = {left.name: right}
        for name in bound:
            bound[name] = replaced(bound[name], change)
        bound[left.name] = right
        return True
    if isinstance(left, Symbol) or isinstance(right, Symbol):
        return left == right
    assert isinstance(right, Compound)
    if (left.name, len(left.arguments)) != (right.name, len(right.arguments)):
        return False
    pairs = zip(left.arguments, right.arguments, strict=True)
    return all(_unify(one, other, bound) for one, other in pairs)


def replaced(term: Term, bound: Substitution) -> Term:
    """Return a term with terms in the place of variables; it stays where it stands."""
    if isinstance(term, Variable):
        return bound.get(term.name, term)
    if isinstance(term, Symbol):
        return term
    arguments = tuple(replaced(argument, bound) for argument in term.arguments)
    return Compound(term.name, arguments, term.position)


def replaced_in(formula: Formula, bound: Substitution) -> Formula:
    """Return a formula with terms in the place of variables."""
    if isinstance(formula, Not):
        return Not(replaced_in(formula.formula, bound), formula.position)
    if isinstance(formula, Distinct):
        left, right = replaced(formula.left, bound), replaced(formula.right, bound)
        return Distinct(left, right, formula.position)
    if isinstance(formula, And | Or):
        parts = tuple(replaced_in(part, bound) for part in formula.formulas)
        return type(formula)(parts, formula.position)
    sentence = replaced(formula, bound)
    assert isinstance(sentence, Symbol | Compound)
    return sentence
