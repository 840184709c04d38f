"""Many instances to one written rule: what they have in common stays, what differs is a variable.

This is the least general generalisation of the instances, over facts that list what the variables
stand for together. Facts are taken apart where their parts are independent: of 69 lines and two
roles, 69 lines and two roles are listed, not 138 of both.

*Reference:* Plotkin, "A note on inductive generalization" (1970).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias, final

from neurogame.circuit.circuit import Circuit
from neurogame.evaluators.rules.ground_rule import GroundRule
from neurogame.evaluators.rules.weighted_rules import Count, WeightedRule
from neurogame.gdl.parse import parse_term
from neurogame.gdl.terms import Compound, Sentence, Symbol, Term, Variable
from neurogame.gdl.walk import substitute
from neurogame.gdl.write import term_text

Column: TypeAlias = tuple[Term, ...]
_Row: TypeAlias = tuple[Term, ...]


@final
class Generaliser:
    """Writes rules for instances, and collects the facts that they need.

    Attributes:
        facts: name -> rows.
    """

    def __init__(self, circuit: Circuit) -> None:
        """Take the terms of a game's roles and fluents."""
        self._roles = [Symbol(name.lower()) for name in circuit.roles]
        self._fluents = [parse_term(text) for text in circuit.fluents]
        self.facts: dict[str, tuple[_Row, ...]] = {}
        self._names: dict[tuple[_Row, ...], str] = {}

    def rule(self, instances: Sequence[GroundRule], label: str) -> WeightedRule:
        """Return the rule whose instances these are.

        Args:
            instances: of the same weight; their counts and fluents correspond in order.
            label: what facts are called, such as ``lines``; a number is added.
        """
        columns: dict[Column, str] = {}
        role = self._common([self._roles[one.role] for one in instances], columns)
        counts = []
        for number, first in enumerate(instances[0].counts):
            fluents = [
                self._common(
                    [self._fluents[one.counts[number].fluents[k]] for one in instances], columns
                )
                for k in range(len(first.fluents))
            ]
            counts.append(Count(low=first.low, high=first.high, fluents=tuple(fluents)))
        names = self._variables(columns, role)
        named = {one: Variable(name) for one, name in names.items()}
        return WeightedRule(
            role=substitute(role, named),
            weight=instances[0].weight,
            conditions=tuple(self._conditions(columns, names, label)),
            counts=tuple(
                Count(
                    low=c.low, high=c.high, fluents=tuple(substitute(f, named) for f in c.fluents)
                )
                for c in counts
            ),
        )

    def _common(self, terms: Sequence[Term], columns: dict[Column, str]) -> Term:
        """Return the least general term of which all are instances."""
        first = terms[0]
        if all(term == first for term in terms):
            return first
        if isinstance(first, Compound):
            alike = [
                term
                for term in terms
                if isinstance(term, Compound)
                and (term.name, len(term.arguments)) == (first.name, len(first.arguments))
            ]
            if len(alike) == len(terms):
                inner = zip(*(term.arguments for term in alike), strict=True)
                return Compound(
                    first.name, tuple(self._common(column, columns) for column in inner)
                )
        return Variable(columns.setdefault(tuple(terms), str(len(columns))))

    def _variables(self, columns: dict[Column, str], role: Term) -> dict[str, str]:
        """Return names for people: who it is worth to is ?me, other roles are ?other."""
        roles = set(self._roles)
        names, others, letters = {}, 0, 0
        for column, variable in columns.items():
            if isinstance(role, Variable) and variable == role.name:
                names[variable] = "me"
            elif set(column) <= roles:
                others += 1
                names[variable] = "other" if others == 1 else f"other{others}"
            else:
                names[variable] = chr(97 + letters) if letters < 26 else f"x{letters}"
                letters += 1
        return names

    def _conditions(
        self, columns: dict[Column, str], names: dict[str, str], label: str
    ) -> list[Sentence]:
        """Return the facts that bind the variables, and note their rows."""
        conditions: list[Sentence] = []
        for block in independent(list(columns)):
            rows = tuple(sorted(set(zip(*block, strict=True)), key=_order))
            sides = {term for row in rows for term in row} <= set(self._roles)
            name = self._named(rows, "sides" if sides else label)
            variables = tuple(Variable(names[columns[column]]) for column in block)
            conditions.append(Compound(name, variables))
        return conditions

    def _named(self, rows: tuple[_Row, ...], label: str) -> str:
        """Return the name of facts: one that they have already, or a new one."""
        if rows not in self._names:
            number = sum(name.rstrip("0123456789") == label for name in self.facts)
            name = f"{label}{number + 1}" if number or label != "sides" else label
            self._names[rows] = name
            self.facts[name] = rows
        return self._names[rows]


def independent(columns: Sequence[Column]) -> list[list[Column]]:
    """Return columns in blocks, such that the rows are the product of the rows of the blocks.

    Args:
        columns: of the same length.
    """
    number = {column: len(set(column)) for column in columns}
    block = {column: [column] for column in columns}
    for a, b in combinations(columns, 2):
        joint = len(set(zip(a, b, strict=True)))
        if block[a] is not block[b] and joint < number[a] * number[b]:
            block[a] += block[b]
            for one in block[b]:
                block[one] = block[a]
    blocks = list({id(group): group for group in block.values()}.values())
    blocks = [[column for column in columns if column in group] for group in blocks]
    product = 1
    for group in blocks:
        product *= len(set(zip(*group, strict=True)))
    whole = len(set(zip(*columns, strict=True))) if columns else 1
    # Pairs may be independent where more together are not.
    return blocks if product == whole else [list(columns)]


def _order(row: _Row) -> list[tuple[int, str]]:
    """Return what rows are sorted by: short texts first, so that numbers are in their order."""
    return [(len(text), text) for text in map(term_text, row)]
