"""Ground terms and ground atoms as integer arrays, with their text on demand.

A large game has millions of atoms; their texts are made only for those that somebody looks at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neurogame.array_types import Bools, Int64s


@dataclass(frozen=True, eq=False)
class TermTable:
    """All ground terms of a game, each stored once.

    Attributes:
        names: the spelled constants and function names; ``[N]``.
        functor: index into ``names`` of each term's constant or function name; int64 ``[T]``.
        start: term ``t`` has the arguments ``arguments[start[t]:start[t + 1]]``; int64 ``[T + 1]``.
        arguments: term indices, concatenated; int64.
    """

    names: tuple[str, ...]
    functor: Int64s
    start: Int64s
    arguments: Int64s

    def text(self, term: int) -> str:
        """Return the compact KIF text of one term, such as ``(cell 1 1 b)``."""
        arguments = self.arguments[self.start[term] : self.start[term + 1]].tolist()
        return compact(self.names[int(self.functor[term])], map(self.text, arguments))


@dataclass(frozen=True, eq=False)
class AtomTable:
    """All ground atoms of a ground program: fluents, then moves, then derived atoms.

    Attributes:
        terms: the terms that occur in the atoms.
        predicates: spelled relation names; an auxiliary relation made by body splitting has a
            name that starts with ``*``; ``[P]``.
        predicate: relation of each atom; int64 ``[A]``.
        start: atom ``a`` has the arguments ``arguments[start[a]:start[a + 1]]``; int64 ``[A + 1]``.
        arguments: term indices, concatenated; int64.
    """

    terms: TermTable
    predicates: tuple[str, ...]
    predicate: Int64s
    start: Int64s
    arguments: Int64s

    def __len__(self) -> int:
        """Return the number of atoms."""
        return len(self.predicate)

    def text(self, atom: int) -> str:
        """Return the compact KIF text of one atom, such as ``(line red)`` or ``terminal``."""
        arguments = self.arguments[self.start[atom] : self.start[atom + 1]].tolist()
        return compact(self.predicates[int(self.predicate[atom])], map(self.terms.text, arguments))

    def sentences(self, count: int) -> Iterator[tuple[str, Int64s, Int64s]]:
        """Yield the sentences that the first atoms are about, relation by relation.

        Args:
            count: how many atoms, such as all fluents; each has one argument, its sentence.

        Yields:
            The relation's spelled name, the atoms, ascending, int64 ``[K]``, and the terms that
            are the arguments of their sentences, int64 ``[K, A]``.
        """
        terms = self.terms
        term = self.arguments[self.start[:count]]
        arity = terms.start[term + 1] - terms.start[term]
        shapes = set(zip(terms.functor[term].tolist(), arity.tolist(), strict=True))
        for functor, size in sorted(shapes):
            atoms = np.flatnonzero((terms.functor[term] == functor) & (arity == size))
            places = terms.start[term[atoms]][:, None] + np.arange(size)
            yield terms.names[functor], atoms, terms.arguments[places]

    @cached_property
    def auxiliary(self) -> Bools:
        """Whether each atom was introduced by body splitting; bool ``[A]``."""
        names = np.array([name.startswith("*") for name in self.predicates], np.bool_)
        return names[self.predicate]


def compact(name: str, arguments: Iterable[str]) -> str:
    """Return the compact KIF text of a name with its arguments."""
    texts = [name, *arguments]
    return f"({' '.join(texts)})" if len(texts) > 1 else name
