"""The second half of grounding: the instances of the rules that the outputs need.

It goes from the outputs backwards. Of each relation only those atoms are defined that some rule
instance asks for; so rules about what can never matter cost nothing, and a relation that is only
ever asked for under ``not`` needs no domain: being asked for is all it is made of.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from neurogame.array_types import AnyInts, Bools, Int32s, Int64s
from neurogame.gdl.terms import Rules
from neurogame.ground.clauses import Clause, Literal, by_head, predicate_strata
from neurogame.ground.join import JoinStart, PreparedBody, Solutions, build_rows, solve
from neurogame.ground.layout import Numbering
from neurogame.ground.limits import Watch
from neurogame.ground.program import GroundProgram
from neurogame.ground.relation import Database

ASKED = "?"
"""Before a predicate: the relation of those of its atoms that some rule instance asks for."""


def instantiate(
    clauses: Sequence[Clause],
    dynamic: set[str],
    outputs: Collection[str],
    database: Database,
    rules: Rules,
    watch: Watch,
    key: str,
) -> GroundProgram:
    """Return the ground program.

    Args:
        clauses: the clauses whose heads are dynamic.
        dynamic: the predicates that may differ between states.
        outputs: the predicates all of whose atoms are wanted.
        database: the static relations, and the domains of the dynamic ones.
        rules: the rulesheet.
        watch: limits.
        key: hash of the rules.

    Raises:
        GroundingError: if there is no role.
        LimitError: if a limit is reached.
    """
    layout = Numbering(database, rules)
    parts = _Instances(clauses, dynamic, database, rules, watch)
    parts.collect(outputs)
    # Nothing is joined any more, and what follows takes memory of its own.
    database.forget_views()
    layout.number(parts.defined())
    return _program(parts, layout, key)


@final
@dataclass(frozen=True, eq=False)
class _Part:
    """The instances of one clause.

    Attributes:
        clause: the clause.
        heads: row of each head in its relation; int32 ``[n]``.
        body: row of each tracked atom in its relation, -1 for none; int32 ``[n, tracked]``.
        tracked: the literals behind the columns of ``body``.
    """

    clause: Clause
    heads: Int32s
    body: Int32s
    tracked: tuple[Literal, ...]


@final
@dataclass(eq=False)
class _Instances:
    """Instantiates clauses on demand.

    Attributes:
        parts: what came out.
    """

    clauses: Sequence[Clause]
    dynamic: set[str]
    database: Database
    rules: Rules
    watch: Watch
    parts: list[_Part] = field(default_factory=list)
    _asked: dict[str, Bools] = field(default_factory=dict)
    _rows_asked: dict[str, Int64s] = field(default_factory=dict)
    _count: int = 0

    def __post_init__(self) -> None:
        self.by_head = by_head(self.clauses)

    def collect(self, outputs: Collection[str]) -> None:
        """Instantiate everything that the outputs need, users before what they use."""
        for component in reversed(predicate_strata(self.clauses)):
            members = [p for p in component if p in self.by_head]
            for predicate in members:
                if predicate in outputs:
                    self._ask(predicate, np.arange(self.database.relation(predicate).rows.count))
            while any(self._instantiate(predicate) for predicate in members):
                pass

    def defined(self) -> dict[str, Int64s]:
        """Return the rows of each predicate's atoms, ascending; int64 ``[n]`` each.

        An atom of an open relation that no instance defines is left out: it never holds.
        """
        rows = {p: np.flatnonzero(asked) for p, asked in self._asked.items() if p in self.by_head}
        for predicate in rows:
            if self.database.relation(predicate).open:
                holds = np.zeros(len(self._asked[predicate]), np.bool_)
                for part in self.parts:
                    if part.clause.head.predicate == predicate:
                        holds[part.heads] = True
                rows[predicate] = np.flatnonzero(holds)
        return {p: rows[p] for p in self.by_head if p in rows}

    def _ask(self, predicate: str, rows: AnyInts) -> None:
        """Remember that some atoms are asked for."""
        asked = self._asked.get(predicate, np.zeros(0, np.bool_))
        count = self.database.relation(predicate).rows.count
        if len(asked) < count:
            asked = np.concatenate([asked, np.zeros(count - len(asked), np.bool_)])
            self._asked[predicate] = asked
        asked[rows] = True

    def _instantiate(self, predicate: str) -> bool:
        """Instantiate the clauses of what has newly been asked for; return whether any was."""
        asked = self._asked.get(predicate)
        if asked is None:
            return False
        relation = self.database.relation(predicate)
        wanted = self.database.relation(ASKED + predicate)
        first = wanted.rows.count
        rows = relation.rows.rows[: len(asked)][asked]
        if len(rows) == first:
            return False
        wanted.rows.add(rows)
        known = self._rows_asked.get(predicate, np.zeros(0, np.int64))
        fresh = relation.rows.find(wanted.rows.rows[first:])
        self._rows_asked[predicate] = np.concatenate([known, fresh])
        everything = first == 0 and asked.all() and not (relation.open or relation.partial)
        for clause in self.by_head[predicate]:
            self._solve(clause, None if everything else (first, wanted.rows.count))
        return True

    def _solve(self, clause: Clause, wanted: tuple[int, int] | None) -> None:
        """Instantiate one clause, all of it or only for some of the atoms asked for."""
        body, start, place = PreparedBody(clause, self.database), None, -1
        if wanted is not None:
            asked = Literal(ASKED + clause.head.predicate, clause.head.arguments)
            body = PreparedBody(replace(clause, body=(*clause.body, asked)), self.database)
            place = len(clause.body)
            span = body.span(place, *wanted)
            if span[0] == span[1]:
                return
            if wanted[0]:
                start = JoinStart(place, span)
        tracked = [
            i for i, x in enumerate(clause.body) if x.predicate in self.dynamic and not x.is_range
        ]
        where = self.rules.rules[clause.source].position
        doing = f"instantiating the rule at {self.rules.source}:{where.line}:{where.column}"
        told = [*tracked, place] if wanted is not None else tracked
        literals = tuple(clause.body[place] for place in tracked)
        for table in solve(body, self.database, self.watch, doing, start, told):
            heads = self._heads(clause.head, table, place).astype(np.int32)
            columns = [table.tracked[place] for place in tracked]
            for literal, column in zip(literals, columns, strict=True):
                self._ask(literal.predicate, column[column >= 0])
            rows = np.zeros((table.count, len(columns)), np.int32)
            for number, column in enumerate(columns):
                rows[:, number] = column
            self.parts.append(_Part(clause, heads, rows, literals))
            self._count += table.count
            self.watch.check_count(self._count, "collecting the ground rules")

    def _heads(self, head: Literal, table: Solutions, asked: int) -> Int64s:
        """Return the row of the head of each solution.

        Args:
            head: of the clause.
            table: the solutions.
            asked: place of the literal that asks for the head; -1 if there is none.
        """
        if asked >= 0:
            return self._rows_asked[head.predicate][table.tracked[asked]]
        rows = build_rows(head.arguments, table, self.database)
        return self.database.relation(head.predicate).rows.find(rows)


def _program(instances: _Instances, layout: Numbering, key: str) -> GroundProgram:
    """Put the instances together."""
    empty = np.zeros(0, np.int32)
    sources = [part.clause.source for part in instances.parts]
    parts: list[tuple[Int32s, Int32s, Int32s]] = []
    instances.parts.reverse()
    while instances.parts:
        instances.watch.check("numbering the ground rules")
        # Each is dropped as soon as it is numbered: both together are the most that is ever held.
        parts.append(_numbered(instances.parts.pop(), layout))
    counts = np.concatenate([empty, *(counts for _, counts, _ in parts)])
    return GroundProgram(
        roles=layout.roles,
        fluents=layout.fluents,
        moves=layout.moves,
        initial=layout.initial,
        rule_head=np.concatenate([empty, *(heads for heads, _, _ in parts)]),
        rule_start=np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]),
        rule_body=np.concatenate([empty, *(body for _, _, body in parts)]),
        rule_source=np.repeat(np.array(sources, np.int32), [len(heads) for heads, _, _ in parts]),
        legal=layout.legal(),
        next=layout.next(),
        terminal=layout.terminal(),
        goals=layout.goals(),
        atoms=layout.atoms(),
        key=key,
    )


def _numbered(part: _Part, layout: Numbering) -> tuple[Int32s, Int32s, Int32s]:
    """Return heads, body sizes and bodies of a part's instances, with atoms for rows."""
    heads = layout.numbers(part.clause.head.predicate)[part.heads].astype(np.int32)
    body = np.empty(part.body.shape, np.int32)
    for column, literal in enumerate(part.tracked):
        atoms = layout.numbers(literal.predicate)[part.body[:, column]]
        body[:, column] = np.where(atoms < 0, -1, 2 * atoms + literal.negated)
        if not literal.negated:
            # A positive atom outside the numbering (a move of no role) never holds.
            heads[atoms < 0] = -1
    good = heads >= 0
    heads, body = heads[good], body[good]
    # What is left of -1 is negated atoms that never hold, so these literals are true.
    kept = body >= 0
    return heads, kept.sum(axis=1).astype(np.int32), body[kept]
