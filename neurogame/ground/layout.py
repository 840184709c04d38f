"""The numbering of a game's ground atoms: fluents and moves by their text, others by relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np

from neurogame.array_types import AnyInts, Int64s
from neurogame.errors import GroundingError
from neurogame.gdl.keywords import goal_number
from neurogame.gdl.terms import Rules
from neurogame.ground.atoms import AtomTable, TermTable
from neurogame.ground.relation import Database


@final
class Numbering:
    """Gives the atoms of a ground program their numbers.

    Attributes:
        roles: role names in the order of their facts; ``[R]``.
        fluents: texts of the fluents, sorted by code point; ``[F]``.
        moves: per role the texts of its moves, sorted by code point.
        initial: the initial state; bool ``[F]``.
    """

    def __init__(self, database: Database, rules: Rules) -> None:
        """Name roles, fluents and moves.

        Raises:
            GroundingError: if there is no role.
        """
        self._database = database
        self._rules = rules
        self._table = database.pool.table(rules.spelling)
        self._role_terms = database.relation("role/1").rows.rows[:, 0]
        if not len(self._role_terms):
            raise GroundingError(
                f"{rules.source}:1:1: no role is defined; add a fact such as (role white)"
            )
        self.roles = tuple(self._table.text(int(r)) for r in self._role_terms)
        fluents = database.relation("true/1").rows.rows[:, 0]
        self.fluents, fluent_order = _sorted_texts(fluents, self._table)
        does = database.relation("does/2").rows.rows
        moves: list[tuple[str, ...]] = []
        move_order = [np.zeros(0, np.int64)]
        for role in self._role_terms:
            role_rows = np.flatnonzero(does[:, 0] == role)
            texts, order = _sorted_texts(does[role_rows, 1], self._table)
            moves.append(texts)
            move_order.append(role_rows[order])
        self.moves = tuple(moves)
        self._rows = {"true/1": fluent_order, "does/2": np.concatenate(move_order)}
        self._numbers: dict[str, Int64s] = {}
        self._count = 0
        for predicate, rows in self._rows.items():
            self._number(predicate, rows)
        self.initial = np.zeros(len(self.fluents), np.bool_)
        self.initial[self._find("true/1", database.relation("init/1").rows.rows)] = True

    def number(self, defined: Mapping[str, Int64s]) -> None:
        """Number the derived atoms.

        Args:
            defined: per predicate the rows of its relation that are atoms of the program.
        """
        self._rows |= defined
        for predicate, rows in defined.items():
            self._number(predicate, rows)

    def numbers(self, predicate: str) -> Int64s:
        """Return the atom of each of a relation's ``n`` rows, or -1; int64 ``[n + 1]``.

        The last entry is -1, so that row -1, which stands for none, has none.
        """
        return self._numbers.get(predicate, np.full(1, -1, np.int64))

    def legal(self) -> Int64s:
        """Return the atom that makes each move legal; int64 ``[M]``."""
        does = self._database.relation("does/2").rows.rows
        return self._find("legal/2", does[self._rows["does/2"]])

    def next(self) -> Int64s:
        """Return the atom that puts each fluent into the next state, or -1; int64 ``[F]``."""
        fluents = self._database.relation("true/1").rows.rows
        return self._find("next/1", fluents[self._rows["true/1"]])

    def terminal(self) -> int:
        """Return the atom that makes a state terminal, or -1."""
        return int(self._find("terminal/0", np.zeros((1, 0), np.int64))[0])

    def goals(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Return per role the goal values with their atoms, highest first.

        Whether they are met in play is not known yet, so they may lie outside 0..100. What is no
        integer is no goal value.
        """
        return tuple(self._goals(int(role)) for role in self._role_terms)

    def atoms(self) -> AtomTable:
        """Return all atoms, for their names."""
        relations = [self._database.relation(p).rows for p in self._rows]
        sizes = [len(rows) for rows in self._rows.values()]
        arities = np.repeat(np.array([r.arity for r in relations], np.int64), sizes)
        names = [p.rpartition("/")[0] for p in self._rows]
        parts = zip(relations, self._rows.values(), strict=True)
        return AtomTable(
            terms=self._table,
            predicates=tuple(self._rules.spelling.get(n, n) for n in names),
            predicate=np.repeat(np.arange(len(sizes)), sizes),
            start=np.concatenate([[0], np.cumsum(arities)]).astype(np.int64),
            arguments=np.concatenate([r.rows[rows].reshape(-1) for r, rows in parts]),
        )

    def _number(self, predicate: str, rows: Int64s) -> None:
        numbers = np.full(self._database.relation(predicate).rows.count + 1, -1, np.int64)
        numbers[rows] = self._count + np.arange(len(rows))
        self._numbers[predicate] = numbers
        self._count += len(rows)

    def _find(self, predicate: str, rows: AnyInts) -> Int64s:
        """Return the atoms with the given arguments, or -1."""
        return self.numbers(predicate)[self._database.relation(predicate).rows.find(rows)]

    def _goals(self, role: int) -> tuple[tuple[int, int], ...]:
        rows = self._database.relation("goal/2").rows.rows
        goals = rows[rows[:, 0] == role]
        pairs = []
        for term, atom in zip(goals[:, 1], self._find("goal/2", goals), strict=True):
            value = goal_number(self._table.text(int(term)))
            if value is not None:
                pairs.append((value, int(atom)))
        return tuple(sorted(pairs, reverse=True))


def _sorted_texts(terms: AnyInts, table: TermTable) -> tuple[tuple[str, ...], Int64s]:
    """Return the terms' texts sorted by code point, and the order that sorts them."""
    texts = [table.text(int(t)) for t in terms]
    order: Sequence[int] = sorted(range(len(texts)), key=texts.__getitem__)
    return tuple(texts[i] for i in order), np.array(order, np.int64)
