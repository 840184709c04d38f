"""A rulesheet drawn as a graph, in which names, orders and repetitions have no part.

The nodes are rules, formulas, compound terms, the variables of each rule and the symbols of all
rules. Whatever is written twice is one node: rules, the literals of a body and the branches of an
``or`` are sets. So two rulesheets are the same game under other names exactly if their graphs are
isomorphic.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.gdl.coloured_graph import ColouredGraph, with_both_ways
from neurogame.gdl.terms import Compound, Distinct, Formula, Not, Or, Rule, Symbol, Term, Variable

SYMBOL, VARIABLE, OTHER = range(3)
"""What a node is: the classes of :attr:`RuleGraph.classes`."""


@final
@dataclass(frozen=True, eq=False)
class RuleGraph:
    """The coloured nodes and labelled edges of a rulesheet; ``N`` nodes.

    Attributes:
        words: the kinds of nodes and labels of edges that occur, sorted. The kind of a symbol is
            ``symbol``, or ``kept`` and its name where the name counts.
        graph: kinds are indices in ``words``, labels twice these, plus one upwards.
        classes: ``SYMBOL``, ``VARIABLE`` or ``OTHER`` for each node; int64 ``[N]``.
        symbols: name -> node.
        rules: the node of each rule drawn, in their order; int64 ``[rules]``.
    """

    words: tuple[str, ...]
    graph: ColouredGraph
    classes: Int64s
    symbols: Mapping[str, int]
    rules: Int64s


def draw_rules(rules: Iterable[Rule], kept: Collection[str] | None) -> RuleGraph:
    """Draw rules as a graph.

    Args:
        rules: the rules.
        kept: the names whose spelling counts; None for all.
    """
    drawing = _Drawing(kept)
    tops = np.array([drawing.rule(rule) for rule in rules], dtype=np.int64)
    words = tuple(sorted({*drawing.kinds, *(label for _, label, _ in drawing.edges)}))
    place = {word: index for index, word in enumerate(words)}
    kinds = np.array([place[kind] for kind in drawing.kinds], dtype=np.int64)
    down = np.array([(a, place[word], b) for a, word, b in drawing.edges], dtype=np.int64)
    above, labels, below = down.reshape(-1, 3).T
    return RuleGraph(
        words=words,
        graph=with_both_ways(kinds, above, labels, below, len(words)),
        classes=np.array(drawing.classes, dtype=np.int64),
        symbols=drawing.symbols,
        rules=tops,
    )


@final
class _Drawing:
    """The nodes and edges so far; a node is known by its kind and by what hangs below it."""

    def __init__(self, kept: Collection[str] | None) -> None:
        self.kinds: list[str] = []
        self.classes: list[int] = []
        self.symbols: dict[str, int] = {}
        self.edges: list[tuple[int, str, int]] = []
        self._kept = kept
        self._known: dict[tuple[str, frozenset[tuple[str, int]]], int] = {}
        self._variables: dict[str, int] = {}

    def rule(self, rule: Rule) -> int:
        """Return the node of a rule."""
        self._variables = {}
        below = {("body", self._formula(formula)) for formula in rule.body}
        return self._above("rule", {("head", self._term(rule.head)), *below})

    def _formula(self, formula: Formula) -> int:
        if isinstance(formula, Symbol | Compound):
            return self._term(formula)
        if isinstance(formula, Not):
            return self._above("not", {("inner", self._formula(formula.formula))})
        if isinstance(formula, Distinct):
            pair = (formula.left, formula.right)
            return self._above("distinct", {("inner", self._term(term)) for term in pair})
        kind = "or" if isinstance(formula, Or) else "and"
        return self._above(kind, {("inner", self._formula(f)) for f in formula.formulas})

    def _term(self, term: Term) -> int:
        if isinstance(term, Variable):
            if term.name not in self._variables:
                self._variables[term.name] = self._new("variable", VARIABLE)
            return self._variables[term.name]
        if term.name not in self.symbols:
            counts = self._kept is None or term.name in self._kept
            self.symbols[term.name] = self._new(f"kept {term.name}" if counts else "symbol", SYMBOL)
        if isinstance(term, Symbol):
            return self.symbols[term.name]
        places = ((f"argument {i}", self._term(a)) for i, a in enumerate(term.arguments))
        return self._above("compound", {("name", self.symbols[term.name]), *places})

    def _above(self, kind: str, below: set[tuple[str, int]]) -> int:
        """Return the node of a kind over other nodes."""
        key = (kind, frozenset(below))
        if key not in self._known:
            node = self._known[key] = self._new(kind, OTHER)
            self.edges += [(node, label, other) for label, other in below]
        return self._known[key]

    def _new(self, kind: str, of_class: int) -> int:
        self.kinds.append(kind)
        self.classes.append(of_class)
        return len(self.kinds) - 1
