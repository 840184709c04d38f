"""Ground terms by number: each distinct term is stored once, however deep it nests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy as np

from neurogame.array_types import AnyInts, Int32s, Int64s
from neurogame.errors import LimitError
from neurogame.gdl.finding import shown
from neurogame.gdl.terms import Symbol, Term, Variable
from neurogame.ground.atoms import TermTable
from neurogame.ground.rows import Look, RowSet

MAXIMUM_LENGTH = 100_000
"""Longest text of a term: with arguments used twice, its length doubles at each level."""


@final
class TermPool:
    """Numbers for ground terms, and vectorised building and taking apart of compound terms.

    A *kind* is a constant or a function name with its arity; every term has one kind.

    Attributes:
        look: looks at the limits; None: nobody.
        count: number of terms.
    """

    def __init__(self, max_depth: int, look: Look | None = None) -> None:
        """Make an empty pool.

        Args:
            max_depth: deepest nesting allowed.
            look: called from time to time while there are more and more terms, or atoms of them.
        """
        self.look = look
        self._max_depth = max_depth
        self._kinds: dict[tuple[str, int], int] = {}
        self._names: list[tuple[str, int]] = []
        self._tables: list[RowSet] = []
        self._table_ids: list[Int32s] = []
        self._kind: Int64s = np.zeros(64, np.int64)
        self._row: Int64s = np.zeros(64, np.int64)
        self._depth: Int64s = np.zeros(64, np.int64)
        self._length: Int64s = np.zeros(64, np.int64)
        self._constants: dict[str, int] = {}
        self.count = 0

    def kind(self, name: str, arity: int) -> int:
        """Return the number of a kind, made on first use."""
        key = (name, arity)
        if key not in self._kinds:
            self._kinds[key] = len(self._names)
            self._names.append(key)
            self._tables.append(RowSet(arity, self.look))
            self._table_ids.append(np.zeros(0, np.int32))
        return self._kinds[key]

    def constant(self, name: str) -> int:
        """Return the term number of a constant."""
        if name not in self._constants:
            made = self.build(self.kind(name, 0), np.zeros((1, 0), np.int64))
            self._constants[name] = int(made[0])
        return self._constants[name]

    def build(self, kind: int, arguments: AnyInts) -> Int32s:
        """Return the terms of one kind with the given arguments, made on first use.

        Args:
            kind: number of the kind.
            arguments: term numbers; ``[n, arity]``.

        Returns:
            Term numbers; int32 ``[n]``.

        Raises:
            LimitError: if a term nests deeper than allowed, or is too long to write.
        """
        table = self._tables[kind]
        before = table.count
        rows = table.add(arguments)
        fresh = table.count - before
        if fresh:
            self._grow(fresh)
            new = slice(self.count, self.count + fresh)
            self._kind[new] = kind
            self._row[new] = np.arange(before, table.count)
            self._length[new] = len(self._names[kind][0])
            if table.arity:
                self._measure(kind, new, table.rows[before:])
            ids = np.arange(self.count, self.count + fresh, dtype=np.int32)
            self._table_ids[kind] = np.concatenate([self._table_ids[kind], ids])
            self.count += fresh
        return self._table_ids[kind][rows]

    def _measure(self, kind: int, new: slice, arguments: AnyInts) -> None:
        """Note depth and length of new compound terms; refuse what has no end."""
        name = shown(self._names[kind][0])
        self._depth[new] = 1 + self._depth[arguments].max(axis=1)
        if self._depth[new].max() > self._max_depth:
            raise LimitError(
                f"the function '{name}' builds terms nested more than {self._max_depth} deep: its "
                "recursion does not end; bound it by a relation of the rulesheet, or raise the "
                "limit on depth"
            )
        self._length[new] += 2 + arguments.shape[1] + self._length[arguments].sum(axis=1)
        if self._length[new].max() > MAXIMUM_LENGTH:
            raise LimitError(
                f"the function '{name}' builds a term of more than {MAXIMUM_LENGTH:,} characters; "
                "bound its recursion by a relation of the rulesheet, or give the term fewer parts"
            )

    def lengths(self, terms: AnyInts) -> Int64s:
        """Return how many characters each term's text has in folded names; int64 ``[n]``."""
        return self._length[terms]

    def is_kind(self, terms: AnyInts, kind: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return whether each term is of the kind; bool ``[n]``."""
        result: np.ndarray[tuple[int], np.dtype[np.bool_]] = self._kind[terms] == kind
        return result

    def take_apart(self, terms: AnyInts, kind: int) -> AnyInts:
        """Return the arguments of terms that are all of one kind; ``[n, arity]``."""
        return self._tables[kind].rows[self._row[terms]]

    def ground_term(self, term: Term) -> int:
        """Return the number of a term without variables, made on first use.

        Raises:
            ValueError: there is a variable in it.
            LimitError: see :meth:`build`.
        """
        if isinstance(term, Symbol):
            return self.constant(term.name)
        if isinstance(term, Variable):
            raise ValueError(f"?{term.name} is not ground")
        arguments = [self.ground_term(a) for a in term.arguments]
        kind = self.kind(term.name, len(arguments))
        return int(self.build(kind, np.array([arguments], np.int64))[0])

    def table(self, spelling: Mapping[str, str]) -> TermTable:
        """Return all terms as a table with spelled names."""
        arity = np.array([a for _, a in self._names], np.int64)
        kinds = self._kind[: self.count]
        start = np.concatenate([[0], np.cumsum(arity[kinds])]).astype(np.int64)
        arguments = np.zeros(int(start[-1]), np.int64)
        for kind, (_, count) in enumerate(self._names):
            if count:
                place = start[self._table_ids[kind]][:, None] + np.arange(count)
                arguments[place] = self._tables[kind].rows
        names = tuple(spelling.get(name, name) for name, _ in self._names)
        return TermTable(names, kinds.copy(), start, arguments)

    def _grow(self, fresh: int) -> None:
        needed = self.count + fresh
        if needed > len(self._kind):
            extra = max(needed, 2 * len(self._kind)) - len(self._kind)
            if self.look is not None:
                self.look(4 * (len(self._kind) + extra) * self._kind.itemsize / 2**20)
            self._kind = np.concatenate([self._kind, np.zeros(extra, np.int64)])
            self._row = np.concatenate([self._row, np.zeros(extra, np.int64)])
            self._depth = np.concatenate([self._depth, np.zeros(extra, np.int64)])
            self._length = np.concatenate([self._length, np.zeros(extra, np.int64)])
