"""Facts for evaluated relations: about the numbers that can occur, and no others."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import final

from neurogame.gdl.finding import Finding, Position, shown
from neurogame.gdl.operations_declared import FreshNames
from neurogame.gdl.operations_evaluated import COUNT, CountRelation, EvaluatedRelations
from neurogame.gdl.operations_ranges import (
    MAXIMUM_PAIRS,
    Bindings,
    Ranges,
    constants_of,
    integers,
)
from neurogame.gdl.terms import (
    Compound,
    Formula,
    Not,
    Or,
    Rule,
    Sentence,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.walk import arguments_of, relation_of, signed_sentences

FIRST_LIMIT = 300
MAXIMUM_VALUES = 2000
"""Most constants that one argument of an evaluated relation can be."""

MAXIMUM_FACTS = 200_000
"""Most facts about numbers of one rulesheet."""


def number_facts(
    rules: Sequence[Rule], evaluated: EvaluatedRelations, names: FreshNames
) -> tuple[list[Rule], list[Finding]]:
    """Return the facts and rules that define evaluated relations.

    What can occur is found by relaxed derivation, without ``base`` at first. Where that does not
    end, as with a counter that only ``terminal`` stops, propositions keep to what ``base`` and
    ``init`` say.

    Args:
        rules: all other rules.
        evaluated: the relations.
        names: the names that are taken.

    Returns:
        The facts and rules, and errors where the numbers have no bound.
    """
    if not (evaluated.functions or evaluated.comparisons or evaluated.counts):
        return [], []
    ranges = Ranges(rules, evaluated, FIRST_LIMIT)
    if ranges.exceeded:
        based = {
            relation_of(term)
            for rule in rules
            if relation_of(rule.head) == ("base", 1)
            for term in arguments_of(rule.head)
            if not isinstance(term, Variable)
        }
        ranges = Ranges(rules, evaluated, MAXIMUM_VALUES, frozenset(based))
    tables = _Tables(ranges, evaluated, names)
    for rule in rules:
        tables.read(rule)
    facts = tables.rules()
    return ([] if tables.errors else facts), tables.errors


@final
class _Tables:
    """Collects facts.

    Attributes:
        errors: where the numbers have no bound.
    """

    def __init__(self, ranges: Ranges, evaluated: EvaluatedRelations, names: FreshNames) -> None:
        self.errors: list[Finding] = []
        self._ranges = ranges
        self._evaluated = evaluated
        self._names = names
        self._facts: dict[Compound, None] = {}
        self._known: set[tuple[str, frozenset[int], frozenset[int], frozenset[str] | None]] = set()
        self._looked = 0  # pairs of numbers
        self._counted: dict[str, None] = {}
        self._rules: list[Rule] = []

    def read(self, rule: Rule) -> None:
        """Add the facts for the literals of a rule."""
        for place, literal in enumerate(rule.body):
            if not any(self._is_evaluated(s) for s, _ in signed_sentences(literal)):
                continue
            # A negation needs all facts that it may ask for, whatever it excludes itself.
            others = self._ranges.bindings((*rule.body[:place], *rule.body[place + 1 :]))
            if others is None:
                continue
            for part in literal.formulas if isinstance(literal, Or) else (literal,):
                bindings = dict(others)
                if isinstance(part, Not) or self._ranges.bind(part, bindings):
                    self._literal(part, bindings)

    def _is_evaluated(self, sentence: Sentence) -> bool:
        known = (self._evaluated.functions, self._evaluated.comparisons, self._evaluated.counts)
        return any(sentence.name in relations for relations in known)

    def rules(self) -> list[Rule]:
        """Return all facts and rules."""
        for name in self._counted:
            self._count(self._evaluated.counts[name])
        facts = [Rule(fact) for fact in self._facts]
        return [*sorted(facts, key=_order), *self._rules]

    def _literal(self, literal: Formula, bindings: Bindings) -> None:
        sentence = literal.formula if isinstance(literal, Not) else literal
        if not isinstance(sentence, Compound):
            return
        if sentence.name in self._evaluated.functions and len(sentence.arguments) == 3:
            self._function(sentence, self._evaluated.functions[sentence.name], bindings)
        elif sentence.name in self._evaluated.comparisons and len(sentence.arguments) == 2:
            compare = self._evaluated.comparisons[sentence.name]
            for left, right in self._pairs(sentence, None, bindings):
                if compare(left, right):
                    self._add(sentence, (str(left), str(right)))
        elif sentence.name in self._evaluated.counts:
            self._parameters(sentence, bindings)

    def _function(
        self, sentence: Compound, function: Callable[[int, int], int], bindings: Bindings
    ) -> None:
        wanted = constants_of(sentence.arguments[2], bindings)
        for left, right in self._pairs(sentence, wanted, bindings):
            value = str(function(left, right))
            if wanted is None or value in wanted:
                self._add(sentence, (str(left), str(right), value))

    def _pairs(
        self, sentence: Compound, wanted: frozenset[str] | None, bindings: Bindings
    ) -> Iterable[tuple[int, int]]:
        """Return the pairs of numbers that the first two arguments can be, if they are new."""
        sides = []
        for term in sentence.arguments[:2]:
            values = constants_of(term, bindings)
            if values is None:
                self._unbounded(sentence, term, bindings)
                return ()
            sides.append(integers(values))
        key = (sentence.name, sides[0], sides[1], wanted)
        if key in self._known:
            return ()
        self._known.add(key)
        self._looked += len(sides[0]) * len(sides[1])
        if self._looked > MAXIMUM_PAIRS:
            self._too_many(sentence)
            return ()
        return itertools.product(sides[0], sides[1])

    def _add(self, sentence: Compound, values: Sequence[str]) -> None:
        if len(self._facts) == MAXIMUM_FACTS:
            self._too_many(sentence)
            self._looked = MAXIMUM_PAIRS + 1
            return
        fact = Compound(sentence.name, tuple(map(Symbol, values)))
        self._facts[fact] = None

    # Counts ---------------------------------------------------------------------------------------

    def _parameters(self, sentence: Compound, bindings: Bindings) -> None:
        count = self._evaluated.counts[sentence.name]
        self._counted[sentence.name] = None
        for name, term in zip(count.values, sentence.arguments[:-1], strict=True):
            if isinstance(term, Variable) and self._ranges.terms(((name, 1, 0),)) is None:
                self._unbounded(sentence, term, bindings)

    def _count(self, count: CountRelation) -> None:
        """Add the rules of a relation that counts, one candidate after the other."""
        rows = self._candidates(count)
        if rows is None:
            message = (
                "the instances that countofall counts here have no bound that can be derived; at "
                f"most {MAXIMUM_VALUES:,} are allowed: declare its propositions by base"
            )
            self._error(count.position, message)
            return
        parameters = [self._ranges.terms(((name, 1, 0),)) or [] for name in count.values]
        size = math.prod(map(len, parameters)) * len(rows) ** 2
        if size > 10 * MAXIMUM_FACTS:
            self._error(count.position, f"countofall takes {size:,} facts here, which are too many")
            return
        self._rules += _CountRules(count, self._names, len(rows)).rules(rows, parameters)

    def _candidates(self, count: CountRelation) -> list[tuple[Term, ...]] | None:
        rows: list[tuple[Term, ...]] = [()]
        for path in count.paths():
            terms = self._ranges.terms(path)
            if terms is None or len(rows) * len(terms) > MAXIMUM_VALUES:
                return None
            rows = [(*row, term) for row in rows for term in terms]
        return rows

    # Errors ---------------------------------------------------------------------------------------

    def _unbounded(self, sentence: Compound, term: Term, bindings: Bindings) -> None:
        name = f"?{term.name}" if isinstance(term, Variable) else "an argument"
        relation = COUNT if sentence.name in self._evaluated.counts else shown(sentence.name)
        if isinstance(term, Variable) and term.name in bindings:
            message = (
                f"the values that {name} can have in '{relation}' have no bound that "
                f"can be derived; at most {MAXIMUM_VALUES:,} are allowed: declare by base the "
                "propositions that it comes from, or limit it by less(..., number)"
            )
        else:
            message = (
                f"{name} of '{relation}' is bound by no other literal of the rule; "
                "relations of numbers are evaluated for values that are given"
            )
        self._error(sentence.position, message)

    def _too_many(self, sentence: Compound) -> None:
        message = (
            f"'{shown(sentence.name)}' is evaluated for too many numbers, more than "
            f"{MAXIMUM_FACTS:,} facts in all; limit them by base"
        )
        self._error(sentence.position, message)

    def _error(self, position: Position, message: str) -> None:
        finding = Finding("error", position, message, "evaluation")
        if finding not in self.errors:
            self.errors.append(finding)


@final
class _CountRules:
    """The rules of one relation that counts.

    ``(so_far p i n)``: of the first ``i`` candidates ``n`` fulfil the condition for ``p``.
    """

    def __init__(self, count: CountRelation, names: FreshNames, candidates: int) -> None:
        self._count = count
        self._candidates = candidates
        self._so_far, self._item = names.take("so_far"), names.take("candidate")
        self._next = names.take("following")

    def rules(self, rows: Sequence[tuple[Term, ...]], parameters: list[list[Term]]) -> list[Rule]:
        """Return facts and rules for candidates and the values of the parameters."""
        items = [Variable(f"x{index}") for index in range(self._count.items)]
        given = [Variable(f"p{index}") for index in range(len(parameters))]
        before, index, number, more = (Variable(name) for name in ("i", "j", "n", "m"))
        facts = [
            Compound(self._item, (Symbol(str(place)), *row)) for place, row in enumerate(rows, 1)
        ]
        facts += [
            Compound(self._next, (Symbol(str(place)), Symbol(str(place + 1))))
            for place in range(self._candidates)
        ]
        facts += [
            Compound(name, (term,))
            for name, terms in zip(self._count.values, parameters, strict=True)
            for term in terms
        ]
        zero, last = Symbol("0"), Symbol(str(self._candidates))
        known = [
            Compound(name, (variable,))
            for name, variable in zip(self._count.values, given, strict=True)
        ]
        step = (Compound(self._next, (before, index)), Compound(self._item, (index, *items)))
        counted = Compound(self._so_far, (*given, before, number))
        holds = Compound(self._count.condition, (*given, *items))
        one_more = Compound(self._next, (number, more))
        rules = [
            (Compound(self._so_far, (*given, zero, zero)), (*known,)),
            (Compound(self._so_far, (*given, index, number)), (counted, *step, Not(holds))),
            (Compound(self._so_far, (*given, index, more)), (counted, *step, holds, one_more)),
            (
                Compound(self._count.relation, (*given, number)),
                (Compound(self._so_far, (*given, last, number)),),
            ),
        ]
        return [*(Rule(fact) for fact in facts), *(Rule(head, body) for head, body in rules)]


def _order(fact: Rule) -> tuple[str, list[int]]:
    """Sort facts by relation, then by number."""
    return fact.head.name, [int(t.name) for t in arguments_of(fact.head) if isinstance(t, Symbol)]
