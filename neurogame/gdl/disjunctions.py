"""Disjunctions of rules, expanded: one conjunction of literals after the other."""

from __future__ import annotations

from itertools import chain, product
from math import prod

from neurogame.errors import NeurogameError
from neurogame.gdl.terms import And, Formula, Not, Or, Rule

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
    body = And(rule.body)
    branches, literals = _expanded_size(body, negated=False)
    if branches > MAX_BRANCHES or literals > MAX_LITERALS:
        where = f"{source}:{rule.position.line}:{rule.position.column}"
        count = f"{branches:,}" if branches < 10**18 else "far more than 10^18"
        raise error(
            f"{where}: the disjunctions of this rule expand to {count} conjunctions, at most "
            f"{MAX_BRANCHES:,} with {MAX_LITERALS:,} literals are allowed; name a disjunction by "
            "a relation of its own"
        )
    return _expanded(body, negated=False)


def _is_choice(formula: Or | And, negated: bool) -> bool:
    """Return whether one part is enough: of an ``or``, or of a negated ``and``."""
    return isinstance(formula, Or) is not negated


def _expanded_size(formula: Formula, negated: bool) -> tuple[int, int]:
    """Return the number of branches of the normal form, and of their literals."""
    if isinstance(formula, Not):
        return _expanded_size(formula.formula, not negated)
    if not isinstance(formula, Or | And):
        return 1, 1
    sizes = [_expanded_size(part, negated) for part in formula.formulas]
    if _is_choice(formula, negated):
        return sum(branches for branches, _ in sizes), sum(literals for _, literals in sizes)
    total = prod(branches for branches, _ in sizes)
    return total, sum(literals * (total // branches) for branches, literals in sizes if branches)


def _expanded(formula: Formula, negated: bool) -> list[list[Formula]]:
    if isinstance(formula, Not):
        return _expanded(formula.formula, not negated)
    if not isinstance(formula, Or | And):
        return [[Not(formula, formula.position) if negated else formula]]
    if _is_choice(formula, negated):
        return [branch for part in formula.formulas for branch in _expanded(part, negated)]
    if not _expanded_size(formula, negated)[0]:
        # A part without branches is false; the others may be huge.
        return []
    parts = [_expanded(part, negated) for part in formula.formulas]
    return [list(chain.from_iterable(branch)) for branch in product(*parts)]
