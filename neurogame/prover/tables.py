"""What holds without proof: the facts of the rules, the state, the joint move; and its indexes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeAlias, final

from neurogame.prover.values import Predicate, Row, Value

Key: TypeAlias = "Row | Value"
# Sorts the rows that match a literal by what the literal knows, and keeps what it asks for.
Sorter: TypeAlias = "Callable[[Iterable[Row], dict[Key, list[Row]]], None]"


@final
class StoredRows:
    """The rows of one predicate.

    Attributes:
        rows: all that holds.
        predicate: name and number of arguments.
    """

    def __init__(self, predicate: Predicate, rows: Collection[Row] = ()) -> None:
        self.predicate = predicate
        self.rows = frozenset(rows)
        self._indexes: list[RowIndex] = []

    def replace(self, rows: Iterable[Row]) -> None:
        """Let other rows hold; the indexes are made again when they are needed."""
        self.rows = frozenset(rows)
        for index in self._indexes:
            index.table = None

    def index(self, sort: Sorter) -> RowIndex:
        """Return a new index that this relation keeps right."""
        index = RowIndex(self, sort)
        self._indexes.append(index)
        return index


@final
class RowIndex:
    """The rows of a relation as one literal looks them up.

    Attributes:
        table: what the literal knows -> what it asks for; None until it is needed.
    """

    def __init__(self, relation: StoredRows, sort: Sorter) -> None:
        self._relation = relation
        self._sort = sort
        self.table: dict[Key, list[Row]] | None = None

    def build(self) -> dict[Key, list[Row]]:
        """Make the table and return it."""
        self.table = {}
        self._sort(self._relation.rows, self.table)
        return self.table
