"""Solving a clause body over a database: joins by sorting and searching, all in numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from neurogame.gdl.terms import Symbol, Term, Variable
from neurogame.ground.atoms import IntArray
from neurogame.ground.clauses import Clause, Literal, variables_of
from neurogame.ground.limits import Watch
from neurogame.ground.relation import Database, View
from neurogame.ground.rows import RowSet, mix_columns

DEDUPLICATE_ABOVE = 64
"""Smaller tables are not worth the sort that finds repeated rows."""


@final
@dataclass
class Table:
    """Solutions of the part of a body that is joined so far.

    Attributes:
        count: number of solutions ``n``.
        columns: value of each variable that is still needed; int64 ``[n]`` each.
        tracked: per literal position the relation row of its atom, or -1 where a negated atom
            is not in the relation; int64 ``[n]`` each.
    """

    count: int = 1
    columns: dict[str, IntArray] = field(default_factory=dict)
    tracked: dict[int, IntArray] = field(default_factory=dict)

    def take(self, rows: IntArray | np.ndarray[tuple[int], np.dtype[np.bool_]]) -> None:
        """Keep only some solutions, given by their numbers or a mask."""
        self.columns = {name: column[rows] for name, column in self.columns.items()}
        self.tracked = {place: column[rows] for place, column in self.tracked.items()}
        self.count = int(np.count_nonzero(rows)) if rows.dtype == np.bool_ else len(rows)

    def deduplicate(self) -> None:
        """Drop solutions that agree on all columns and all tracked atoms."""
        columns = [*self.columns.values(), *self.tracked.values()]
        rows = np.stack(columns, axis=1) + 1 if columns else np.zeros((self.count, 0), np.int64)
        unique = RowSet(rows.shape[1])
        numbers = unique.add(rows)
        if unique.count < self.count:
            first = np.zeros(unique.count, np.int64)
            first[numbers[::-1]] = np.arange(self.count)[::-1]
            self.take(first)


@final
@dataclass(frozen=True)
class Query:
    """How a clause body is to be solved.

    Attributes:
        clause: the clause.
        spans: relation rows that each positive literal may use, by position in the body;
            absent: all rows.
        first: position of the literal to start with, or None to start with the smallest.
        tracked: positions whose atoms the solutions must name.
        checked: positions of negated literals that filter solutions. Every negated literal is
            either tracked or checked.
    """

    clause: Clause
    spans: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    first: int | None = None
    tracked: frozenset[int] = frozenset()
    checked: frozenset[int] = frozenset()


def solve(query: Query, database: Database, watch: Watch, doing: str) -> Table:
    """Return all solutions of a body: values of the head's variables, and the tracked atoms.

    Args:
        query: what to solve.
        database: the relations.
        watch: limits.
        doing: what is going on, for messages.

    Raises:
        LimitError: if a join grows beyond the limits.
    """
    return _Solver(query, database, watch, doing).solve()


def build_rows(arguments: Sequence[Term], table: Table, database: Database) -> IntArray:
    """Return the arguments under each solution as rows of terms; int64 ``[n, arity]``."""
    if not arguments:
        return np.zeros((table.count, 0), np.int64)
    return np.stack([_build(a, table, database) for a in arguments], axis=1)


def _build(term: Term, table: Table, database: Database) -> IntArray:
    if isinstance(term, Variable):
        return table.columns[term.name]
    if isinstance(term, Symbol):
        return np.full(table.count, database.pool.constant(term.name), np.int64)
    kind = database.pool.kind(term.name, len(term.arguments))
    return database.pool.build(kind, build_rows(term.arguments, table, database))


@final
class _Solver:
    """One body being joined literal by literal."""

    def __init__(self, query: Query, database: Database, watch: Watch, doing: str) -> None:
        self.query = query
        self.database = database
        self.watch = watch
        self.doing = doing
        self.table = Table()
        body = query.clause.body
        self.positive = [i for i, x in enumerate(body) if not x.negated]
        self.negative = [i for i, x in enumerate(body) if x.negated]
        self.distinct = list(query.clause.distinct)

    def solve(self) -> Table:
        waiting = list(self.positive)
        self._apply_filters()
        while waiting and self.table.count:
            place = self._choose(waiting)
            waiting.remove(place)
            self._extend(place)
            self._apply_filters()
            self._project(waiting)
        if waiting:
            self.table = Table(0)
            names = set(variables_of(self.query.clause.head.arguments))
            self.table.columns = {name: np.zeros(0, np.int64) for name in names}
            self.table.tracked = {i: np.zeros(0, np.int64) for i in self.query.tracked}
        return self.table

    def _view(self, place: int) -> tuple[View, tuple[str, ...], tuple[int, int]]:
        view, names = self.database.view(self.query.clause.body[place])
        relation_span = self.query.spans.get(place)
        last = view.relation.rows.count
        span = view.span(*relation_span) if relation_span else view.span(0, last)
        return view, names, span

    def _choose(self, waiting: list[int]) -> int:
        """Return the literal that multiplies the number of solutions least."""
        first = self.query.first
        if first is not None and first in waiting:
            return first
        best, best_cost = waiting[0], float("inf")
        for place in waiting:
            view, names, span = self._view(place)
            shared = tuple(i for i, n in enumerate(names) if n in self.table.columns)
            if not shared:
                cost = float(span[1] - span[0])
            elif len(shared) == len(names):
                cost = 0.5
            else:
                cost = view.index(shared, span).fan_out
            if cost < best_cost:
                best, best_cost = place, cost
        return best

    def _extend(self, place: int) -> None:
        """Join one positive literal."""
        view, names, span = self._view(place)
        table = self.table
        shared = tuple(i for i, name in enumerate(names) if name in table.columns)
        index = view.index(shared, span)
        left_key = [table.columns[names[i]] for i in shared]
        keys = mix_columns(
            np.stack(left_key, axis=1) if left_key else np.zeros((table.count, 0), np.int64), 1
        )
        low = np.searchsorted(index.keys, keys, "left")
        counts = np.searchsorted(index.keys, keys, "right") - low
        total = int(counts.sum())
        self.watch.check_count(total, self.doing)
        left = np.repeat(np.arange(table.count), counts)
        offset = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
        right = index.order[np.repeat(low, counts) + offset]
        columns = view.columns(span)
        if len(shared) > 2:
            good = np.ones(total, np.bool_)
            for i, values in zip(shared, left_key, strict=True):
                good &= values[left] == columns[right, i]
            left, right = left[good], right[good]
        table.take(left)
        for i, name in enumerate(names):
            if i not in shared:
                table.columns[name] = columns[right, i]
        if place in self.query.tracked:
            table.tracked[place] = view.sources(span)[right]

    def _apply_filters(self) -> None:
        """Apply each inequality and negated literal as soon as its variables are bound."""
        body = self.query.clause.body
        for pair in list(self.distinct):
            if self._bound(pair):
                self.distinct.remove(pair)
                both = build_rows(pair, self.table, self.database)
                self.table.take(both[:, 0] != both[:, 1])
        for place in list(self.negative):
            literal = body[place]
            if self._bound(literal.arguments):
                self.negative.remove(place)
                self._negate(place, literal)

    def _negate(self, place: int, literal: Literal) -> None:
        relation = self.database.relation(literal.predicate)
        found = relation.rows.find(build_rows(literal.arguments, self.table, self.database))
        if place in self.query.checked:
            self.table.take(found < 0)
        else:
            self.table.tracked[place] = found

    def _bound(self, terms: Sequence[Term]) -> bool:
        return all(name in self.table.columns for name in variables_of(terms))

    def _project(self, waiting: list[int]) -> None:
        """Drop variables that nothing needs any more, and the repetitions that this leaves."""
        clause = self.query.clause
        needed = set(variables_of(clause.head.arguments))
        for place in (*waiting, *self.negative):
            needed.update(variables_of(clause.body[place].arguments))
        for pair in self.distinct:
            needed.update(variables_of(pair))
        drop = [name for name in self.table.columns if name not in needed]
        for name in drop:
            del self.table.columns[name]
        if drop and self.table.count > DEDUPLICATE_ABOVE:
            self.table.deduplicate()
