"""Semi-naive evaluation of clauses to their least model, stratum by stratum."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from neurogame.errors import GroundingError
from neurogame.ground.clauses import Clause, by_head, predicate_strata
from neurogame.ground.demand import DEMAND
from neurogame.ground.join import JoinStart, PreparedBody, build_rows, solve
from neurogame.ground.limits import Watch
from neurogame.ground.relation import Database, Relation

PARTS = ("*", DEMAND)
"""What the names of relations begin with that are not in the rulesheet."""


def derive(
    clauses: Sequence[Clause],
    database: Database,
    watch: Watch,
    source: str,
) -> None:
    """Add everything that the clauses derive to the database.

    Args:
        clauses: all clauses of the heads' predicates.
        database: holds the relations the bodies use; receives the heads.
        watch: limits.
        source: name of the rulesheet, for messages.

    Raises:
        GroundingError: if a predicate depends negatively on itself.
        LimitError: if a limit is reached.
    """
    of = by_head(clauses)
    _add_facts(clauses, database, watch)
    for component in predicate_strata(clauses):
        members = set(component)
        here = [c for predicate in component for c in of[predicate] if c.body or c.distinct]
        _refuse_negative_cycle(here, members, source)
        _fixpoint(here, members, database, watch)


def _add_facts(clauses: Iterable[Clause], database: Database, watch: Watch) -> None:
    facts: dict[str, list[list[int]]] = defaultdict(list)
    for clause in clauses:
        if not clause.body and not clause.distinct:
            watch.check("collecting the facts")
            row = [database.pool.ground_term(a) for a in clause.head.arguments]
            facts[clause.head.predicate].append(row)
    for predicate, rows in facts.items():
        relation = database.relation(predicate)
        relation.rows.add(np.array(rows, np.int64).reshape(len(rows), relation.rows.arity))


def _refuse_negative_cycle(clauses: Iterable[Clause], members: set[str], source: str) -> None:
    for clause in clauses:
        for literal in clause.body:
            if literal.negated and literal.predicate in members:
                name = literal.predicate.rpartition("/")[0]
                raise GroundingError(
                    f"{source}: '{name}' depends on its own negation: negation must be stratified"
                )


def _fixpoint(
    clauses: Sequence[Clause],
    members: set[str],
    database: Database,
    watch: Watch,
) -> None:
    """Evaluate one component: every clause once, then only from what is new."""
    relations = [database.relation(predicate) for predicate in sorted(members)]
    bodies = [PreparedBody(clause, database) for clause in clauses]
    for body in bodies:
        _apply(body, None, database, watch)
    recursive = [
        (body, place, database.relation(body.clause.body[place].predicate))
        for body in bodies
        for place in body.positive
        if body.clause.body[place].predicate in members
    ]
    for relation in relations:
        relation.old = relation.new = 0
    while _advance(relations):
        for body, place, relation in recursive:
            if relation.new > relation.old:
                low, high = body.span(place, relation.old, relation.new)
                if high > low:
                    # The other literals range over all atoms known by now: some solutions are
                    # found twice, but each is found.
                    _apply(body, JoinStart(place, (low, high)), database, watch)
    for relation in relations:
        relation.complete = True


def _advance(relations: Iterable[Relation]) -> bool:
    """Start a new round in every relation; return whether any of them found something."""
    grown = [relation.advance() for relation in relations]
    return any(grown)


def _apply(body: PreparedBody, start: JoinStart | None, database: Database, watch: Watch) -> None:
    head = body.clause.head
    name = head.predicate.rpartition("/")[0]
    doing = "deriving part of a rule" if name[0] in PARTS else f"deriving '{name}'"
    relation = database.relation(head.predicate)
    for table in solve(body, database, watch, doing, start):
        if table.count:
            relation.rows.add(build_rows(head.arguments, table, database))
            watch.check_count(relation.rows.count, doing)
