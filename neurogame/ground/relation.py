"""Relations, and views of them through the pattern of a literal.

A view keeps the rows of a relation that match a pattern such as ``true(cell(?x, ?y, b))`` as one
column per variable. Views grow with their relation and are shared by all literals of the same
pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import final

import numpy as np

from neurogame.array_types import AnyInts, Int32s, Int64s
from neurogame.gdl.terms import Symbol, Term, Variable
from neurogame.gdl.walk import substitute
from neurogame.ground.clauses import Literal, arity, variables_of
from neurogame.ground.pool import TermPool
from neurogame.ground.rows import STRETCH, Look, RowSet, mix_columns


@final
class Relation:
    """The ground atoms of one predicate, in the order in which they were derived.

    Attributes:
        rows: the argument terms of each atom.
        old: atoms before this one were known before the last round of semi-naive evaluation.
        new: atoms in ``old..new`` were found in the last round.
        open: whether nobody has derived its atoms, so that asking for one makes it known.
        partial: whether only those of its atoms are derived that are asked for.
        complete: whether all its atoms have been derived.
        look: called from time to time while much is done about it; None: nobody.
    """

    def __init__(self, arity: int, look: Look | None = None) -> None:
        """Make an empty relation.

        Args:
            arity: number of arguments.
            look: as of :class:`RowSet`.
        """
        self.rows = RowSet(arity, look)
        self.look = look
        self.old = 0
        self.new = 0
        self.open = False
        self.partial = False
        self.complete = False

    def advance(self) -> bool:
        """Make the atoms of the current round the delta; return whether there are any."""
        self.old, self.new = self.new, self.rows.count
        return self.new > self.old


@final
class Index:
    """The rows of a view sorted by some of its columns, for joins.

    Rows that came later are kept in runs of their own; runs of like size are merged, so that a
    relation which grows in many small steps is not sorted anew in each of them.
    """

    def __init__(self, key: tuple[int, ...]) -> None:
        """Make an empty index over the columns ``key``."""
        self._key = list(key)
        self._covered = 0
        self._runs: list[tuple[AnyInts, Int32s]] = []

    def cover(self, columns: AnyInts) -> None:
        """Take in the rows of the view that have come since the last call.

        Args:
            columns: all rows of the view; ``[n, variables]``.
        """
        if self._covered == len(columns):
            return
        keys = mix_columns(columns[self._covered :, self._key])
        numbers = np.arange(self._covered, len(columns), dtype=np.int32)
        self._covered = len(columns)
        while self._runs and len(self._runs[-1][0]) <= 2 * len(keys):
            earlier = self._runs.pop()
            keys = np.concatenate([earlier[0], keys])
            numbers = np.concatenate([earlier[1], numbers])
        order = np.argsort(keys, kind="stable")
        self._runs.append((keys[order], numbers[order]))

    def pairs(self, keys: AnyInts, check: Callable[[int], None]) -> tuple[Int64s, Int32s]:
        """Return the positions in ``keys`` and the rows of the view that have equal keys.

        Args:
            keys: what is looked for; ``[n]``.
            check: is told the number of pairs before they are made, and may raise.
        """
        parts = []
        total = 0
        for sorted_keys, numbers in self._runs:
            low = np.searchsorted(sorted_keys, keys, "left")
            counts = np.searchsorted(sorted_keys, keys, "right") - low
            here = int(counts.sum())
            if here:
                parts.append((low, counts, numbers, here))
                total += here
        check(total)
        left = [np.zeros(0, np.int64)]
        right = [np.zeros(0, np.int32)]
        for low, counts, numbers, here in parts:
            left.append(np.repeat(np.arange(len(keys)), counts))
            start = low - (np.cumsum(counts) - counts)
            right.append(numbers[np.repeat(start, counts) + np.arange(here)])
        if len(parts) == 1:
            return left[1], right[1]
        return np.concatenate(left), np.concatenate(right)


@final
class View:
    """The matches of a pattern in a relation.

    Attributes:
        variables: names of the pattern's variables, one per column, in order of occurrence.
        count: number of rows.
    """

    def __init__(self, relation: Relation, arguments: tuple[Term, ...], pool: TermPool) -> None:
        """Make the view; it fills itself on the first :meth:`refresh`."""
        self.relation = relation
        self.arguments = arguments
        self._pool = pool
        self._seen = 0
        self.variables = tuple(dict.fromkeys(variables_of(arguments)))
        self.count = 0
        # A pattern of variables that differ matches every row as it is: nothing is copied.
        self._is_whole = arguments == tuple(map(Variable, self.variables))
        self._columns: Int32s = np.zeros((16, len(self.variables)), np.int32)
        self._sources: Int32s = np.zeros(16, np.int32)
        self._indices: dict[tuple[int, ...], Index] = {}
        self._distinct: dict[int, tuple[int, int]] = {}

    def refresh(self) -> None:
        """Match the atoms that have come since the last call."""
        known = self.relation.rows.count
        if self._is_whole:
            self._seen = self.count = known
        while self._seen < known:
            self._match_to(min(self._seen + STRETCH, known))

    def _match_to(self, known: int) -> None:
        """Match the atoms up to a number."""
        if self.relation.look is not None:
            self.relation.look(0.0)
        rows = self.relation.rows.rows[self._seen : known]
        matches, columns = match(rows, self.arguments, self._pool)
        total = self.count + len(matches)
        if total > len(self._sources):
            size = max(total, 2 * len(self._sources))
            grown = np.zeros((size, len(self.variables)), np.int32)
            grown[: self.count] = self._columns[: self.count]
            sources = np.zeros(size, np.int32)
            sources[: self.count] = self._sources[: self.count]
            self._columns, self._sources = grown, sources
        self._columns[self.count : total] = columns
        self._sources[self.count : total] = self._seen + matches
        self._seen, self.count = known, total

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return the range of view rows whose atoms are in ``first..last`` of the relation."""
        if self._is_whole:
            return min(first, self.count), min(last, self.count)
        low, high = self._sources[: self.count].searchsorted([first, last])
        return int(low), int(high)

    @property
    def columns(self) -> AnyInts:
        """The variables' values; ``[n, variables]``."""
        if self._is_whole:
            return self.relation.rows.rows[: self.count]
        return self._columns[: self.count]

    def sources(self, rows: AnyInts) -> AnyInts:
        """Return the relation rows behind some view rows; both increase together; ``[k]``."""
        return rows if self._is_whole else self._sources[rows]

    def fan_out(self, key: Iterable[int]) -> float:
        """Estimate how many rows agree with one of them in some columns.

        The columns are taken as independent: their numbers of values are multiplied.
        """
        values = 1
        for column in key:
            counted_at, distinct = self._distinct.get(column, (0, 0))
            if self.count > 2 * counted_at:
                distinct = int(np.count_nonzero(np.bincount(self.columns[:, column])))
                self._distinct[column] = self.count, distinct
            values *= distinct
        return self.count / max(1, min(values, self.count))

    def index(self, key: tuple[int, ...]) -> Index:
        """Return all rows sorted by some columns."""
        index = self._indices.get(key)
        if index is None:
            index = self._indices[key] = Index(key)
        index.cover(self.columns)
        return index


def match(rows: AnyInts, arguments: Sequence[Term], pool: TermPool) -> tuple[Int64s, AnyInts]:
    """Match rows of ground terms against a pattern.

    Args:
        rows: argument terms; ``[n, arity]``.
        arguments: the pattern of each argument.
        pool: the terms.

    Returns:
        Numbers of the matching rows, int64 ``[m]``, and the values of the variables in order
        of their first occurrence, ``[m, variables]``.
    """
    kept = np.arange(len(rows))
    bound: dict[str, AnyInts] = {}
    todo = [(argument, rows[:, i]) for i, argument in enumerate(arguments)]
    while todo:
        pattern, column = todo.pop(0)
        inner: list[tuple[Term, AnyInts]] = []
        if isinstance(pattern, Variable):
            if pattern.name not in bound:
                bound[pattern.name] = column
                continue
            good = bound[pattern.name] == column
        elif isinstance(pattern, Symbol):
            good = column == pool.constant(pattern.name)
        else:
            kind = pool.kind(pattern.name, len(pattern.arguments))
            good = pool.is_kind(column, kind)
            parts = pool.take_apart(column[good], kind)
            inner = [(p, parts[:, i]) for i, p in enumerate(pattern.arguments)]
        if not good.all():
            kept = kept[good]
            bound = {name: values[good] for name, values in bound.items()}
            todo = [(p, c[good]) for p, c in todo]
        # Arguments of a compound come before what follows it: the order of first occurrence.
        todo = inner + todo
    names = list(dict.fromkeys(variables_of(arguments)))
    columns = [bound[name] for name in names]
    return kept, np.stack(columns, axis=1) if columns else np.zeros((len(kept), 0), np.int32)


@final
class Database:
    """All relations of a game, with their views.

    Attributes:
        pool: the ground terms.
    """

    def __init__(self, pool: TermPool) -> None:
        """Make an empty database."""
        self.pool = pool
        self._relations: dict[str, Relation] = {}
        self._views: dict[tuple[str, tuple[Term, ...]], View] = {}

    def relation(self, predicate: str) -> Relation:
        """Return a relation, empty at first, by its key such as ``cell/3``."""
        if predicate not in self._relations:
            self._relations[predicate] = Relation(arity(predicate), self.pool.look)
        return self._relations[predicate]

    def relations(self) -> Iterable[tuple[str, Relation]]:
        """Return all relations with their keys."""
        return self._relations.items()

    def view(self, literal: Literal) -> tuple[View, tuple[str, ...]]:
        """Return the view of a literal and the literal's name of each view column."""
        names = tuple(dict.fromkeys(variables_of(literal.arguments)))
        renamed = {name: Variable(f"v{i}") for i, name in enumerate(names)}
        pattern = tuple(substitute(a, renamed) for a in literal.arguments)
        key = (literal.predicate, pattern)
        if key not in self._views:
            self._views[key] = View(self.relation(literal.predicate), pattern, self.pool)
        view = self._views[key]
        view.refresh()
        return view, names

    def forget_views(self) -> None:
        """Free the memory of all views."""
        self._views.clear()
