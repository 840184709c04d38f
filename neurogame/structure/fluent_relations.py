"""The fluents of a game by relation, as rows of argument values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.ground.atoms import compact


@final
@dataclass(frozen=True, eq=False)
class FluentRelation:
    """The fluents of one function and number of arguments; ``K`` fluents, ``A`` arguments.

    Attributes:
        name: the function, spelled as in the rules.
        fluents: ascending; int64 ``[K]``.
        domains: per argument its values as compact KIF, in the order of the fluents' texts.
        codes: the arguments as numbers in ``domains``; int64 ``[K, A]``.
    """

    name: str
    fluents: Int64s
    domains: tuple[tuple[str, ...], ...]
    codes: Int64s

    @property
    def arity(self) -> int:
        """Number of arguments, ``A``."""
        return len(self.domains)

    def text(self, values: Mapping[int, str], other: str = "*") -> str:
        """Return the relation with values of some arguments, such as ``(cell * * x)``."""
        return compact(self.name, (values.get(place, other) for place in range(self.arity)))

    def groups(self, key: Sequence[int]) -> Int64s:
        """Return a number 0 .. per fluent, the same where the arguments ``key`` are; ``[K]``."""
        if not len(key):
            return np.zeros(len(self.fluents), np.int64)
        _, index = np.unique(self.codes[:, list(key)], axis=0, return_inverse=True)
        return index.reshape(-1).astype(np.int64)

    def others(self, places: Sequence[int]) -> tuple[int, ...]:
        """Return the arguments that are not among ``places``."""
        return tuple(i for i in range(self.arity) if i not in places)


def fluent_relations(circuit: Circuit) -> tuple[FluentRelation, ...]:
    """Return the fluents of a circuit by relation, in the order of their first fluents."""
    terms = circuit.atoms.terms
    relations = []
    found = circuit.atoms.sentences(len(circuit.fluents))
    for name, fluents, arguments in sorted(found, key=lambda one: int(one[1][0])):
        domains: list[tuple[str, ...]] = []
        codes = np.zeros(arguments.shape, np.int64)
        for place in range(arguments.shape[1]):
            values = list(dict.fromkeys(arguments[:, place].tolist()))
            number = {value: i for i, value in enumerate(values)}
            codes[:, place] = [number[value] for value in arguments[:, place].tolist()]
            domains.append(tuple(terms.text(value) for value in values))
        relations.append(FluentRelation(name, fluents, tuple(domains), codes))
    return tuple(relations)
