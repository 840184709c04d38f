"""Relations, and views of them through the pattern of a literal.

A view keeps the rows of a relation that match a pattern such as ``true(cell(?x, ?y, b))`` as one
column per variable. Views grow with their relation and are shared by all literals of the same
pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.gdl.terms import Compound, Symbol, Term, Variable
from neurogame.ground.atoms import IntArray
from neurogame.ground.clauses import Literal, variables_of
from neurogame.ground.pool import TermPool
from neurogame.ground.rows import RowSet, mix_columns


@final
class Relation:
    """The ground atoms of one predicate, in the order in which they were derived.

    Attributes:
        rows: the argument terms of each atom.
        old: atoms before this one were known before the last round of semi-naive evaluation.
        new: atoms in ``old..new`` were found in the last round.
    """

    def __init__(self, arity: int) -> None:
        """Make an empty relation."""
        self.rows = RowSet(arity)
        self.old = 0
        self.new = 0

    def advance(self) -> bool:
        """Make the atoms of the current round the delta; return whether there are any."""
        self.old, self.new = self.new, self.rows.count
        return self.new > self.old


@final
@dataclass(frozen=True)
class Index:
    """A view sorted by some of its columns, for joins.

    Attributes:
        keys: sorted keys; int64 ``[n]``.
        order: view row of each sorted key; int64 ``[n]``.
        fan_out: mean number of rows per distinct key, 0 if there are none.
    """

    keys: IntArray
    order: IntArray
    fan_out: float


@final
class View:
    """The matches of a pattern in a relation.

    Attributes:
        variables: names of the pattern's variables, one per column, in order of occurrence.
    """

    def __init__(self, relation: Relation, arguments: tuple[Term, ...], pool: TermPool) -> None:
        """Make the view; it fills itself on the first :meth:`refresh`."""
        self.relation = relation
        self.arguments = arguments
        self._pool = pool
        self._seen = 0
        self.variables = tuple(dict.fromkeys(variables_of(arguments)))
        self._columns: IntArray = np.zeros((0, len(self.variables)), np.int64)
        self._sources: IntArray = np.zeros(0, np.int64)
        self._indices: dict[tuple[tuple[int, ...], int, int], Index] = {}

    def refresh(self) -> None:
        """Match the atoms that have come since the last call."""
        count = self.relation.rows.count
        if count == self._seen:
            return
        rows = self.relation.rows.rows[self._seen : count]
        matches, columns = match(rows, self.arguments, self._pool)
        self._columns = np.concatenate([self._columns, columns])
        self._sources = np.concatenate([self._sources, self._seen + matches])
        self._seen = count
        self._indices.clear()

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return the range of view rows whose atoms are in ``first..last`` of the relation."""
        low, high = np.searchsorted(self._sources, [first, last])
        return int(low), int(high)

    def columns(self, span: tuple[int, int]) -> IntArray:
        """Return the variables' values in a range of view rows; int64 ``[n, variables]``."""
        return self._columns[span[0] : span[1]]

    def sources(self, span: tuple[int, int]) -> IntArray:
        """Return the relation rows behind a range of view rows; int64 ``[n]``."""
        return self._sources[span[0] : span[1]]

    def index(self, key: tuple[int, ...], span: tuple[int, int]) -> Index:
        """Return the rows of a range sorted by some columns; kept until the view grows."""
        name = (key, *span)
        found = self._indices.get(name)
        if found is None:
            keys = mix_columns(self.columns(span)[:, list(key)], 1)
            order = np.argsort(keys, kind="stable")
            keys = keys[order]
            distinct = 1 + int(np.count_nonzero(np.diff(keys))) if len(keys) else 0
            found = Index(keys, order, len(keys) / distinct if distinct else 0.0)
            self._indices[name] = found
        return found


def match(rows: IntArray, arguments: Sequence[Term], pool: TermPool) -> tuple[IntArray, IntArray]:
    """Match rows of ground terms against a pattern.

    Args:
        rows: argument terms; int64 ``[n, arity]``.
        arguments: the pattern of each argument.
        pool: the terms.

    Returns:
        Numbers of the matching rows, int64 ``[m]``, and the values of the variables in order
        of their first occurrence, int64 ``[m, variables]``.
    """
    kept = np.arange(len(rows))
    bound: dict[str, IntArray] = {}
    todo = [(argument, rows[:, i]) for i, argument in enumerate(arguments)]
    while todo:
        pattern, column = todo.pop(0)
        inner: list[tuple[Term, IntArray]] = []
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
    return kept, np.stack(columns, axis=1) if columns else np.zeros((len(kept), 0), np.int64)


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
            self._relations[predicate] = Relation(int(predicate.rpartition("/")[2]))
        return self._relations[predicate]

    def view(self, literal: Literal) -> tuple[View, tuple[str, ...]]:
        """Return the view of a literal and the literal's name of each view column."""
        names = tuple(dict.fromkeys(variables_of(literal.arguments)))
        renamed = {name: f"v{i}" for i, name in enumerate(names)}
        pattern = tuple(_renamed(a, renamed) for a in literal.arguments)
        key = (literal.predicate, pattern)
        if key not in self._views:
            self._views[key] = View(self.relation(literal.predicate), pattern, self.pool)
        view = self._views[key]
        view.refresh()
        return view, names

    def forget_views(self) -> None:
        """Free the memory of all views."""
        self._views.clear()


def _renamed(term: Term, names: dict[str, str]) -> Term:
    if isinstance(term, Variable):
        return Variable(names[term.name])
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_renamed(a, names) for a in term.arguments))
    return term
