"""A rulesheet's structure: what stays when every name is changed.

The rulesheet is drawn as a graph of rules, formulas, compound terms, the variables of each rule
and the symbols of all rules. Every node gets a colour from its kind, then again and again a colour
from its own and those of its neighbours, until no two nodes of one colour can be told apart.

*Reference:* colour refinement (the one-dimensional Weisfeiler-Leman algorithm); two rulesheets
with one signature are the same up to names in all but contrived cases, which only a search for the
renaming itself can exclude.
"""

from __future__ import annotations

import hashlib
from typing import final

import numpy as np
import numpy.typing as npt

from neurogame.gdl.kept import kept_names
from neurogame.gdl.terms import Compound, Distinct, Formula, Not, Or, Rules, Symbol, Term, Variable

ROUNDS = 2000
"""Most rounds of refinement; a chain of n successors needs about n until all are told apart."""

_Colours = npt.NDArray[np.uint64]


def structural_signature(rules: Rules) -> str:
    """Return 64 hexadecimal digits that name the structure of a rulesheet.

    It stays the same under any one-to-one renaming of constants, numbers, functions, relations
    and variables, except of keywords and of goal values (:func:`~neurogame.gdl.kept.kept_names`),
    and under any order of rules, of the literals of a body, and of the branches of an ``or``.
    """
    colours = np.sort(_stable_colours(_Graph(rules)))
    return hashlib.sha256(colours.astype("<u8").tobytes()).hexdigest()


def symbol_colours(rules: Rules) -> dict[str, str]:
    """Return the colour of every folded name of a rulesheet.

    A renaming of one rulesheet into another maps each name to one of the same colour. Names of
    equal colour in one rulesheet may be interchangeable, such as two symmetric directions.
    """
    graph = _Graph(rules)
    colours = _stable_colours(graph)
    return {name: f"{int(colours[node]):016x}" for name, node in graph.symbols.items()}


@final
class _Graph:
    """The nodes and labelled edges of a rulesheet.

    Attributes:
        kinds: first colour of each node.
        symbols: folded name -> node.
        sources: tail of each edge; every edge is there in both directions.
        targets: head of each edge.
        labels: colour of each edge, another one in each direction.
    """

    def __init__(self, rules: Rules) -> None:
        self.kinds: list[int] = []
        self.symbols: dict[str, int] = {}
        self.sources: list[int] = []
        self.targets: list[int] = []
        self.labels: list[int] = []
        self._hashes: dict[str, int] = {}
        self._kept = kept_names(rules)
        for rule in rules:
            variables: dict[str, int] = {}
            node = self._node("rule")
            self._join(node, "head", self._formula(rule.head, variables))
            for formula in rule.body:
                self._join(node, "body", self._formula(formula, variables))

    def _formula(self, formula: Formula | Variable, variables: dict[str, int]) -> int:
        """Return the node of a formula or term, made with all below it."""
        if isinstance(formula, Symbol | Compound | Variable):
            return self._term(formula, variables)
        if isinstance(formula, Not):
            node = self._node("not")
            self._join(node, "inner", self._formula(formula.formula, variables))
        elif isinstance(formula, Distinct):
            node = self._node("distinct")
            for term in (formula.left, formula.right):
                self._join(node, "inner", self._term(term, variables))
        else:
            node = self._node("or" if isinstance(formula, Or) else "and")
            for inner in formula.formulas:
                self._join(node, "inner", self._formula(inner, variables))
        return node

    def _term(self, term: Term, variables: dict[str, int]) -> int:
        if isinstance(term, Variable):
            if term.name not in variables:
                variables[term.name] = self._node("variable")
            return variables[term.name]
        if term.name not in self.symbols:
            kind = f"kept {term.name}" if term.name in self._kept else "symbol"
            self.symbols[term.name] = self._node(kind)
        symbol = self.symbols[term.name]
        if isinstance(term, Symbol):
            return symbol
        node = self._node("compound")
        self._join(node, "name", symbol)
        for place, argument in enumerate(term.arguments):
            self._join(node, f"argument {place}", self._term(argument, variables))
        return node

    def _node(self, kind: str) -> int:
        self.kinds.append(self._hash(kind))
        return len(self.kinds) - 1

    def _join(self, above: int, label: str, below: int) -> None:
        self.sources += (above, below)
        self.targets += (below, above)
        self.labels += (self._hash(f"down {label}"), self._hash(f"up {label}"))

    def _hash(self, text: str) -> int:
        if text not in self._hashes:
            digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
            self._hashes[text] = int.from_bytes(digest, "little")
        return self._hashes[text]


def _stable_colours(graph: _Graph) -> _Colours:
    """Refine until no more nodes are told apart; returns uint64 ``[nodes]``."""
    colours = np.array(graph.kinds, dtype=np.uint64)
    if not len(colours):
        return colours
    order = np.argsort(np.array(graph.targets), kind="stable")
    sources = np.array(graph.sources)[order]
    labels = np.array(graph.labels, dtype=np.uint64)[order]
    # Only an empty "or" has no edge below it, and that one hangs under its rule: every node is
    # the target of an edge, so each has one run of edges here.
    starts = np.flatnonzero(np.diff(np.array(graph.targets)[order], prepend=-1))
    count = len(np.unique(colours))
    for _ in range(ROUNDS):
        seen = np.add.reduceat(_mix(colours[sources] ^ labels), starts)
        colours = _mix(_mix(colours) + seen)
        before, count = count, len(np.unique(colours))
        if count == before:
            break
    return colours


def _mix(values: _Colours) -> _Colours:
    """Scatter 64-bit words one to one (the finaliser of splitmix64)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: _Colours = values ^ (values >> np.uint64(31))
    return mixed
