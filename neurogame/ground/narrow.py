"""Narrower rules: what ties many variables of a rule together is taken apart before it is split.

A rule has as many instances as its widest part has values of its variables. "Some piece on another
cell threatens this one" ties both cells together by "the files differ, or the ranks differ". Said
of files and of ranks alone it falls into two rules, of each of which one coordinate of the other
cell goes away before the rest is looked at: a relation that does not depend on the state is
replaced by its definitions where that leaves much less to be tied. So that this is done once for
all kinds of pieces, rules that are alike but for one relation share it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import final

from neurogame.gdl.terms import Variable
from neurogame.ground.clauses import Clause, Literal, variables_of
from neurogame.ground.limits import Watch
from neurogame.ground.split import split_clauses
from neurogame.ground.unfold import definitions_of, unfolded_at

WIDE = 9
"""Variables of one part of a rule, after splitting, from which narrower rules are looked for."""

NARROW = 7
"""Most variables that its parts may have then."""

COPIES = 4
"""Most definitions of a relation that takes a rule apart."""


def narrowed(clauses: Sequence[Clause], dynamic: Collection[str], watch: Watch) -> list[Clause]:
    """Return equivalent clauses, of which those that tie many variables together are taken apart.

    Args:
        clauses: clauses of a rulesheet, before they are split.
        dynamic: relations that depend on the state.
        watch: limits.

    Raises:
        LimitError: if a limit is reached.
    """
    wide = [c for c in clauses if len(_variables(c)) >= WIDE]
    if not wide:
        return list(clauses)
    narrower = _Narrower(clauses, dynamic, watch)
    tied = {c for c in wide if narrower.parts(c) is not None}
    shared = _shared([c for c in clauses if c in tied])
    moving = {c.head.predicate for c in shared if any(x.predicate in dynamic for x in c.body)}
    narrower = _Narrower([*clauses, *shared], {*dynamic, *moving}, watch)
    equivalents = [c for c in clauses if c not in tied]
    for clause in shared:
        equivalents += narrower.parts(clause) or [clause]
    return equivalents


@final
class _Narrower:
    """Takes clauses apart by the definitions of relations that do not depend on the state."""

    def __init__(self, clauses: Sequence[Clause], dynamic: Collection[str], watch: Watch) -> None:
        self._dynamic, self._watch = dynamic, watch
        self._definitions = {
            p: definition
            for p, definition in definitions_of(clauses).items()
            if p not in dynamic and len(definition) <= COPIES and all(c.body for c in definition)
        }

    def parts(self, clause: Clause) -> list[Clause] | None:
        """Return the clauses that a clause becomes, None if none are narrow."""
        if self._width([clause]) < WIDE:
            return None
        for place, literal in enumerate(clause.body):
            if literal.predicate in self._definitions and not literal.negated:
                parts = unfolded_at(clause, place, self._definitions[literal.predicate])
                if self._width(parts) <= NARROW:
                    return parts
        return None

    def _width(self, clauses: Sequence[Clause]) -> int:
        """Return how many variables a part of some clauses has at most after splitting."""
        parts = split_clauses([*clauses], self._watch, self._dynamic)
        return max((len(_variables(c)) for c in parts), default=0)


def _variables(clause: Clause) -> set[str]:
    return {*variables_of(clause.terms)}


def _shared(clauses: Sequence[Clause]) -> list[Clause]:
    """Return clauses in which those that are alike but for one relation are one clause.

    "Any of these relations" becomes a relation of its own.
    """
    alike: dict[object, list[tuple[Clause, int]]] = defaultdict(list)
    for clause in clauses:
        for place, literal in enumerate(clause.body):
            rest = (*clause.body[:place], *clause.body[place + 1 :])
            what = literal.arguments, literal.negated, literal.is_range
            alike[clause.head, rest, what, clause.distinct, clause.source].append((clause, place))
    merged: list[Clause] = []
    done: set[Clause] = set()
    for group in sorted(alike.values(), key=len, reverse=True):
        clause, place = group[0]
        literal = clause.body[place]
        if literal.negated or done.intersection(c for c, _ in group):
            continue
        done.update(c for c, _ in group)
        if len(group) == 1:
            merged.append(clause)
            continue
        names = dict.fromkeys(variables_of(literal.arguments))
        name = f"*{clause.source}.any{len(merged)}/{len(names)}"
        head = Literal(name, tuple(Variable(v) for v in names))
        merged += [Clause(head, (c.body[n],), (), c.source) for c, n in group]
        body = (*clause.body[:place], head, *clause.body[place + 1 :])
        merged.append(replace(clause, body=body))
    return merged
