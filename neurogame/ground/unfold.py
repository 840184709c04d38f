"""Unfolding: wide relations are replaced by their definitions where they are used.

A literal with ten arguments ties ten variables together, whatever its rules say of them. If these
say something of one or two arguments at a time, as in "the first of these nine is marked and the
others are not", then the rule that uses it falls into small parts once the definition stands in
its place, and splitting (:mod:`~neurogame.ground.split`) finds them.

*Reference:* Tamaki and Sato, "Unfold/fold transformation of logic programs" (1984).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from neurogame.gdl.equality import solve_equalities, substitute
from neurogame.gdl.graph import strong_components
from neurogame.ground.clauses import Clause, apart, arity, variables_of, with_terms

WIDE = 5
"""Arguments from which a relation is wide."""

DEFINITIONS = 16
"""Most clauses of a relation that is unfolded."""

COPIES = 64
"""Most clauses that one clause may become."""


def unfold(clauses: Sequence[Clause], kept: Collection[str]) -> list[Clause]:
    """Return equivalent clauses that do not use wide relations where that can be avoided.

    Args:
        clauses: clauses of a rulesheet; definitions of what is not used any more stay among them.
        kept: relations that are not unfolded.
    """
    definitions = {
        p: own
        for p, own in definitions_of(clauses).items()
        if p not in kept and arity(p) >= WIDE and len(own) <= DEFINITIONS
    }
    if not definitions:
        return list(clauses)
    return [copy for clause in clauses for copy in _unfolded(clause, definitions)]


def definitions_of(clauses: Sequence[Clause]) -> dict[str, list[Clause]]:
    """Return the clauses of every relation that does not depend on itself."""
    of: dict[str, list[Clause]] = defaultdict(list)
    uses: dict[str, list[str]] = defaultdict(list)
    for clause in clauses:
        of[clause.head.predicate].append(clause)
        uses[clause.head.predicate] += [x.predicate for x in clause.body]
    components = strong_components(list(uses), uses)
    recursive = {p for own in components for p in own if len(own) > 1 or p in uses[p]}
    return {p: own for p, own in of.items() if p not in recursive}


def _unfolded(clause: Clause, definitions: Mapping[str, Sequence[Clause]]) -> list[Clause]:
    """Return what a clause becomes: itself, if it would become too many."""
    done: list[Clause] = []
    todo = [clause]
    while todo:
        own = todo.pop()
        body = enumerate(own.body)
        places = [n for n, x in body if not x.negated and x.predicate in definitions]
        if not places:
            done.append(own)
            continue
        todo += unfolded_at(own, places[0], definitions[own.body[places[0]].predicate])
        if len(done) + len(todo) > COPIES:
            return [clause]
    return done[::-1]


def unfolded_at(clause: Clause, place: int, definitions: Sequence[Clause]) -> list[Clause]:
    """Return the clauses that a clause becomes if one of its literals is unfolded.

    Args:
        clause: the clause.
        place: of a positive literal in its body.
        definitions: all clauses of the literal's relation.
    """
    copies = (_resolved(clause, place, own) for own in definitions)
    return [copy for copy in copies if copy is not None]


def _resolved(clause: Clause, place: int, definition: Clause) -> Clause | None:
    """Return a clause with a definition in place of one of its literals; None if it cannot hold."""
    # No variable of the clause has so many marks.
    names = variables_of(a for x in (clause.head, *clause.body) for a in x.arguments)
    own = apart(definition, "'" * (1 + max((name.count("'") for name in names), default=0)))
    literal = clause.body[place]
    solved = solve_equalities(zip(literal.arguments, own.head.arguments, strict=True))
    if solved is None:
        return None
    body = (*clause.body[:place], *own.body, *clause.body[place + 1 :])
    pairs = (*clause.distinct, *own.distinct)
    return replace(
        clause,
        head=with_terms(clause.head, solved),
        body=tuple(dict.fromkeys(with_terms(x, solved) for x in body)),
        distinct=tuple((substitute(a, solved), substitute(b, solved)) for a, b in pairs),
    )
