"""Disjunctions of rules, expanded: one conjunction of literals after the other."""

from __future__ import annotations

from itertools import chain, product
from math import prod

from neurogame.errors import NeurogameError
from neurogame.gdl.terms import And, Formula, Or, Rule
from neurogame.gdl.walk import negated_if, with_negations_inside

MAX_BRANCHES = 4096
"""Most conjunctions that the disjunctions of one rule may expand to."""

MAX_LITERALS = 200_000
"""Most literals of all those conjunctions together."""


def branches_of(rule: Rule, source: str, error: type[NeurogameError]) -> list[list[Formula]]:
    """Return the disjunctive normal form of a body; negations stand before atoms only.

    The size is computed first, so that nothing large is ever built.

    Args:
        rule: the rule.
        source: file name for messages.
        error: what is raised where the form would be too large.
    """
    body = with_negations_inside(And(rule.body), negated_if)
    branches, literals = _expanded_size(body)
    if branches > MAX_BRANCHES or literals > MAX_LITERALS:
        where = f"{source}:{rule.position.line}:{rule.position.column}"
        count = f"{branches:,}" if branches < 10**18 else "far more than 10^18"
        raise error(
            f"{where}: the disjunctions of this rule expand to {count} conjunctions, at most "
            f"{MAX_BRANCHES:,} with {MAX_LITERALS:,} literals are allowed; name a disjunction by "
            "a relation of its own"
        )
    return _expanded(body)


def _expanded_size(formula: Formula) -> tuple[int, int]:
    """Return the number of branches of the normal form, and of their literals."""
    if not isinstance(formula, Or | And):
        return 1, 1
    sizes = list(map(_expanded_size, formula.formulas))
    if isinstance(formula, Or):
        return sum(branches for branches, _ in sizes), sum(literals for _, literals in sizes)
    total = prod(branches for branches, _ in sizes)
    return total, sum(literals * (total // branches) for branches, literals in sizes if branches)


def _expanded(formula: Formula) -> list[list[Formula]]:
    if not isinstance(formula, Or | And):
        return [[formula]]
    if isinstance(formula, Or):
        return [branch for part in formula.formulas for branch in _expanded(part)]
    if not _expanded_size(formula)[0]:
        # A part without branches is false; the others may be huge.
        return []
    parts = map(_expanded, formula.formulas)
    return [list(chain.from_iterable(branch)) for branch in product(*parts)]
