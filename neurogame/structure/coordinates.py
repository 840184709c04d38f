"""Ordered arguments: arguments of fluents whose values stand in a row that the rules use.

Where a rule has one variable at two places, the two places mean the same kind of thing. What is
connected in this way with a successor relation, and has its values on one chain of it, is ordered
by it: coordinates, counters and quantities are. Which values an argument has is not enough: boards
are numbered, too, but no rule asks which of them is next.

*Reference:* Michulke and Thielscher, section 2.3 (coordinates and the numbers of boards).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from neurogame.gdl.terms import Compound, Formula, Rules, Sentence, Symbol, Term, Variable
from neurogame.gdl.walk import arguments_of, body_sentences, relation_of
from neurogame.structure.fluent_relations import FluentRelation
from neurogame.structure.successors import SuccessorRelation

_STATE = frozenset({("true", 1), ("next", 1), ("init", 1), ("base", 1)})
_MOVES = frozenset({("does", 2), ("legal", 2), ("input", 2)})

Place: TypeAlias = tuple[str, str, int, int]
"""Kind (``relation`` or ``term``), name, number of arguments, and which of them."""


@final
@dataclass(frozen=True, eq=False)
class OrderedArgument:
    """An argument of a relation of the state whose values are in order.

    Known for certain: it follows from the rules and from facts that never change.

    Attributes:
        relation: the relation.
        place: which argument, 0-based.
        successor: the successor relation that rules use with it; the first in source order.
        order: the numbers of the argument's values in ``relation.domains[place]``, first value
            first.
    """

    relation: FluentRelation
    place: int
    successor: SuccessorRelation
    order: tuple[int, ...]


def find_ordered_arguments(
    rules: Rules,
    relations: Sequence[FluentRelation],
    successors: Sequence[SuccessorRelation],
    domains: Collection[str],
) -> tuple[OrderedArgument, ...]:
    """Return the ordered arguments of the relations of the state.

    Args:
        rules: the rulesheet.
        relations: of its state.
        successors: its successor relations.
        domains: static relations of one argument, ``name/1``: that two things are of one kind
            in their eyes does not connect them.
    """
    if not successors:
        return ()
    kinds = _Kinds(rules, domains)
    used = [
        {kinds.of(("relation", s.name, len(s.pattern), place)) for place in s.places}
        for s in successors
    ]
    arguments = []
    for relation in relations:
        for place, values in enumerate(relation.domains):
            if len(values) < 2:
                continue
            kind = kinds.of(("term", relation.name.lower(), relation.arity, place))
            for successor, users in zip(successors, used, strict=True):
                order = _order(values, successor) if kind in users else None
                if order is not None:
                    arguments.append(OrderedArgument(relation, place, successor, order))
                    break
    return tuple(arguments)


def _order(values: Sequence[str], successor: SuccessorRelation) -> tuple[int, ...] | None:
    number = {value.lower(): i for i, value in enumerate(values)}
    ordered = successor.ordered(number)
    return None if ordered is None else tuple(number[value] for value in ordered)


@final
class _Kinds:
    """Places of arguments, joined where a rule has one variable in both."""

    def __init__(self, rules: Rules, domains: Collection[str]) -> None:
        self._above: dict[Place, Place] = {}
        self._domains = domains
        for rule in rules:
            first: dict[str, Place] = {}
            for formula in (rule.head, *rule.body):
                for name, place in self._places(formula):
                    self._join(first.setdefault(name, place), place)

    def of(self, place: Place) -> Place:
        """Return the place that stands for all that are of one kind with this one."""
        while (above := self._above.get(place, place)) != place:
            place = above
        return place

    def _join(self, one: Place, other: Place) -> None:
        one, other = self.of(one), self.of(other)
        if one != other:
            self._above[one] = other

    def _places(self, formula: Formula) -> Iterator[tuple[str, Place]]:
        """Yield the variables of a formula and where each stands."""
        for sentence, _ in body_sentences([formula]):
            arguments = arguments_of(sentence)
            for index, argument in enumerate(arguments):
                place = self._place(sentence, index)
                if place is not None:
                    yield from _variables(argument, place)
                elif not isinstance(argument, Variable):
                    yield from _variables(argument, ("relation", "", 0, 0))

    def _place(self, sentence: Sentence, index: int) -> Place | None:
        """Return the place of an argument, or None for one that is no more than a domain."""
        relation = relation_of(sentence)
        name, arity = relation
        if relation in _STATE:
            return ("relation", "true", 1, 0)
        if relation in _MOVES:
            return ("relation", "does", 2, 1) if index else None
        if name in ("role", "goal") or f"{name}/{arity}" in self._domains:
            return None
        return ("relation", name, arity, index)


def _variables(term: Term, place: Place) -> Iterator[tuple[str, Place]]:
    """Yield the variables of a term at a place; those inside a compound at places of its own."""
    if isinstance(term, Variable):
        yield term.name, place
    elif isinstance(term, Compound):
        for index, argument in enumerate(term.arguments):
            yield from _variables(argument, ("term", term.name, len(term.arguments), index))
    else:
        assert isinstance(term, Symbol)
