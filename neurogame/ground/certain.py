"""What surely holds of relations that depend on the state, so that its denial is known beforehand.

"Two pieces clash if they stand side by side, or if nothing stands between two that clash": where
they stand side by side no state matters. Domains take as true whatever is denied and depends on
the state; if of eight columns no two neighbours may clash, that is 16.8 million combinations
instead of some 900,000. So the part of a relation that its rules derive from known relations alone
becomes a relation of its own, and what denies the whole denies the part, too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from neurogame.ground.clauses import Clause, Literal, by_head, variables_of

WIDE = 7
"""Variables of a rule from which this is done."""


def with_certain(
    clauses: Sequence[Clause], dynamic: Collection[str], known: Collection[str]
) -> tuple[list[Clause], set[str]]:
    """Return equivalent clauses that deny what surely holds, and the relations of that.

    Args:
        clauses: clauses of a rulesheet.
        dynamic: relations that depend on the state.
        known: relations that do not, and are derived as a whole.
    """
    moving = (c for c in clauses if c.head.predicate in dynamic)
    sure = by_head(c for c in moving if all(x.predicate in known for x in c.body))
    wide = [c for c in clauses if len({*variables_of(c.terms)}) >= WIDE]
    denied = {x.predicate for c in wide for x in c.body if x.negated and x.predicate in sure}
    equivalents = [replace(c, head=_part(c.head)) for p in sorted(denied) for c in sure[p]]
    for clause in clauses:
        parts = [_part(x) for x in clause.body if x.negated and x.predicate in denied]
        also = parts if clause in wide else []
        equivalents.append(replace(clause, body=(*clause.body, *also)) if also else clause)
    return equivalents, {_part(Literal(p, ())).predicate for p in denied}


def _part(literal: Literal) -> Literal:
    """Return the literal about the part that surely holds."""
    return replace(literal, predicate=f"*sure.{literal.predicate}")
