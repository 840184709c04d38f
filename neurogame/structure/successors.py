"""Successor relations: static relations that put values in a row, such as ``(succ 1 2)``.

*Reference:* Michulke and Thielscher, section 2.3 and footnote 2 (a relation that is a singleton for
each constant in any argument, and whose graph is acyclic); Kuhlmann and Stone, "Approach".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import final

from neurogame.structure.static_relations import StaticPairs

_MEAN_CHAIN = 3


@final
@dataclass(frozen=True)
class SuccessorRelation:
    """A static relation that is a function both ways and never leads back.

    Known for certain: it follows from facts that are the same in every state.

    Attributes:
        name: the relation, folded.
        pattern: its arguments: constants, and None at the two that are open; two of None for a
            relation of two arguments, constants besides for ``(plus 1 ?a ?b)``.
        chains: the values in order, folded, the longest chain first. The graph of the relation
            is one chain, or chains of three or more values on average: what only matches values
            in pairs puts nothing in a row.
    """

    name: str
    pattern: tuple[str | None, ...]
    chains: tuple[tuple[str, ...], ...]

    @property
    def places(self) -> tuple[int, int]:
        """The open arguments, 0-based: of a value, and of the one after it."""
        first, second = (i for i, part in enumerate(self.pattern) if part is None)
        return first, second

    @property
    def text(self) -> str:
        """The relation, with constants and ``*`` if it is more than a name."""
        if len(self.pattern) == 2:
            return self.name
        return " ".join([self.name, *(part or "*" for part in self.pattern)])

    @cached_property
    def chain_of(self) -> dict[str, tuple[int, int]]:
        """Per value the number of its chain and its place in it."""
        return {
            value: (number, place)
            for number, chain in enumerate(self.chains)
            for place, value in enumerate(chain)
        }

    def ordered(self, values: Iterable[str]) -> tuple[str, ...] | None:
        """Return some values, folded, in their order, or None if they are not on one chain.

        Args:
            values: at least one.
        """
        places = {value: self.chain_of.get(value) for value in values}
        if None in places.values() or len({p[0] for p in places.values() if p}) != 1:
            return None
        return tuple(sorted(places, key=lambda value: self.chain_of[value][1]))


def successors_among(joins: Iterable[StaticPairs]) -> tuple[SuccessorRelation, ...]:
    """Return those of some static relations that are successor relations."""
    candidates = ((join, _chains(join.pairs)) for join in joins)
    return tuple(
        SuccessorRelation(join.name, join.pattern, chains) for join, chains in candidates if chains
    )


def _chains(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Return the chains of a relation, none if it is no successor relation."""
    pairs = list(pairs)
    following = dict(pairs)
    if len(following) < len(pairs) or len(set(following.values())) < len(pairs):
        return ()
    chains = []
    for start in sorted(following.keys() - following.values()):
        chain = [start]
        while chain[-1] in following:
            chain.append(following[chain[-1]])
        chains.append(tuple(chain))
    if sum(len(chain) - 1 for chain in chains) < len(pairs):
        return ()
    chains.sort(key=lambda chain: -len(chain))
    values = len(pairs) + len(chains)
    return tuple(chains) if len(chains) == 1 or values >= _MEAN_CHAIN * len(chains) else ()
