"""Narrowing: static relations are unfolded where a rule becomes narrower by it.

"Some other cell than this one is attacked" joins all pairs of cells through a relation such as
``different_cells``, four variables at once. That two cells differ in their column or in their row
is two rules, and each of them falls into parts with fewer variables.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from neurogame.ground.clauses import Clause, variables_of
from neurogame.ground.limits import Watch
from neurogame.ground.split import split_clauses
from neurogame.ground.unfold import definitions_of, unfolded_at

DEFINITIONS = 4
"""Most clauses of a relation that is unfolded: the rule becomes so many rules."""

WORTH = 6
"""Variables of a rule from which narrowing it is worth trying."""


def narrow(clauses: Sequence[Clause], dynamic: Collection[str], watch: Watch) -> list[Clause]:
    """Return equivalent clauses, some of them narrower.

    Args:
        clauses: clauses of a rulesheet, not split.
        dynamic: relations that depend on the state: these are not unfolded.
        watch: limits.

    Raises:
        LimitError: if a limit is reached.
    """
    definitions = {
        p: own
        for p, own in definitions_of(clauses).items()
        if p not in dynamic and 1 < len(own) <= DEFINITIONS and any(c.distinct for c in own)
    }
    found: list[Clause] = []
    for clause in clauses:
        todo = [clause]
        while todo:
            own = todo.pop()
            copies = _narrower(own, definitions, watch) if own.head.predicate in dynamic else []
            todo += reversed(copies)
            if not copies:
                found.append(own)
    return found


def _narrower(
    clause: Clause, definitions: Mapping[str, Sequence[Clause]], watch: Watch
) -> list[Clause]:
    """Return what a clause becomes if one unfolding makes it narrower; nothing if none does."""
    places = [
        place for place, x in enumerate(clause.body) if not x.negated and x.predicate in definitions
    ]
    width = _width([clause], watch) if places else 0
    if width < WORTH:
        return []
    for place in places:
        copies = unfolded_at(clause, place, definitions[clause.body[place].predicate])
        if _width(copies, watch) < width:
            return copies
    return []


def _width(clauses: Sequence[Clause], watch: Watch) -> int:
    """Return how many variables the widest part of some clauses has once they are split."""
    parts = split_clauses(list(clauses), watch)
    return max((len(_variables(part)) for part in parts), default=0)


def _variables(clause: Clause) -> set[str]:
    return {v for x in (clause.head, *clause.body) for v in variables_of(x.arguments)}
