"""A rulesheet's structure: what stays when every name is changed.

Two rulesheets that differ only in the names of constants, functions, relations and variables, in
the order of rules, or in the order of the literals of a body, have the same signature. It comes
from colour refinement: every symbol is coloured by where it occurs, again and again, until the
colours tell no more symbols apart. Keywords and goal values keep their meaning, so they are never
renamed.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import final

from neurogame.gdl.keywords import UNRENAMED_WORDS
from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Rules,
    Symbol,
    Term,
    Variable,
)

ROUNDS = 60
"""Most rounds of refinement; a chain of n constants needs about n / 2 to be told apart fully."""


def structural_signature(rules: Rules) -> str:
    """Return 64 hexadecimal digits that name the structure of a rulesheet."""
    refinement = _Refinement(rules)
    refinement.run()
    text = "\n".join(sorted(refinement.rule_colours()))
    return hashlib.sha256(text.encode()).hexdigest()


def symbol_colours(rules: Rules) -> dict[str, str]:
    """Return the colour of every folded name; names of equal colour may be interchangeable.

    A renaming of one rulesheet into another maps names to names of the same colour.
    """
    refinement = _Refinement(rules)
    refinement.run()
    return dict(refinement.colours)


@final
@dataclass(frozen=True, slots=True)
class _Place:
    """One occurrence of a symbol or variable: in which literal of a rule, and where in it."""

    name: str
    path: str


def _digest(*parts: str) -> str:
    return hashlib.blake2b("|".join(parts).encode(), digest_size=8).hexdigest()


@final
class _Refinement:
    """Colours of all symbols, refined round by round."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules.rules
        self.parts = [[("head", rule.head), *(("body", f) for f in rule.body)] for rule in rules]
        self.colours: dict[str, str] = {}
        self.places = [[_places(part) for _, part in parts] for parts in self.parts]
        for symbols in self.places:
            for own, _ in symbols:
                for place in own:
                    self.colours[place.name] = (
                        place.name if place.name in UNRENAMED_WORDS else "symbol"
                    )
        for rule in rules:
            head = rule.head
            if isinstance(head, Compound) and head.name == "goal" and len(head.arguments) == 2:
                value = head.arguments[1]
                if isinstance(value, Symbol):
                    self.colours[value.name] = f"value {value.name}"

    def run(self) -> None:
        """Refine until the number of colours stays, or for the most rounds allowed."""
        count = len(set(self.colours.values()))
        for _ in range(ROUNDS):
            self._refine()
            after = len(set(self.colours.values()))
            if after == count:
                return
            count = after

    def _refine(self) -> None:
        seen: dict[str, list[str]] = defaultdict(list)
        for index in range(len(self.rules)):
            literals, whole = self._colour_rule(index)
            for colour, (symbols, _) in zip(literals, self.places[index], strict=True):
                for place in symbols:
                    seen[place.name].append(_digest(whole, colour, place.path))
        for name, contexts in seen.items():
            if name not in UNRENAMED_WORDS:
                self.colours[name] = _digest(self.colours[name], *sorted(contexts))

    def rule_colours(self) -> list[str]:
        """Return the colour of every rule under the present colours of its symbols."""
        return [self._colour_rule(index)[1] for index in range(len(self.rules))]

    def _colour_rule(self, index: int) -> tuple[list[str], str]:
        """Return the colours of a rule's literals, and of the rule."""
        parts, places = self.parts[index], self.places[index]
        variables = {place.name: "v" for _, own in places for place in own}
        # Variables are told apart by their literals, these by their variables: two rounds.
        for _ in range(2 if variables else 0):
            colours = [self._formula(f, variables, where) for where, f in parts]
            seen: dict[str, list[str]] = defaultdict(list)
            for colour, (_, own) in zip(colours, places, strict=True):
                for place in own:
                    seen[place.name].append(_digest(colour, place.path))
            variables = {name: _digest(*sorted(found)) for name, found in seen.items()}
        colours = [self._formula(f, variables, where) for where, f in parts]
        return colours, _digest(*sorted(colours))

    def _formula(self, formula: Formula, variables: dict[str, str], where: str) -> str:
        if isinstance(formula, Or | And):
            kind = "or" if isinstance(formula, Or) else "and"
            inner = sorted(self._formula(f, variables, where) for f in formula.formulas)
            return _digest(kind, *inner)
        if isinstance(formula, Not):
            return _digest("not", self._formula(formula.formula, variables, where))
        if isinstance(formula, Distinct):
            sides = sorted(self._term(t, variables) for t in (formula.left, formula.right))
            return _digest("distinct", *sides)
        return _digest(where, self._term(formula, variables))

    def _term(self, term: Term, variables: dict[str, str]) -> str:
        if isinstance(term, Variable):
            return variables[term.name]
        if isinstance(term, Symbol):
            return self.colours[term.name]
        inner = [self._term(a, variables) for a in term.arguments]
        return f"({self.colours[term.name]} {' '.join(inner)})"


def _places(formula: Formula) -> tuple[list[_Place], list[_Place]]:
    """Return the occurrences of symbols and of variables in one formula."""
    symbols: list[_Place] = []
    variables: list[_Place] = []
    todo: list[tuple[Formula | Term, str]] = [(formula, "")]
    while todo:
        node, path = todo.pop()
        if isinstance(node, Variable):
            variables.append(_Place(node.name, path))
        elif isinstance(node, Symbol | Compound):
            symbols.append(_Place(node.name, path))
            if isinstance(node, Compound):
                todo += [(a, f"{path}.{i}") for i, a in enumerate(node.arguments)]
        elif isinstance(node, Not):
            todo.append((node.formula, path + "n"))
        elif isinstance(node, Distinct):
            todo += [(node.left, path + "d"), (node.right, path + "d")]
        else:
            todo += [(f, path + "o") for f in node.formulas]
    return symbols, variables
