"""Unfolding: wide relations are replaced by their definitions where they are used.

A literal with ten arguments ties ten variables together, whatever its rules say of them. If these
say something of one or two arguments at a time, as in "the first of these nine is marked and the
others are not", then the rule that uses it falls into small parts once the definition stands in
its place, and splitting (:mod:`~neurogame.ground.split`) finds them. A literal that is denied is
unfolded, too, if its definitions are about its arguments alone: some part of each is then denied.

*Reference:* Tamaki and Sato, "Unfold/fold transformation of logic programs" (1984).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

from neurogame.gdl.equality import solve_equalities
from neurogame.gdl.terms import Term, Variable
from neurogame.gdl.walk import substitute
from neurogame.ground.clauses import (
    Clause,
    apart,
    arity,
    by_head,
    predicate_strata,
    variables_of,
    with_equalities,
    with_terms,
)

WIDE = 5
"""Arguments from which a relation is wide."""

COPIES = 64
"""Most clauses of a relation that is unfolded, and most clauses that one clause may become."""


def unfold(clauses: Sequence[Clause], kept: Collection[str]) -> list[Clause]:
    """Return equivalent clauses that do not use wide relations where that can be avoided.

    Args:
        clauses: clauses of a rulesheet; definitions of what is not used any more stay among them.
        kept: relations that are not unfolded.
    """
    definitions = {
        p: definition
        for p, definition in definitions_of(clauses).items()
        if p not in kept and arity(p) >= WIDE and len(definition) <= COPIES
    }
    if not definitions:
        return list(clauses)
    return [copy for clause in clauses for copy in _unfolded(clause, definitions)]


def definitions_of(clauses: Sequence[Clause]) -> dict[str, list[Clause]]:
    """Return the clauses of every relation that does not depend on itself."""
    cyclic = {p for members in predicate_strata(clauses) if len(members) > 1 for p in members}
    return {
        p: definition
        for p, definition in by_head(clauses).items()
        if p not in cyclic and not any(x.predicate == p for c in definition for x in c.body)
    }


def _unfolded(clause: Clause, definitions: Mapping[str, Sequence[Clause]]) -> list[Clause]:
    """Return what a clause becomes: itself, if it would become too many."""
    done: list[Clause] = []
    todo = [clause]
    while todo:
        candidate = todo.pop()
        copies = _unfolded_once(candidate, definitions)
        if copies is None:
            done.append(candidate)
            continue
        todo += copies
        if len(done) + len(todo) > COPIES:
            return [clause]
    return done[::-1]


def _unfolded_once(
    clause: Clause, definitions: Mapping[str, Sequence[Clause]]
) -> list[Clause] | None:
    """Return what a clause becomes if one of its literals is unfolded, None if none can be."""
    wide = [n for n, x in enumerate(clause.body) if x.predicate in definitions]
    for place in wide:
        if not clause.body[place].negated:
            return unfolded_at(clause, place, definitions[clause.body[place].predicate])
    for place in wide:
        copies = denied_at(clause, place, definitions[clause.body[place].predicate])
        if copies is not None:
            return copies
    return None


def denied_at(clause: Clause, place: int, definitions: Sequence[Clause]) -> list[Clause] | None:
    """Return the clauses that a clause becomes if one of its negated literals is unfolded.

    A conjunction does not hold where one of its parts does not: each part that is denied makes a
    clause. None if that says no more than before (a definition is about some of its arguments
    only, or about others), or if it would take too many clauses.

    Args:
        clause: the clause.
        place: of a negated literal in its body.
        definitions: all clauses of the literal's relation.
    """
    literal = clause.body[place]
    if prod(len(definition.body) + len(definition.distinct) for definition in definitions) > COPIES:
        return None
    copies = [replace(clause, body=(*clause.body[:place], *clause.body[place + 1 :]))]
    for definition in definitions:
        names = [a.name for a in definition.head.arguments if isinstance(a, Variable)]
        terms = [a for x in definition.body for a in x.arguments]
        terms += [term for pair in definition.distinct for term in pair]
        if len({*names}) < len(literal.arguments) or not {*variables_of(terms)} <= {*names}:
            return None
        solved = dict(zip(names, literal.arguments, strict=True))
        copies = [denied for copy in copies for denied in _denials(copy, definition, solved)]
    return copies


def _denials(clause: Clause, definition: Clause, solved: Mapping[str, Term]) -> Iterator[Clause]:
    """Yield a clause with each part of a definition denied, whose variables have given values."""
    for literal in definition.body:
        opposite = replace(with_terms(literal, solved), negated=not literal.negated)
        yield replace(clause, body=tuple(dict.fromkeys((*clause.body, opposite))))
    for pair in definition.distinct:
        left, right = (substitute(term, solved) for term in pair)
        equal = with_equalities(clause, [(left, right)])
        if equal is not None:
            yield equal


def unfolded_at(clause: Clause, place: int, definitions: Sequence[Clause]) -> list[Clause]:
    """Return the clauses that a clause becomes if one of its literals is unfolded.

    Args:
        clause: the clause.
        place: of a positive literal in its body.
        definitions: all clauses of the literal's relation.
    """
    copies = (_resolved(clause, place, definition) for definition in definitions)
    return [copy for copy in copies if copy is not None]


def _resolved(clause: Clause, place: int, definition: Clause) -> Clause | None:
    """Return a clause with a definition in place of one of its literals; None if it cannot hold."""
    # No variable of the clause has so many marks.
    names = variables_of(a for x in (clause.head, *clause.body) for a in x.arguments)
    renamed = apart(definition, "'" * (1 + max((name.count("'") for name in names), default=0)))
    literal = clause.body[place]
    solved = solve_equalities(zip(literal.arguments, renamed.head.arguments, strict=True))
    if solved is None:
        return None
    body = (*clause.body[:place], *renamed.body, *clause.body[place + 1 :])
    pairs = (*clause.distinct, *renamed.distinct)
    return replace(
        clause,
        head=with_terms(clause.head, solved),
        body=tuple(dict.fromkeys(with_terms(x, solved) for x in body)),
        distinct=tuple((substitute(a, solved), substitute(b, solved)) for a, b in pairs),
    )
