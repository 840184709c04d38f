"""In which order the literals of a body are looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from neurogame.gdl.terms import Compound, Formula, Symbol
from neurogame.gdl.walk import relation_of, variable_names
from neurogame.prover.values import Predicate

_NOT_YET = (9, 0.0)


def ordered(
    body: Sequence[Formula], bound: Collection[str], is_stored: Callable[[Predicate], bool]
) -> list[Formula]:
    """Return a body in an order in which tests come as soon as their variables are known.

    Among the sentences the one with the fewest unknown variables comes next, stored ones before
    derived ones, in the order of the rulesheet where nothing else decides: rules are often written
    for a prover.

    Args:
        body: sentences, ``not`` and ``distinct`` of a safe rule.
        bound: the variables that are known from the question.
        is_stored: whether all that holds of a predicate is given.
    """
    rest = list(body)
    known = set(bound)
    order: list[Formula] = []
    while rest:
        costs = [_cost(literal, known, is_stored) for literal in rest]
        order.append(rest.pop(costs.index(min(costs))))
        known.update(variable_names(order[-1]))
    return order


def _cost(
    literal: Formula, known: set[str], is_stored: Callable[[Predicate], bool]
) -> tuple[int, float]:
    names = variable_names(literal)
    free = len(names - known)
    if not isinstance(literal, Symbol | Compound):
        return _NOT_YET if free else (0, 0.0)
    derived = 0.0 if is_stored(relation_of(literal)) else 0.5
    if free == 0 or literal.name == "does":
        return (1, free + derived)
    if not known or names & known:
        return (2, free + derived)
    # A sentence that shares no variable with what is known multiplies: a cross product. Stored
    # rows are few, though, beside a question that would have to be asked with less known.
    return (3, free + derived) if derived else (2, free + 0.25)
