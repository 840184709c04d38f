"""Equalities in a body: ``(not (distinct left right))`` solved by unification.

GDL negates sentences only, so such a literal is nonstandard; some public rulesheets have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from neurogame.errors import GroundingError
from neurogame.gdl.graph import strong_components
from neurogame.gdl.terms import (
    Compound,
    Rule,
    Term,
    Variable,
)
from neurogame.gdl.walk import substitute, substitute_in, term_size, variable_names

MAXIMUM_SIZE = 100
"""Most names in a term that equalities build: ``x = f(y, y), y = f(z, z), ...`` doubles."""

MAXIMUM_STEPS = 100_000
"""Most pairs of subterms compared: in terms that double, there are as many as names."""


def solve_equalities(pairs: Iterable[tuple[Term, Term]]) -> dict[str, Term] | None:
    """Return the most general way to make both terms of all pairs equal.

    Args:
        pairs: terms over the same variables.

    Returns:
        The term of each variable that is not free, or None if there is no way.

    Raises:
        GroundingError: if a term would become larger than :data:`MAXIMUM_SIZE`, or there is
            too much to compare.

    Reference:
        J. A. Robinson, A machine-oriented logic based on the resolution principle (1965).
    """
    bound: dict[str, Term] = {}
    todo = list(pairs)
    steps = 0
    while todo:
        steps += 1
        if steps > MAXIMUM_STEPS:
            raise _too_large()
        left, right = (_resolve(term, bound) for term in todo.pop())
        if isinstance(left, Variable) or isinstance(right, Variable):
            if left != right:
                variable, term = (left, right) if isinstance(left, Variable) else (right, left)
                assert isinstance(variable, Variable)
                if isinstance(term, Compound) and _occurs(variable, term, bound):
                    return None
                bound[variable.name] = term
        elif isinstance(left, Compound) and isinstance(right, Compound):
            if left.name != right.name or len(left.arguments) != len(right.arguments):
                return None
            todo += zip(left.arguments, right.arguments, strict=True)
        elif left != right:
            return None
    solved: dict[str, Term] = {}
    for name in _inner_first(bound):
        solved[name] = substitute(bound[name], solved)
        if term_size(solved[name]) > MAXIMUM_SIZE:
            raise _too_large()
    return solved


def with_equal_terms(rule: Rule, pairs: Iterable[tuple[Term, Term]]) -> Rule | None:
    """Return a rule in which both terms of all pairs are the same; None if there is no way.

    Raises:
        GroundingError: see :func:`solve_equalities`.
    """
    solved = solve_equalities(pairs)
    if not solved:
        return None if solved is None else rule
    head = substitute(rule.head, solved)
    assert not isinstance(head, Variable)
    body = tuple(substitute_in(formula, solved) for formula in rule.body)
    return Rule(head, body, rule.position)


def _resolve(term: Term, bound: Mapping[str, Term]) -> Term:
    while isinstance(term, Variable) and term.name in bound:
        term = bound[term.name]
    return term


def _occurs(variable: Variable, term: Term, bound: Mapping[str, Term]) -> bool:
    """Return whether a variable stands in a term, through the variables that are bound."""
    seen: set[str] = set()
    todo = variable_names(term)
    while todo:
        name = todo.pop()
        if name == variable.name:
            return True
        if name not in seen:
            seen.add(name)
            todo |= variable_names(bound[name]) if name in bound else set()
    return False


def _inner_first(bound: Mapping[str, Term]) -> list[str]:
    """Order the variables so that each comes after those in its term."""
    uses = {name: [v for v in variable_names(term) if v in bound] for name, term in bound.items()}
    return [name for (name,) in strong_components(list(uses), uses)]


def _too_large() -> GroundingError:
    return GroundingError(
        f"the equalities (not (distinct ...)) of a rule build terms of more than {MAXIMUM_SIZE:,} "
        "names; write the same variable in both places instead"
    )
