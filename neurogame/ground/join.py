"""Solving a clause body over a database: joins by sorting and searching, all in numpy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import final

import numpy as np

from neurogame.array_types import AnyInts
from neurogame.gdl.terms import Symbol, Term, Variable
from neurogame.ground.clauses import Clause, variables_of
from neurogame.ground.limits import Watch
from neurogame.ground.relation import Database, View
from neurogame.ground.rows import RowSet, mix_columns

DEDUPLICATE_ABOVE = 64
"""Fewer solutions are not worth the search for repeated ones."""

PLAN_ABOVE = 20_000
"""Joins of fewer rows are not worth a plan: the next literal is chosen by the
solutions so far."""

PIECE = 400_000
"""Rows of all joins of a body, as estimated, up to which they are made at once."""

MOST_ROWS = 500_000
"""Rows of one join that are made at once; of more, one part after the other is followed up."""


@final
@dataclass
class Solutions:
    """Solutions of the part of a body that is joined so far.

    Attributes:
        count: number of solutions ``n``.
        columns: value of each variable that is still needed; ``[n]`` each.
        tracked: per literal position the relation row of its atom, or -1 where a negated atom
            is not in the relation; ``[n]`` each.
    """

    count: int = 1
    columns: dict[str, AnyInts] = field(default_factory=dict)
    tracked: dict[int, AnyInts] = field(default_factory=dict)

    def take(self, rows: AnyInts | np.ndarray[tuple[int], np.dtype[np.bool_]]) -> None:
        """Keep only some solutions.

        Args:
            rows: their numbers, int64 ``[k]``, or a mask, bool ``[n]``.
        """
        self.columns = {name: column[rows] for name, column in self.columns.items()}
        self.tracked = {place: column[rows] for place, column in self.tracked.items()}
        self.count = int(np.count_nonzero(rows)) if rows.dtype == np.bool_ else len(rows)

    def part(self, begin: int, end: int) -> Solutions:
        """Return the solutions ``begin..end`` alone."""
        return Solutions(
            min(end, self.count) - begin,
            {name: column[begin:end] for name, column in self.columns.items()},
            {place: column[begin:end] for place, column in self.tracked.items()},
        )

    def deduplicate(self) -> None:
        """Drop solutions that agree on all columns and all tracked atoms."""
        columns = [*self.columns.values(), *self.tracked.values()]
        rows = np.stack(columns, axis=1) if columns else np.zeros((self.count, 0), np.int32)
        unique = RowSet(rows.shape[1])
        numbers = unique.add(rows)
        if unique.count < self.count:
            first = np.zeros(unique.count, np.int64)
            first[numbers[::-1]] = np.arange(self.count)[::-1]
            self.take(first)


@final
class PreparedBody:
    """A clause made ready for solving its body again and again.

    Attributes:
        clause: the clause.
        views: per literal the rows that match it and the variable of each view column; None
            for one that is looked up when its variables are known: it is negated, or open.
    """

    def __init__(self, clause: Clause, database: Database) -> None:
        """Find the views of the literals."""
        self.clause = clause
        # Nobody has derived an open relation: what is asked of it becomes known.
        tested = [x.negated or database.relation(x.predicate).open for x in clause.body]
        self.views = [
            None if test else database.view(x) for x, test in zip(clause.body, tested, strict=True)
        ]
        self.variables = [frozenset(variables_of(x.arguments)) for x in clause.body]
        self.distinct = [(pair, frozenset(variables_of(pair))) for pair in clause.distinct]
        self.head_variables = frozenset(variables_of(clause.head.arguments))
        self.positive = [i for i, test in enumerate(tested) if not test]
        self.looked_up = [i for i, test in enumerate(tested) if test]

    def span(self, place: int, first: int, last: int) -> tuple[int, int]:
        """Return which view rows of a positive literal come from some rows of its relation."""
        view, _ = self.view(place)
        return view.span(first, last)

    def view(self, place: int) -> tuple[View, tuple[str, ...]]:
        """Return the view of a positive literal, up to date, and the names of its columns."""
        view = self.views[place]
        assert view is not None
        view[0].refresh()
        return view


@final
@dataclass(frozen=True)
class JoinStart:
    """The literal that a join starts with, and which of its view rows it may use."""

    place: int
    span: tuple[int, int]


def solve(
    body: PreparedBody,
    database: Database,
    watch: Watch,
    doing: str,
    start: JoinStart | None = None,
    tracked: Collection[int] | None = None,
) -> Iterator[Solutions]:
    """Yield the values of the head's variables under all solutions of a body.

    Mostly they come at once. What would take too much memory comes in parts, which may repeat
    solutions. Where atoms are tracked they come in pieces, so that few of them are in memory with
    all columns; a solution may come again in another piece, unless all of its variables are told by
    the tracked atoms.

    Args:
        body: what to solve.
        database: the relations.
        watch: limits.
        doing: what is going on, for messages.
        start: where to start; None starts with the smallest literal.
        tracked: positions of the literals whose atoms the solutions must name; None: nobody asks
            for atoms. A negated literal that is not tracked filters the solutions.

    Raises:
        LimitError: if a join grows beyond the limits.
    """
    if tracked is None or start is not None or not _is_worth_a_plan(body):
        yield from _Solver(body, database, watch, doing, start, tracked or ()).solve()
        return
    order, rows = plan_order(body)
    count = body.view(order[0])[0].count
    step = max(int(count * PIECE / max(rows, 1.0)), 1)
    for begin in range(0, max(count, 1), step):
        first = JoinStart(order[0], (begin, min(begin + step, count)))
        yield from _Solver(body, database, watch, doing, first, tracked, order[1:]).solve()


def product_rows(clause: Clause, database: Database) -> int:
    """Return how many atoms a clause derives at least if what depends on the state may hold.

    That is known where the relations that have been derived are about other variables each; 0 where
    it is not.
    """
    rows = 1
    used: list[str] = []
    for literal in clause.body:
        variables = {*variables_of(literal.arguments)}
        if variables and (literal.negated or not database.relation(literal.predicate).complete):
            return 0
        used += variables
        rows *= database.view(literal)[0].count if variables else 1
    told = {*variables_of(clause.head.arguments)}.issuperset(used)
    return rows if told and len({*used}) == len(used) and not clause.distinct else 0


def _is_worth_a_plan(body: PreparedBody) -> bool:
    return sum(body.view(place)[0].count for place in body.positive) > PLAN_ABOVE


def plan_order(body: PreparedBody) -> tuple[list[int], float]:
    """Return the order of the positive literals whose joins have the fewest rows in all, and these.

    Every literal is tried as the first one; those after it follow greedily. Sizes are estimated
    from the number of values in each column.
    """
    best: tuple[float, list[int]] = (float("inf"), [])
    views = {place: body.view(place) for place in body.positive}
    for first in body.positive:
        order = [first]
        size = float(views[first][0].count)
        total = size
        bound = set(views[first][1])
        while len(order) < len(views) and total < best[0]:
            growth, place = min(
                (_growth(*views[place], bound), place) for place in views if place not in order
            )
            order.append(place)
            size *= growth
            total += size
            bound.update(views[place][1])
        if total < best[0]:
            best = (total, order)
    return best[1], best[0]


def _growth(view: View, names: Sequence[str], bound: Container[str]) -> float:
    """Return by what factor a literal multiplies the solutions that bind some variables."""
    shared = _shared(names, bound)
    if not shared:
        return float(view.count)
    # A literal without new variables can only take solutions away.
    return 0.5 if len(shared) == len(names) else view.fan_out(shared)


def _shared(names: Sequence[str], bound: Container[str]) -> tuple[int, ...]:
    return tuple(i for i, name in enumerate(names) if name in bound)


def build_rows(arguments: Sequence[Term], table: Solutions, database: Database) -> AnyInts:
    """Return the arguments under each solution as rows of terms; ``[n, arity]``."""
    if not arguments:
        return np.zeros((table.count, 0), np.int32)
    return np.stack([_build(a, table, database) for a in arguments], axis=1)


def _build(term: Term, table: Solutions, database: Database) -> AnyInts:
    if isinstance(term, Variable):
        return table.columns[term.name]
    if isinstance(term, Symbol):
        return np.full(table.count, database.pool.constant(term.name), np.int32)
    kind = database.pool.kind(term.name, len(term.arguments))
    return database.pool.build(kind, build_rows(term.arguments, table, database))


class _TooManyError(Exception):
    """A join would make more rows than are made at once.

    Attributes:
        rows: how many it would make.
    """

    def __init__(self, rows: int) -> None:
        super().__init__(rows)
        self.rows = rows


@final
@dataclass(eq=False)
class _Solver:
    """One body being joined literal by literal."""

    body: PreparedBody
    database: Database
    watch: Watch
    doing: str
    start: JoinStart | None
    tracked: Collection[int]
    order: Sequence[int] = ()
    table: Solutions = field(default_factory=Solutions)
    made: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.waiting = list(self.body.positive)
        self.looked_up = list(self.body.looked_up)
        self.distinct = list(self.body.distinct)

    def solve(self) -> Iterator[Solutions]:
        """Yield all solutions."""
        self._apply_filters()
        if self.start is not None:
            self._join(self.start.place, self.start.span)
        elif _is_worth_a_plan(self.body):
            self.order, _ = plan_order(self.body)
        yield from self._go_on()

    def _go_on(self) -> Iterator[Solutions]:
        """Join what is left; yield the solutions, those of one part of the table after another."""
        while self.waiting and self.table.count:
            place = self.order[0] if self.order else self._choose()
            try:
                self._join(place, None)
            except _TooManyError as error:
                step = max(self.table.count * MOST_ROWS // error.rows, 1)
                for begin in range(0, self.table.count, step):
                    yield from self._with(self.table.part(begin, begin + step))._go_on()
                return
            self.order = self.order[1:]
        if self.waiting or self.looked_up or self.distinct:
            self.table = Solutions(0)
            empty = np.zeros(0, np.int32)
            self.table.columns = dict.fromkeys(self.body.head_variables, empty)
            self.table.tracked = dict.fromkeys(self.tracked, empty)
        yield self.table

    def _with(self, table: Solutions) -> _Solver:
        """Return a solver that goes on from here with other solutions."""
        other = copy(self)
        other.table = table
        other.waiting, other.looked_up = list(self.waiting), list(self.looked_up)
        other.distinct = list(self.distinct)
        return other

    def _choose(self) -> int:
        """Return the literal that multiplies the number of solutions least."""
        if len(self.waiting) == 1:
            return self.waiting[0]
        bound = self.table.columns.keys()
        return min(self.waiting, key=lambda place: _growth(*self.body.view(place), bound))

    def _join(self, place: int, span: tuple[int, int] | None) -> None:
        """Join one positive literal, and apply all that this makes possible."""
        view, names = self.body.view(place)
        columns = view.columns
        shared = _shared(names, self.table.columns.keys())
        if shared and span is None:
            right = self._match(view, shared, [names[i] for i in shared], place)
        else:
            low, high = span or (0, view.count)
            self._allow(self.table.count * (high - low), place)
            right = np.tile(np.arange(low, high, dtype=np.int32), self.table.count)
            if self.table.count != 1 or self.table.columns or self.table.tracked:
                self.table.take(np.repeat(np.arange(self.table.count), high - low))
            self.table.count = len(right)
        self.waiting.remove(place)
        for i, name in enumerate(names):
            if i not in shared:
                self.table.columns[name] = columns[right, i]
        if place in self.tracked:
            self.table.tracked[place] = view.sources(right)
        self._apply_filters()
        self._project()

    def _match(
        self, view: View, shared: tuple[int, ...], names: Sequence[str], place: int
    ) -> AnyInts:
        """Keep the solutions that have a match in the view, once per match; return its rows."""
        left_key = np.stack([self.table.columns[name] for name in names], axis=1)
        left, right = view.index(shared).pairs(
            mix_columns(left_key), lambda count: self._allow(count, place)
        )
        if len(shared) > 2:
            good = np.ones(len(left), np.bool_)
            for column, i in enumerate(shared):
                good &= left_key[left, column] == view.columns[right, i]
            left, right = left[good], right[good]
        self.table.take(left)
        return right

    def _allow(self, count: int, place: int) -> None:
        """Ask whether there may be so many more solutions by joining a literal.

        Raises:
            LimitError: if there may not.
            _TooManyError: if there may, but not at once.
        """
        self.watch.check_count(self.made[place] + count, self.doing)
        if count > MOST_ROWS and self.table.count > 1:
            raise _TooManyError(count)
        self.made[place] += count
        # Beside the columns there are the pairs of rows and what finds them.
        width = len(self.table.columns) + len(self.table.tracked) + 8
        self.watch.check_need(count * width * 8 / 2**20, self.doing)

    def _apply_filters(self) -> None:
        """Apply each inequality and negated literal as soon as its variables are bound."""
        bound = self.table.columns.keys()
        for item in list(self.distinct):
            pair, names = item
            if names <= bound:
                self.distinct.remove(item)
                both = build_rows(pair, self.table, self.database)
                self.table.take(both[:, 0] != both[:, 1])
        for place in list(self.looked_up):
            if self.body.variables[place] <= bound:
                self.looked_up.remove(place)
                self._look_up(place)

    def _look_up(self, place: int) -> None:
        self.watch.check(self.doing)
        literal = self.body.clause.body[place]
        relation = self.database.relation(literal.predicate)
        rows = build_rows(literal.arguments, self.table, self.database)
        held = relation.rows.add(rows) if relation.open else relation.rows.find(rows)
        if place in self.tracked:
            self.table.tracked[place] = held.astype(np.int32)
        else:
            self.table.take(held < 0)

    def _project(self) -> None:
        """Drop variables that nothing needs any more, and the repetitions that this leaves."""
        needed = self.body.head_variables.union(
            *(self.body.variables[place] for place in (*self.waiting, *self.looked_up)),
            *(names for _, names in self.distinct),
        )
        drop = {name for name in self.table.columns if name not in needed}
        for name in drop:
            del self.table.columns[name]
        # Tracked atoms tell apart all solutions that differ in one of their own variables.
        told = frozenset[str]().union(*(self.body.variables[p] for p in self.table.tracked))
        if drop - told and self.table.count > DEDUPLICATE_ABOVE:
            self.table.deduplicate()
