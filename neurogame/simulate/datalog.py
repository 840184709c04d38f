"""A small Datalog engine on Python sets: the perfect model of rules with negation and functions.

It is the slow twin that everything fast is compared with, so it shares no code with the grounder.
Strongly connected predicates are closed by semi-naive iteration; a cycle through negation, such as
``(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))``, is decided atom by atom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import final

from neurogame.errors import GroundingError
from neurogame.gdl.terms import And, Compound, Formula, Not, Or, Rule, Rules, Symbol
from neurogame.gdl.write import term_text
from neurogame.simulate.joins import (
    Database,
    Plan,
    Predicate,
    Relation,
    Row,
    arguments_of,
    predicate_of,
    sentence_of,
    value_of,
)


def _branches(formula: Formula) -> list[tuple[Formula, ...]]:
    """Return the disjunctive normal form of a formula: one tuple of literals per branch."""
    if isinstance(formula, Or):
        return [branch for inner in formula.formulas for branch in _branches(inner)]
    if isinstance(formula, And):
        choices = product(*(_branches(inner) for inner in formula.formulas))
        return [tuple(lit for part in choice for lit in part) for choice in choices]
    if isinstance(formula, Not) and isinstance(formula.formula, Not):
        return _branches(formula.formula.formula)
    if isinstance(formula, Not) and isinstance(formula.formula, Or):
        return _branches(And(tuple(Not(inner) for inner in formula.formula.formulas)))
    if isinstance(formula, Not) and isinstance(formula.formula, And):
        return _branches(Or(tuple(Not(inner) for inner in formula.formula.formulas)))
    return [(formula,)]


def _signed_predicates(body: Sequence[Formula]) -> Iterator[tuple[Predicate, bool]]:
    """Yield each predicate of a body with True where it stands negated."""
    for literal in body:
        inner = literal.formula if isinstance(literal, Not) else literal
        if isinstance(inner, Symbol | Compound):
            yield predicate_of(inner), isinstance(literal, Not)


@final
class Stratum:
    """A strongly connected component of predicates: evaluated together, after those below."""

    def __init__(self, members: frozenset[Predicate], rules: Sequence[Rule], source: str) -> None:
        self.members = members
        self._source = source
        self._facts = [rule.head for rule in rules if not rule.body]
        derived = [rule for rule in rules if rule.body]
        self.negative_cycle = any(
            negated and used in members
            for rule in derived
            for used, negated in _signed_predicates(rule.body)
        )
        self._plans = [Plan(rule, source, members) for rule in derived]
        self._deltas = [
            (predicate_of(literal), Plan(rule, source, members, delta=place))
            for rule in derived
            for place, literal in enumerate(rule.body)
            if isinstance(literal, Symbol | Compound) and predicate_of(literal) in members
        ]

    def evaluate(self, database: Database) -> None:
        """Add the relations of this stratum to a database that holds all strata below.

        A negative cycle is decided by the alternating fixpoint: what holds when every doubtful
        negation is granted bounds the model from above, what holds when none is granted that
        the upper bound forbids bounds it from below; where the atoms are stratified, both meet.

        Raises:
            GroundingError: an atom depends on its own negation.

        *Reference:* A. Van Gelder, The alternating fixpoint of logic programs with negation
        (1989), section 3.
        """
        if not self.negative_cycle:
            self._close(database, {})
            return
        lower: dict[Predicate, set[Row]] = {member: set() for member in self.members}
        while True:
            upper = self._close(database, lower)
            raised = self._close(database, upper)
            if raised == lower:
                break
            lower = raised
        if upper != lower:
            self._refuse(upper, lower)

    def _close(
        self, database: Database, assumed: Mapping[Predicate, set[Row]]
    ) -> dict[Predicate, set[Row]]:
        """Compute the least fixpoint, with negations on a cycle read from ``assumed``."""
        for member in self.members:
            database[member] = Relation()
        for fact in self._facts:
            row = tuple(value_of(a) for a in arguments_of(fact))
            database[predicate_of(fact)].update([row])
        fresh: dict[Predicate, set[Row]] = {m: set(database[m].rows) for m in self.members}
        for plan in self._plans:
            fresh[plan.head] |= plan.run(database, assumed)
        while any(fresh.values()):
            deltas = {member: Relation(rows) for member, rows in fresh.items() if rows}
            for member, relation in deltas.items():
                database[member].update(relation.rows)
            fresh = {member: set() for member in self.members}
            for used, plan in self._deltas:
                if used in deltas:
                    fresh[plan.head] |= plan.run(database, assumed, deltas[used])
        return {member: database[member].rows for member in self.members}

    def _refuse(
        self, upper: Mapping[Predicate, set[Row]], lower: Mapping[Predicate, set[Row]]
    ) -> None:
        doubtful = [
            term_text(sentence_of(member[0], row))
            for member, rows in upper.items()
            for row in rows - lower[member]
        ]
        raise GroundingError(
            f"{self._source}: not stratified: {min(doubtful)} depends on its own negation; "
            "in valid GDL no atom may"
        )


@final
class Program:
    """Rules as strata in an order in which each may be evaluated after the ones before it.

    Args:
        rules: the rulesheet; ``or`` is expanded, so a body with many of them is costly.
        inputs: predicates that the caller supplies; rules for them are ignored.

    Raises:
        RulesError: a rule is unsafe.
    """

    def __init__(self, rules: Rules, inputs: frozenset[Predicate]) -> None:
        self._uses: dict[Predicate, set[Predicate]] = {}
        by_head: dict[Predicate, list[Rule]] = {}
        for rule in rules:
            head = predicate_of(rule.head)
            if head in inputs:
                continue
            for body in _branches(And(rule.body)):
                by_head.setdefault(head, []).append(Rule(rule.head, body, rule.position))
                used = {predicate for predicate, _ in _signed_predicates(body)}
                self._uses.setdefault(head, set()).update(used)
        self.strata = [
            Stratum(component, [r for p in component for r in by_head[p]], rules.source)
            for component in _components(self._uses)
        ]

    def below(self, goals: Iterable[Predicate]) -> set[Predicate]:
        """Return the given predicates and all that they depend on."""
        reached: set[Predicate] = set()
        waiting = list(goals)
        while waiting:
            predicate = waiting.pop()
            if predicate not in reached:
                reached.add(predicate)
                waiting.extend(self._uses.get(predicate, ()))
        return reached


def _components(uses: Mapping[Predicate, set[Predicate]]) -> list[frozenset[Predicate]]:
    """Return the strongly connected components of the defined predicates, lowest first.

    *Reference:* R. Tarjan, Depth-first search and linear graph algorithms (1972); iterative,
    because rule chains are deeper than Python's stack.
    """
    number: dict[Predicate, int] = {}
    low: dict[Predicate, int] = {}
    path: list[Predicate] = []
    on_path: set[Predicate] = set()
    components: list[frozenset[Predicate]] = []
    for root in uses:
        work = [] if root in number else [(root, iter(uses[root]))]
        while work:
            node, successors = work[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                path.append(node)
                on_path.add(node)
            for successor in successors:
                if successor in uses and successor not in number:
                    work.append((successor, iter(uses[successor])))
                    break
                if successor in on_path:
                    low[node] = min(low[node], number[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    component = path[path.index(node) :]
                    del path[path.index(node) :]
                    on_path.difference_update(component)
                    components.append(frozenset(component))
    return components
