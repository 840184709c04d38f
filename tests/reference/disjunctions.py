"""Disjunctions of rules, expanded: one rule per conjunction."""

from __future__ import annotations

from itertools import product
from math import prod

from neurogame.errors import LimitError
from neurogame.gdl.terms import And, Formula, Not, Or, Rule

MOST_BRANCHES = 4096
"""Most conjunctions that the disjunctions of one rule may expand to."""


def without_or(rule: Rule, source: str) -> list[Rule]:
    """Return a rule as rules whose bodies hold sentences, ``not`` and ``distinct`` only.

    Args:
        rule: the rule.
        source: file name for messages.

    Raises:
        LimitError: there are too many.
    """
    body = And(rule.body)
    if _branch_counts(body)[1] > MOST_BRANCHES:
        place = f"{source}:{rule.position.line}:{rule.position.column}"
        raise LimitError(
            f"{place}: the disjunctions of this rule expand to more than {MOST_BRANCHES:,} "
            "conjunctions; name a disjunction by a relation of its own"
        )
    return [Rule(rule.head, branch, rule.position) for branch in _branches(body)]


def _branches(formula: Formula) -> list[tuple[Formula, ...]]:
    """Return the disjunctive normal form of a formula: one tuple of literals per branch."""
    if isinstance(formula, Or):
        return [branch for inner in formula.formulas for branch in _branches(inner)]
    if isinstance(formula, And):
        choices = product(*(_branches(inner) for inner in formula.formulas))
        return [tuple(lit for part in choice for lit in part) for choice in choices]
    if isinstance(formula, Not) and isinstance(formula.formula, Not):
        return _branches(formula.formula.formula)
    if isinstance(formula, Not) and isinstance(formula.formula, Or):
        return _branches(And(tuple(Not(inner) for inner in formula.formula.formulas)))
    if isinstance(formula, Not) and isinstance(formula.formula, And):
        return _branches(Or(tuple(Not(inner) for inner in formula.formula.formulas)))
    return [(formula,)]


def _branch_counts(formula: Formula, negated: bool = False) -> tuple[int, int]:
    """Return how many branches a formula has, and the most that a part of it has."""
    if isinstance(formula, Not):
        return _branch_counts(formula.formula, not negated)
    if not isinstance(formula, Or | And):
        return 1, 1
    counts = [_branch_counts(inner, negated) for inner in formula.formulas]
    own = [count for count, _ in counts]
    total = sum(own) if isinstance(formula, Or) is not negated else prod(own)
    return total, max(total, *(most for _, most in counts)) if counts else total
